"""The service's paths: what is asked, and how it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Form, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from mercer._version import __version__
from mercer.exceptions import MercerError
from mercer.preparation import describe_new_words
from mercer.web.images import read_image
from mercer.web.limits import BodyLimit, Refusal, ServiceLimits
from mercer.web.pages import add_pages
from mercer.web.rows import RequestRow
from mercer.web.served_model import ServedModel


class Said(BaseModel):
    """What is wrong, in one sentence."""

    detail: str


_ANSWERS: dict[int | str, dict[str, Any]] = {
    status: {"model": Said} for status in (400, 404, 413, 422, 503)
}


_ROW = "Values in the order of the features, or by the names of these."


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")
    model: str | None = Field(None, description="A name; else the first model.")


class PredictQuestion(_Question):
    """Samples to classify."""

    samples: Annotated[list[RequestRow], Field(min_length=1, description=_ROW)]


class ExplainQuestion(_Question):
    """A sample to explain."""

    sample: RequestRow = Field(description=_ROW)
    label: str | None = Field(None, description="The class; else the decision.")
    top: Annotated[int, Field(ge=1, le=50)] = 5


class Prediction(BaseModel):
    """The decision about one sample."""

    label: str
    scores: dict[str, float]


class Predictions(BaseModel):
    """Decisions, in the order of the samples."""

    model: str
    predictions: list[Prediction]
    image: list[float] | None = Field(None, description="As the model sees it.")
    note: str | None = Field(None, description="What is odd about the samples.")


class SampleList(BaseModel):
    """Samples to start from."""

    model: str
    samples: list[list[float]]


def make_app(
    models: Sequence[ServedModel],
    limits: ServiceLimits | None = None,
    store: Path | None = None,
) -> FastAPI:
    """A service that answers for these models; the first is asked if none is named.

    `store` is the file with the results of studies that the page shows.
    """
    bounds = limits or ServiceLimits()
    app = FastAPI(title="Mercer", version=__version__, docs_url=None, redoc_url=None)
    app.add_middleware(BodyLimit, most=bounds.body)
    _say_what_is_wrong(app)
    by_name = {model.name: model for model in models}
    explaining = asyncio.Semaphore(1)

    def find(name: str | None) -> ServedModel:
        if name is None:
            return models[0]
        if name not in by_name:
            known = ", ".join(by_name)
            raise Refusal(404, f"There is no model {name!r}; there are {known}.")
        return by_name[name]

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the service is up."""
        return {"status": "ok", "version": __version__, "models": len(models)}

    @app.get("/api/models")
    async def list_models() -> list[dict[str, Any]]:
        """The models, and what they take."""
        return [model.describe() for model in models]

    @app.get("/api/samples", responses=_ANSWERS)
    async def list_samples(model: Annotated[str | None, Query()] = None) -> SampleList:
        """Samples to start from."""
        found = find(model)
        return SampleList(model=found.name, samples=found.samples.tolist())

    @app.post("/api/predict", responses=_ANSWERS)
    async def predict(question: PredictQuestion) -> Predictions:
        """Classify one sample or many."""
        model = find(question.model)
        samples = model.check(question.samples)
        said = await model.predict(samples)
        note = describe_new_words(model.model, samples)
        return Predictions.model_validate(
            {"model": model.name, "predictions": said, "note": note}
        )

    @app.post("/api/predict/image", responses=_ANSWERS)
    async def predict_image(
        file: UploadFile, model: Annotated[str | None, Form()] = None
    ) -> Predictions:
        """Classify an uploaded image, placed as its samples are."""
        found = find(model)
        ink = await asyncio.to_thread(read_image, await file.read(), bounds)
        sample = await asyncio.to_thread(found.place, ink)
        said = await found.predict(sample)
        return Predictions.model_validate(
            {"model": found.name, "predictions": said, "image": sample[0].tolist()}
        )

    @app.post("/api/explain", responses=_ANSWERS)
    async def explain(question: ExplainQuestion) -> dict[str, Any]:
        """Say why: support vectors for and against, and Shapley values."""
        model = find(question.model)
        sample = model.check([question.sample])
        async with explaining:  # one at a time: each takes all threads
            work = asyncio.to_thread(
                model.explain, sample, question.label, question.top
            )
            try:
                said = await asyncio.wait_for(work, bounds.seconds)
            except TimeoutError:
                seconds = bounds.seconds
                sentence = f"There was no answer within {seconds:g} s."
                raise Refusal(503, sentence) from None
        return {"model": model.name, **said}

    add_pages(app, store)
    return app


def _say_what_is_wrong(app: FastAPI) -> None:
    """Every refusal is one sentence."""

    @app.exception_handler(Refusal)
    async def refuse(request: Request, refusal: Refusal) -> JSONResponse:
        return JSONResponse({"detail": str(refusal)}, refusal.status)

    @app.exception_handler(MercerError)
    async def say(request: Request, error: MercerError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 422)

    @app.exception_handler(RequestValidationError)
    async def check(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return JSONResponse({"detail": f"{where}: {first['msg']}."}, 422)
