"""SVMs on data unlike digits: fits and predictions beside peers."""

from collections.abc import Callable, Mapping
from functools import partial

from mercer.bench import _stand_ins
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.bench._stand_ins import Parts
from mercer.bench.svc import fits_then_predictions, left_out, peers

#: samples, C and γ
Case = tuple[Callable[[], Parts], float, float]
_GOAL = "fit at least 5x scikit-learn and 3x intelex; predict at least 10x and 2x"


def _prepare(rows: Mapping[str, Case]) -> Prepared:
    contestants: list[Contestant] = []
    remarks: list[str] = []
    for which, (source, C, gamma) in rows.items():
        own, said = fits_then_predictions(*source(), peers(gamma, C), which)
        contestants += own
        remarks += said
    return contestants, remarks + left_out()


def _benchmark(title: str, rows: Mapping[str, Case], slow: bool = False) -> Benchmark:
    title = f"SVM fit and predict, {title}, tol 1e-3, float32"
    return Benchmark(title, partial(_prepare, rows), _GOAL, slow)


ONEHOT = _benchmark(
    "one-hot answers in CSR, 32561 x 123, half of them support vectors",
    {"": (_stand_ins.onehot, 1.0, 0.05)},
    slow=True,
)
LETTERS = _benchmark(
    "26 letters, 16000 x 16",
    {
        ", standardised": (_stand_ins.letters, 10.0, 1 / 16),
        ", whole numbers": (partial(_stand_ins.letters, whole=True), 10.0, 0.02),
    },
)
NOISY = _benchmark(
    "noisy floats, 50000 x 40", {"": (_stand_ins.noisy, 1.0, 1 / 40)}, slow=True
)
SIGNALS = _benchmark(
    "engine signals, 40000 x 22", {"": (_stand_ins.signals, 10.0, 0.1)}
)
TEXT = _benchmark("tf-idf in CSR, 6000 x 60000", {"": (_stand_ins.text, 10.0, 0.5)})
FLOATS = _benchmark(
    "digits as floats",
    {
        ", 10000 x 784": (_stand_ins.standardised_digits, 10.0, 1 / 784),
        ", 20000 x 100": (_stand_ins.projected_digits, 10.0, 0.02),
    },
    slow=True,
)
CLOTHES = _benchmark(
    "clothes, 60000 x 784", {"": (_stand_ins.clothes, 10.0, 0.02)}, slow=True
)
