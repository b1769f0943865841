"""
A kernel of strings
===================

A machine needs no vectors, only a Gram. Here two words are similar when they have many
pieces of up to three letters in common, and numbers of two languages are told apart:
the names of one to two hundred in English and in German.
"""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC

ENGLISH = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
    "twenty thirty forty fifty sixty seventy eighty ninety",
)
GERMAN = (
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
)


def numbers(small, tens, join):
    """The names of 1 to 99."""
    small, tens = small.split(), tens.split()
    return small + [join(ten, one) for ten in tens for one in ["", *small[:9]]]


def pieces(word):
    """How often each piece of one to three letters occurs."""
    word = f"^{word}$"
    return Counter(word[i : i + n] for n in (1, 2, 3) for i in range(len(word) - n + 1))


def similarity(some, others):
    """Cosines between the counts of pieces."""
    counts, other_counts = [pieces(w) for w in some], [pieces(w) for w in others]
    K = np.array(
        [[sum(a[p] * b[p] for p in a) for b in other_counts] for a in counts], float
    )
    norms = [
        [sum(v * v for v in c.values()) ** 0.5 for c in own]
        for own in (counts, other_counts)
    ]
    return K / np.outer(*norms)


english = numbers(*ENGLISH, lambda ten, one: f"{ten}-{one}" if one else ten)
german = numbers(
    *GERMAN, lambda ten, one: f"{one.removesuffix('s')}und{ten}" if one else ten
)
words = np.array(english + german)
y = np.repeat(["English", "German"], [len(english), len(german)])
train = np.random.default_rng(0).permutation(len(words))[:40]
test = np.setdiff1d(np.arange(len(words)), train)

K = similarity(words, words)
model = KernelSVC(kernel="precomputed").fit(K[np.ix_(train, train)], y[train])
scores = model.decision_function(K[np.ix_(test, train)])
right = model.score(K[np.ix_(test, train)], y[test])
print(f"{right:.1%} right with 40 words to learn from")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6))
left.imshow(K, cmap="magma")
left.set(title="The Gram: English, then German", xticks=[], yticks=[])
order = np.argsort(scores)
shown = order[np.linspace(0, len(order) - 1, 14).astype(int)]
colours = np.where(y[test][shown] == "German", "#c8500a", "#0067a5")
right.barh(range(14), scores[shown], color=colours)
right.set_yticks(range(14), words[test][shown])
right.set(
    xlabel="score: English (left), German (right)", title="Words not learned from"
)
figure.tight_layout()
plt.show()
