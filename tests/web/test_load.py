"""Many clients at once, and an end that leaves nobody without an answer."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import mercer
from mercer.web.app import make_app
from mercer.web.limits import ServiceLimits
from mercer.web.served_model import ServedModel

from .load import ask_from_many

DIGITS = mercer.load_dataset("digits")


@pytest.fixture(scope="module")
def model():
    return mercer.KernelSVC(C=10).fit(DIGITS.X[:400], DIGITS.y[:400])


def test_two_hundred_clients_at_once(serve, model):
    address = serve(make_app([ServedModel("digits", model, ServiceLimits())]))
    samples = DIGITS.X[400:450]
    times, labels, errors = asyncio.run(
        ask_from_many(address, samples.tolist(), n_clients=200, seconds=1.0)
    )
    assert errors == []
    assert len(times) >= 200
    expected = model.predict(samples).astype(str)
    assert [labels[place] for place in range(len(samples))] == expected.tolist()


def test_what_was_asked_is_answered_before_the_end(model):
    """Ctrl-C sets `should_exit` while a request is being answered."""
    uvicorn = pytest.importorskip("uvicorn")
    served = ServedModel("digits", model, ServiceLimits())
    asked, go_on, answer = threading.Event(), threading.Event(), served.batcher._answer

    def slow(samples):
        asked.set()
        assert go_on.wait(60)
        return answer(samples)

    served.batcher._answer = slow
    config = uvicorn.Config(make_app([served]), port=0, log_level="warning")
    server = uvicorn.Server(config)
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(server.run)
        while not server.started:
            assert not running.done()
        port = server.servers[0].sockets[0].getsockname()[1]
        question = {"samples": DIGITS.X[500:501].tolist()}
        address = f"http://127.0.0.1:{port}/api/predict"
        said = pool.submit(httpx.post, address, json=question, timeout=60)
        assert asked.wait(60)
        server.should_exit = True
        go_on.set()
        label = said.result(60).json()["predictions"][0]["label"]
        running.result(60)
    assert label == str(model.predict(DIGITS.X[500:501])[0])
