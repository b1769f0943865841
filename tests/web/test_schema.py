"""Random requests, made from the service's own description, get what it promises."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import mercer
from mercer.web.app import make_app
from mercer.web.limits import ServiceLimits
from mercer.web.served_model import ServedModel

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
OPERATIONS = {
    ("GET", "/health"),
    ("GET", "/api/models"),
    ("GET", "/api/samples"),
    ("POST", "/api/predict"),
    ("POST", "/api/predict/image"),
    ("POST", "/api/explain"),
}


@pytest.fixture(scope="module")
def described():
    iris, digits = mercer.load_dataset("iris"), mercer.load_dataset("digits")
    models = {
        "flowers": mercer.KernelSVC().fit(iris.X, iris.y),
        "digits": mercer.KernelKNN(3).fit(digits.X[:300], digits.y[:300]),
    }
    served = [
        ServedModel(name, model, ServiceLimits()) for name, model in models.items()
    ]
    return schemathesis.openapi.from_asgi("/openapi.json", make_app(served))


def test_every_path_is_tried(described):
    found = (one.ok() for one in described.get_all_operations())
    assert {(one.method.upper(), one.path) for one in found} == OPERATIONS


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=str)
@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
def test_answers_are_those_that_are_described(described, method, path, mode):
    operation = described[path][method]
    if mode.is_negative and path in ("/health", "/api/models"):
        pytest.skip("nothing can be wrong with it")

    @settings(
        max_examples=25,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case):
        # how many features a sample has, and what is an image, is not described
        case.call_and_validate(excluded_checks=[checks.positive_data_acceptance])

    ask()
