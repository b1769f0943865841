"""A service with three models."""

import pytest

import mercer
from mercer.web.served_model import ServedModel

from .service import LIMITS, X, Y, asking


@pytest.fixture(scope="module")
def models():
    svc = mercer.KernelSVC(C=10).fit(X[:400], Y[:400])
    knn = mercer.KernelKNN(3).fit(X[:400], Y[:400])
    iris = mercer.load_dataset("iris")
    flowers = mercer.KernelSVC(kernel="cosine").fit(iris.X, iris.y)
    named = {"svc": svc, "knn": knn, "flowers": flowers}
    return [ServedModel(name, model, LIMITS) for name, model in named.items()]


@pytest.fixture(scope="module")
def ask(models):
    """Send requests to the service, without a network."""
    return asking(models)
