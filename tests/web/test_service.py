"""The service: answers as the models do, and sentences for what is wrong."""

import asyncio
import re

import httpx
import numpy as np
import pytest

import mercer
from mercer.explain import support_vectors
from mercer.web.app import make_app
from mercer.web.served_model import ServedModel

from .service import LIMITS, X, Y, refused


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
