"""`SVC` with scikit-learn's signature: the one line that user code changes.

``from mercer.svm import SVC`` in place of ``from sklearn.svm import SVC``. What is the
same and what is not: docs/coming-from-svc.md. scikit-learn's other machines are not
offered: NuSVC (choose `C` instead), LinearSVC (``SVC(kernel="linear")`` has another
loss and an unpenalised bias; `KernelSVC(kernel="linear", bias="regularized")` is its
``loss="hinge"``), SVR, NuSVR, LinearSVR and OneClassSVM (Mercer classifies).
"""

from typing import NoReturn

from mercer.estimators.scikit_learn_svc import SVC

__all__ = ["SVC"]

_NOT_OFFERED = {
    "NuSVC": "use SVC, and choose C instead of nu",
    "LinearSVC": "use mercer.KernelSVC(kernel='linear', bias='regularized'), or "
    "scikit-learn's, which is made for many samples of few features",
    "LinearSVR": "Mercer has classifiers only; use scikit-learn's",
    "NuSVR": "Mercer has classifiers only; use scikit-learn's",
    "OneClassSVM": "Mercer has classifiers only; use scikit-learn's",
    "SVR": "Mercer has classifiers only; use scikit-learn's",
}


def __getattr__(name: str) -> NoReturn:
    if name in _NOT_OFFERED:  # `from … import` would hide an AttributeError's sentence
        raise ImportError(f"mercer.svm has no {name}: {_NOT_OFFERED[name]}.")
    raise AttributeError(f"module 'mercer.svm' has no attribute {name!r}")
