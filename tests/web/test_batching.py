"""Requests that wait are one batch, and nobody pays for another."""

import asyncio
import time

import httpx
import numpy as np

from mercer.exceptions import ParameterError
from mercer.web.app import make_app
from mercer.web.batching import Batcher
from mercer.web.limits import ServiceLimits
from mercer.web.served_model import ServedModel

from .service import LIMITS, X


def test_requests_at_once_are_one_product(models, monkeypatch):
    served, sizes = ServedModel("svc", models[0].model, LIMITS), []
    product = type(served.model).binary_scores

    def counted(machine, samples):
        sizes.append(len(samples))
        return product(machine, samples)

    monkeypatch.setattr(type(served.model), "binary_scores", counted)
    app = make_app([served], LIMITS)

    async def many():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://m") as c:
            asked = (
                c.post("/api/predict", json={"samples": [row.tolist()]})
                for row in X[400:440]
            )
            return await asyncio.gather(*asked)

    said = [answer.json()["predictions"][0]["label"] for answer in asyncio.run(many())]
    # the first may go alone, while the others gather
    assert sum(sizes) == 40
    assert len(sizes) < 20
    monkeypatch.undo()
    assert said == served.model.predict(X[400:440]).astype(str).tolist()


def test_waiting_requests_are_one_batch():
    sizes = []

    def answer(samples):
        sizes.append(len(samples))
        time.sleep(0.05)
        return samples[:, 0], samples

    async def many():
        batcher = Batcher(answer, ServiceLimits(samples=10))
        asked = [batcher.ask(np.full((2, 1), i)) for i in range(9)]
        return await asyncio.gather(*asked)

    answers = asyncio.run(many())
    assert [labels.tolist() for labels, _ in answers] == [[i, i] for i in range(9)]
    assert len(sizes) < 9
    assert max(sizes) <= 10
    assert sum(sizes) == 18


def test_nobody_pays_for_the_samples_of_another():
    def answer(samples):
        if (samples < 0).any():
            raise ParameterError("A sample is below zero.")
        return samples[:, 0], samples

    async def many():
        batcher = Batcher(answer, ServiceLimits())
        asked = [batcher.ask(np.full((2, 1), value)) for value in (1, 2, -3, 4)]
        return await asyncio.gather(*asked, return_exceptions=True)

    first, second, wrong, last = asyncio.run(many())
    assert [labels.tolist() for labels, _ in (first, second, last)] == [
        *([1, 1], [2, 2], [4, 4]),
    ]
    assert str(wrong) == "A sample is below zero."


def test_too_many_and_too_slow_are_turned_away():
    def answer(samples):
        time.sleep(0.3)
        return samples[:, 0], samples

    async def many():
        batcher = Batcher(answer, ServiceLimits(samples=1, waiting=2, seconds=0.1))
        asked = [batcher.ask(np.zeros((1, 1))) for _ in range(5)]
        return await asyncio.gather(*asked, return_exceptions=True)

    said = [str(error) for error in asyncio.run(many())]
    assert any("Too many requests" in text for text in said)
    assert any("no answer within 0.1 s" in text for text in said)
