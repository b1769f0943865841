"""A service with three models."""

import asyncio

import httpx
import pytest

import mercer
from mercer.web.app import make_app
from mercer.web.served_model import ServedModel

from .service import LIMITS, X, Y


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
    app = make_app(models, LIMITS)

    def send(method, path, **content):
        async def once():
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://m") as c:
                return await c.request(method, path, **content)

        return asyncio.run(once())

    return send
