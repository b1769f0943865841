"""Random requests, made from the service's own description, get what it promises."""

import pytest
from hypothesis import HealthCheck, Phase, settings

import mercer
from mercer.web.app import make_app
from mercer.web.limits import Limits
from mercer.web.served_model import ServedModel

schemathesis = pytest.importorskip("schemathesis")
positive_data_acceptance = pytest.importorskip(
    "schemathesis.specs.openapi.checks"
).positive_data_acceptance


def app():
    iris, digits = mercer.load_dataset("iris"), mercer.load_dataset("digits")
    models = {
        "flowers": mercer.KernelSVC().fit(iris.X, iris.y),
        "digits": mercer.KernelKNN(3).fit(digits.X[:300], digits.y[:300]),
    }
    served = [ServedModel(name, model, Limits()) for name, model in models.items()]
    return make_app(served)


schema = schemathesis.openapi.from_asgi("/openapi.json", app())


@schema.parametrize()
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_those_that_are_described(case):
    # how many features a sample has is the model's, and what is an image is no pattern
    case.call_and_validate(excluded_checks=[positive_data_acceptance])
