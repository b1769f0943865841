"""
One feature that matters among many
===================================

Every sample is a row of random signs, and its class is the first of them. Winnow
multiplies its weights, so that the samples it needs grow with the logarithm of the
number of features; the perceptron adds, and needs as many as there are features.
"""

import matplotlib.pyplot as plt

from mercer import KernelPerceptron, Winnow, load_dataset

SAMPLES, LEARNERS = (
    400,
    {
        "perceptron": KernelPerceptron(kernel="linear", epochs=1, shuffle=False),
        "winnow": Winnow(balanced=True, epochs=1, shuffle=False),
    },
)
widths = [10, 30, 100, 300, 1000, 3000]
errors = {name: [] for name in LEARNERS}
for n in widths:
    data = load_dataset("just-a-little-bit", n=n, m=SAMPLES + 1000, seed=n)
    for name, learner in LEARNERS.items():
        learner.fit(data.X[:SAMPLES], data.y[:SAMPLES])
        error = 1 - learner.score(data.X[SAMPLES:], data.y[SAMPLES:])
        errors[name].append(100 * error)

figure, axis = plt.subplots(figsize=(7, 4.2))
for (name, error), marker in zip(errors.items(), "os"):
    axis.plot(widths, error, marker=marker, label=name)
axis.set(xscale="log", xlabel="features", ylabel="mistakes (%)", ylim=(-1, 50))
axis.set_title(f"One pass over {SAMPLES} samples")
axis.legend(frameon=False)
figure.tight_layout()
plt.show()
