"""The service's paths: what is asked, and how it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Form, Request, UploadFile
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from mercer._version import __version__
from mercer.exceptions import MercerError
from mercer.web.images import place_digit, read_image
from mercer.web.limits import BodyLimit, Limits, Refusal
from mercer.web.served_model import ServedModel

Number = Annotated[float, Field(allow_inf_nan=False)]
Sample = Annotated[list[Number], Field(min_length=1)]
_SAID = {"description": "What is wrong, in one sentence.", "model": dict[str, Any]}
_ANSWERS: dict[int | str, dict[str, Any]] = dict.fromkeys((400, 404, 413, 503), _SAID)


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")
    model: str | None = Field(None, description="A name; else the first model.")


class PredictQuestion(_Question):
    """Samples to classify."""

    samples: Annotated[list[Sample], Field(min_length=1)]


class ExplainQuestion(_Question):
    """A sample to explain."""

    sample: Sample
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


def make_app(models: Sequence[ServedModel], limits: Limits | None = None) -> FastAPI:
    """A service that answers for these models; the first is asked if none is named."""
    bounds = limits or Limits()
    app = FastAPI(title="Mercer", version=__version__, docs_url=None, redoc_url=None)
    app.add_middleware(BodyLimit, most=bounds.body)
    by_name = {model.name: model for model in models}
    explaining = asyncio.Semaphore(1)

    def find(name: str | None) -> ServedModel:
        if name is None:
            return models[0]
        if name not in by_name:
            known = ", ".join(by_name)
            raise Refusal(404, f"There is no model {name!r}; there are {known}.")
        return by_name[name]

    @app.exception_handler(Refusal)
    async def refuse(request: Request, refusal: Refusal) -> JSONResponse:
        return JSONResponse({"detail": str(refusal)}, refusal.status)

    @app.exception_handler(MercerError)
    async def say(request: Request, error: MercerError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 422)

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the service is up."""
        return {"status": "ok", "version": __version__, "models": len(models)}

    @app.get("/api/models")
    async def list_models() -> list[dict[str, Any]]:
        """The models, and what they take."""
        return [model.describe() for model in models]

    @app.post("/api/predict", responses=_ANSWERS)
    async def predict(question: PredictQuestion) -> Predictions:
        """Classify one sample or many."""
        model = find(question.model)
        said = await model.predict(model.check(question.samples))
        return Predictions.model_validate({"model": model.name, "predictions": said})

    @app.post("/api/predict/image", responses=_ANSWERS)
    async def predict_image(
        file: UploadFile, model: Annotated[str | None, Form()] = None
    ) -> Predictions:
        """Classify an uploaded image, placed as the digits of MNIST are."""
        found = find(model)
        if found.image_shape is None:
            raise Refusal(422, f"{found.name} does not take images.")
        ink = await asyncio.to_thread(read_image, await file.read(), bounds)
        placed = await asyncio.to_thread(place_digit, ink, found.image_shape)
        sample = placed.reshape(1, -1) * found.scale
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

    return app
