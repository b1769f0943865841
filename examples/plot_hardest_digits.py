"""
The hardest digits
==================

Ten random splits, a machine for each, and one question to all of them: which images
are mistaken whenever they are tested? The splits share one Gram. What is left at the
end is hard for people too.
"""

import matplotlib.pyplot as plt

from mercer import KernelSVC, load_dataset
from mercer.metrics import hardest_samples
from mercer.model_selection import cross_validating_procedure

digits = load_dataset("digits")
result = cross_validating_procedure(
    KernelSVC(C=10), {"gamma": [0.001]}, digits.X, digits.y, runs=10, seed=0
)
images = digits.X.reshape(-1, *digits.image_shape)
hardest = hardest_samples(digits.y, result.predictions, images=images, n_samples=12)

mean, deviation = result.error
figure, axes = plt.subplots(2, 6, figsize=(9, 4.1))
figure.suptitle(
    f"{100 * mean:.2f} ± {100 * deviation:.2f} % of the test samples are mistaken"
)
for axis, sample in zip(axes.flat, hardest):
    axis.imshow(sample.image, cmap="gray_r")
    label, _ = sample.taken_for[0]
    axis.set_title(
        f"{sample.true_label}, taken for {label}\n"
        f"{sample.times_wrong} of {sample.times_tested} times",
        fontsize=9,
    )
    axis.axis("off")
figure.tight_layout()
plt.show()
