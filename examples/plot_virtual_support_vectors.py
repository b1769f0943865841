"""
Virtual support vectors
=======================

An image that is shifted by a pixel shows the same digit. To tell that to an SVM it is
enough to shift its support vectors, since the other samples do not matter, and to learn
again from them and their shifted copies.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC, load_dataset

digits = load_dataset("mnist5k")
order = np.random.default_rng(0).permutation(5000)
train, test = order[:800], order[800:2300]


def shifted(images):
    """Each image as it is and moved by one pixel in four directions."""
    planes = images.reshape(-1, 28, 28)
    ways = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)]
    return np.concatenate(
        [np.roll(planes, way, (1, 2)).reshape(-1, 784) for way in ways]
    )


plain = KernelSVC(C=10, gamma=0.02).fit(digits.X[train], digits.y[train])
vectors = train[plain.support_]
virtual = KernelSVC(C=10, gamma=0.02).fit(
    shifted(digits.X[vectors]), np.tile(digits.y[vectors], 5)
)

answers = {
    "plain": plain.predict(digits.X[test]),
    "virtual": virtual.predict(digits.X[test]),
}
wrong = {name: answer != digits.y[test] for name, answer in answers.items()}
figure, axes = plt.subplots(2, 7, figsize=(9.5, 3.6))
figure.suptitle(
    f"{wrong['plain'].mean():.1%} mistakes with {len(plain.support_)} support vectors, "
    f"{wrong['virtual'].mean():.1%} with {len(virtual.support_)} shifted ones"
)
rows = {"mended": wrong["plain"] & ~wrong["virtual"], "still wrong": wrong["virtual"]}
for line, (name, mask), answer in zip(axes, rows.items(), answers.values()):
    for axis, place in zip(line, np.flatnonzero(mask)):
        axis.imshow(digits.X[test[place]].reshape(28, 28), cmap="gray_r")
        axis.set_title(f"{digits.y[test[place]]}, not {answer[place]}", fontsize=9)
    for axis in line:
        axis.set(xticks=[], yticks=[])
    line[0].set_ylabel(name)
figure.tight_layout()
plt.show()
