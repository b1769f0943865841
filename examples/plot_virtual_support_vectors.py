"""
Virtual support vectors
=======================

An image that is shifted by a pixel shows the same digit. To tell that to an SVM it is
enough to shift its support vectors, since the other samples do not matter, and to learn
again from them and their shifted copies: that is what :class:`mercer.VirtualSVC` does.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC, VirtualSVC, load_dataset
from mercer.images import shifts

digits = load_dataset("mnist5k")
order = np.random.default_rng(0).permutation(5000)
train, test = order[:800], order[800:2300]

plain = KernelSVC(C=10, gamma=0.02).fit(digits.X[train], digits.y[train])
ways = shifts(1, diagonal=False)
virtual = VirtualSVC(C=10, gamma=0.02, transforms=ways)
virtual.fit(digits.X[train], digits.y[train])

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
