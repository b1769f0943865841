"""SVM fits on five kinds of data, beside peers."""

from collections.abc import Callable
from functools import partial

from mercer.bench import _stand_ins
from mercer.bench._data import Labelled, train_part
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.bench.svc import OURS, fitting, left_out, peers

#: samples, C and γ
Kind = tuple[Callable[[], Labelled], float, float]


def _digits(n: int = 10000) -> Labelled:
    X, y = train_part("mnist")
    return X[:n], y[:n]


def _training(source: Callable[[], _stand_ins.Parts]) -> Labelled:
    return source()[0]


KINDS: dict[str, Kind] = {
    "images of digits, 10000 × 784": (_digits, 10.0, 0.02),
    "letters, 16000 × 16, 26 classes": (
        partial(_training, _stand_ins.letters),
        10.0,
        1 / 16,
    ),
    "engine signals, 40000 × 22": (partial(_training, _stand_ins.signals), 10.0, 0.1),
    "text, sparse, 6000 × 60000": (partial(_training, _stand_ins.text), 10.0, 0.5),
    "census flags, sparse, 32561 × 123": (
        partial(_training, _stand_ins.onehot),
        1.0,
        0.05,
    ),
}


def _prepare() -> Prepared:
    contestants: list[Contestant] = []
    for number, (kind, (source, C, gamma)) in enumerate(KINDS.items()):
        X, y = source()
        contestants += [
            fitting(
                f"{name}, {kind}",
                make,
                X,
                y,
                beside=f"{OURS}, {kind}",
                line=name,
                x=number,
            )
            for name, make in peers(gamma, C).items()
        ]
    return contestants, left_out()


BENCHMARK = Benchmark(
    "SVM fits on five kinds of data, tol 1e-3, float32",
    _prepare,
    "at least 5x scikit-learn and 3x intelex",
    slow=True,
    x="seconds of a fit",
    kinds=tuple(KINDS),
)
