"""The service: answers as the models do, and sentences for what is wrong."""

import asyncio
import io
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.request
import zlib

import httpx
import numpy as np
import pytest
from PIL import Image
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.cli.serve import load_models, serve
from mercer.exceptions import ParameterError
from mercer.explain import support_vectors
from mercer.web.app import make_app
from mercer.web.batching import Batcher
from mercer.web.images import place_digit, read_image
from mercer.web.limits import Refusal, ServiceLimits
from mercer.web.served_model import ServedModel

DIGITS = mercer.load_dataset("digits")
X, Y = DIGITS.X, DIGITS.y
LIMITS = ServiceLimits(body=200_000, samples=50, pixels=10_000)


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


def refused(answer, status, *parts):
    assert answer.status_code == status, answer.text
    for part in parts:
        assert part in answer.json()["detail"]


def png(image):
    content = io.BytesIO()
    Image.fromarray(image).save(content, "PNG")
    return content.getvalue()


def test_health_and_models(ask):
    assert ask("GET", "/health").json()["status"] == "ok"
    svc, knn, flowers = ask("GET", "/api/models").json()
    assert svc["name"], svc["n_features"] == ("svc", 64)
    assert svc["image_shape"] == [8, 8]
    assert knn["n_support_vectors"] is None
    assert (flowers["image_shape"], len(flowers["classes"])) == (None, 3)
    paths = ask("GET", "/openapi.json").json()["paths"]
    assert {"/api/models", "/api/predict", "/api/explain", "/health"} <= set(paths)


@pytest.mark.parametrize("place", [0, 1])
def test_predictions_are_those_of_the_model(ask, models, place):
    served = models[place]
    question = {"model": served.name, "samples": X[400:420].tolist()}
    said = ask("POST", "/api/predict", json=question).json()
    labels = [one["label"] for one in said["predictions"]]
    assert labels == served.model.predict(X[400:420]).astype(str).tolist()
    if place == 0:
        scores = [list(one["scores"].values()) for one in said["predictions"]]
        np.testing.assert_allclose(scores, served.model.decision_function(X[400:420]))


def test_explanations_are_those_of_the_library(ask, models):
    said = ask("POST", "/api/explain", json={"sample": X[500].tolist()}).json()
    why = support_vectors(models[0].model, X[500:501])
    strongest, against = why.strongest(0, said["label"])
    assert [one["share"] for one in said["for"]] == [one.share for one in strongest]
    assert [one["share"] for one in said["against"]] == [one.share for one in against]
    assert said["for"][0]["vector"] == X[strongest[0].sample].tolist()
    assert sum(said["votes"].values()) == 45
    assert len(said["shapley"]) == 64
    flower = {"model": "flowers", "sample": [5.0, 3.0, 1.5, 0.2], "label": "1"}
    said = ask("POST", "/api/explain", json=flower).json()
    assert said["shapley"] is None
    assert "No exact way" in said["note"]


def test_neighbours_are_explained_by_neighbours(ask, models):
    model = models[1].model
    question = {"model": "knn", "sample": X[500].tolist()}
    said = ask("POST", "/api/explain", json=question).json()
    distances, indices = model.kneighbors(X[500:501])
    told = sorted([*said["for"], *said["against"]], key=lambda one: one["distance"])
    assert [one["sample"] for one in told] == indices[0].tolist()
    assert [one["distance"] for one in told] == distances[0].tolist()
    assert [one["label"] for one in told] == Y[indices[0]].astype(str).tolist()
    assert sum(said["votes"].values()) == 3
    assert said["votes"][said["label"]] == len(said["for"])


def test_shares_and_totals_add_up(ask):
    said = ask("POST", "/api/explain", json={"sample": X[500].tolist()}).json()
    assert sum(said["totals"].values()) == pytest.approx(said["scores"][said["class"]])


def test_samples_to_start_from(ask, models):
    for model in models:
        said = ask("GET", "/api/samples", params={"model": model.name}).json()
        assert said["model"] == model.name
        assert len(said["samples"]) == 20
        assert len(said["samples"][0]) == model.n_features
    refused(ask("GET", "/api/samples", params={"model": "x"}), 404, "no model 'x'")


def test_requests_at_once_are_one_product(models, monkeypatch):
    served, sizes = ServedModel("svc", models[0].model, LIMITS), []
    product = type(served.model)._binary_scores

    def counted(machine, samples):
        sizes.append(len(samples))
        return product(machine, samples)

    monkeypatch.setattr(type(served.model), "_binary_scores", counted)
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


def test_uploaded_images_are_placed_and_recognised():
    data = mercer.load_dataset("mnist5k")
    pixels = data.X / data.X.max()
    model = mercer.KernelSVC(C=10, gamma=0.02).fit(pixels[::3], data.y[::3])
    new = np.arange(1, len(data.y), 165)
    known = model.predict(pixels[new])
    served, right = ServedModel("mnist5k", model, ServiceLimits()), 0
    for row, label in zip(new, known):
        large = np.kron(255 - pixels[row].reshape(28, 28) * 255, np.ones((5, 5)))
        framed = np.pad(large, ((5, 60), (42, 3)), constant_values=255)
        ink = read_image(png(framed.astype(np.uint8)), ServiceLimits())
        right += model.predict(served.place(ink))[0] == label
    assert right >= 0.9 * len(new)
    assert served.box == 20


def test_drawings_are_placed_as_the_samples_of_the_model_are():
    """Digits that fill the image, on paper that is -1, behind scalers."""
    data = 2 * X / 16 - 1
    scaled = make_pipeline(StandardScaler(), mercer.KernelSVC(C=10))
    for model in (mercer.KernelSVC(C=10), scaled):
        served = ServedModel("m", model.fit(data[:1200], Y[:1200]), ServiceLimits())
        assert (served.box, served.low, served.high) == pytest.approx((8, -1, 1))
        ink = np.kron((data[1200:1300].reshape(-1, 8, 8) + 1) / 2, np.ones((30, 30)))
        placed = np.concatenate([served.place(one) for one in ink])
        assert (model.predict(placed) == Y[1200:1300]).mean() > 0.85
        why = served.explain(placed[:1], None, 3)
        assert np.abs(np.array(why["for"][0]["vector"]) * 8).round(6).max() <= 8
        assert len(why["shapley"]) == 64


def test_an_upload_is_answered_with_what_the_model_sees(ask):
    large = np.kron(255 - X[400].reshape(8, 8) * 15, np.ones((6, 6))).astype(np.uint8)
    said = ask("POST", "/api/predict/image", files={"file": png(large)}).json()
    assert len(said["image"]) == 64
    assert max(said["image"]) > 8
    seen = {"samples": [said["image"]]}
    again = ask("POST", "/api/predict", json=seen).json()
    assert said["predictions"][0]["label"] == again["predictions"][0]["label"]


def test_digits_are_centred_by_mass():
    ink = np.zeros((50, 50))
    ink[5:45, 5:10], ink[5:10, 5:45] = 1, 1
    placed = place_digit(ink, (28, 28))
    centres = [
        placed.sum(axis=1 - a) @ (np.arange(28) + 0.5) / placed.sum() for a in (0, 1)
    ]
    assert np.abs(np.array(centres) - 14).max() <= 0.5
    assert not place_digit(np.zeros((9, 9)), (28, 28)).any()


def test_what_is_wrong_is_a_sentence(ask):
    short = {"samples": [[1.0] * 63]}
    refused(ask("POST", "/api/predict", json=short), 422, "Sample 0 has 63 features")
    many = {"samples": [[0.0] * 64] * 51}
    refused(ask("POST", "/api/predict", json=many), 422, "51 samples", "50 at most")
    other = {"model": "x", "samples": [[0.0] * 64]}
    refused(ask("POST", "/api/predict", json=other), 404, "no model 'x'", "svc, knn")
    wrong = {"sample": X[0].tolist(), "label": "rose"}
    refused(ask("POST", "/api/explain", json=wrong), 422, "no class 'rose'")
    none = {"model": "knn", "sample": X[0].tolist(), "label": "rose"}
    refused(ask("POST", "/api/explain", json=none), 422, "no class 'rose'")
    for content in (
        "{",
        '{"samples": [[NaN]]}',
        '{"samples": []}',
        '{"samples": [["a"]]}',
    ):
        refused(ask("POST", "/api/predict", content=content), 422, "body")
    long = b" " * 200_001
    refused(ask("POST", "/api/predict", content=long), 413, "longer than 200000")

    async def unannounced():
        for _ in range(5):
            yield b" " * 60_000

    refused(ask("POST", "/api/predict", content=unannounced()), 413, "longer")


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "cosine"])
def test_features_of_any_size_are_answered_or_refused(kernel):
    iris = mercer.load_dataset("iris")
    model = mercer.KernelSVC(kernel=kernel).fit(iris.X, iris.y)
    app = make_app([ServedModel("m", model, LIMITS)], LIMITS)

    async def both(sample):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://m") as c:
            many = {"samples": [sample, sample]}
            return [
                await c.post("/api/predict", json=many),
                await c.post("/api/explain", json={"sample": sample}),
            ]

    for size in (1.797e308, 1e160, 1e-320):
        for answer in asyncio.run(both([-1.0, size, size, 1.0])):
            if answer.status_code != 200:
                refused(answer, 422)
                assert re.search("no finite|overflows", answer.json()["detail"])


def test_images_that_are_refused(ask):
    def upload(content, **form):
        return ask("POST", "/api/predict/image", files={"file": content}, data=form)

    refused(upload(b"no image"), 422, "no image that can be read")
    bomb = png(np.zeros((101, 100), np.uint8))
    refused(upload(bomb), 413, "100 x 101 pixels", "10000")
    noise = np.random.default_rng(0).integers(0, 255, (60, 60), np.uint8)
    refused(upload(png(noise)[:900]), 422, "no image that can be read")
    small = png(np.zeros((9, 9), np.uint8))
    refused(upload(small, model="flowers"), 422, "does not take images")
    assert upload(small).status_code == 200


@pytest.mark.parametrize(("side", "status"), [(10_000, 413), (20_000, 422)])
def test_bombs_are_not_unpacked(side, status):
    """A header that promises 100 or 400 megapixels."""
    small = png(np.zeros((9, 9), np.uint8))
    header = b"IHDR" + struct.pack(">II", side, side) + small[24:29]
    forged = small[:12] + header + struct.pack(">I", zlib.crc32(header)) + small[33:]
    with pytest.raises(Refusal) as refusal:
        read_image(forged, ServiceLimits())
    assert refusal.value.status == status


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


def test_a_process_serves_and_ends_at_ctrl_c(tmp_path):
    path = tmp_path / "digits.mercer"
    mercer.save(mercer.KernelSVC().fit(X[:200], Y[:200]), path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mercer.cli", "serve", path, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=dict(os.environ))
    try:
        base, question = f"http://127.0.0.1:{port}", {"samples": X[:3].tolist()}
        for _ in range(600):
            try:
                health = urllib.request.urlopen(f"{base}/health", timeout=5)
                break
            except OSError:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.1)
        assert json.load(health)["models"] == 1
        said = httpx.post(f"{base}/api/predict", json=question, timeout=60).json()
        assert len(said["predictions"]) == 3
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, -signal.SIGINT, 130)
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.stderr.close()


def test_a_port_that_is_taken_is_a_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match=f"port {port} .*--port") as told:
            serve([], port=port)
    assert "Address already in use" in str(told.value)


def test_without_a_model_three_kinds_are_fitted():
    models = load_models([])
    assert [type(one.model).__name__ for one in models] == [
        *("KernelSVC", "KernelPerceptron", "KernelKNN"),
    ]
    for one in models:
        assert (one.image_shape, one.box, len(one.samples)) == ((28, 28), 20, 100)
    labels = np.repeat(np.arange(10), 10)
    wrong = [(one.model.predict(one.samples) != labels).mean() for one in models]
    assert max(wrong) < 0.12
