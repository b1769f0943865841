"""scikit-learn's own tests of SVC, from the installed scikit-learn, against Mercer's.

Their source is read with `svm.SVC` replaced by `mercer.svm.SVC`. Tests, and parameters
of tests, that are about other classes are left out.
"""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest
import sklearn.svm

from mercer.svm import SVC

FOLDER = Path(sklearn.svm.__file__).parent / "tests"
NAME = "SVC_OF_MERCER"
EXPECTED = {
    "test_svm_tweak_params": "sets a private attribute, the copy that LIBSVM reads",
    "test_svm_svc_raises_error_internal_representation": (
        "breaks a private attribute that LIBSVM indexes memory by; there is none"
    ),
    "test_svm_bad_input": (
        "asks for an error for sparse samples after a dense fit, which Mercer takes; "
        "test_scikit_learn_svc has the errors that this test asks for besides"
    ),
    "test_svm_svc_nonfinite_params": (
        "the error comes before anything is computed, and says that the variance "
        "overflows; test_scikit_learn_svc has it"
    ),
    "test_svm_svc_ovr_tie_breaking": (
        "where scores are exactly 0, predict and decision_function of scikit-learn "
        "vote for different classes, which this test takes for ties; Mercer's agree"
    ),
    "test_svm_custom_kernel_not_array_input": (
        "its kernel is right only between a set and itself, as it also writes the "
        "mirror image of each value; Mercer asks for values with support vectors alone"
    ),
    "test_svm_probability_raises_futurewarning": (
        "scikit-learn gives up its probabilities, which contradict predict; Mercer's "
        "agree with it, and stay"
    ),
    "test_svm_svc_nusvc_probA_probB_deprecated": "as probability",
}
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def read_tests(name):
    """The tests of a module that are about SVC, with Mercer's in its place."""
    path = FOLDER / f"{name}.py"
    source = re.sub(r"\bsvm\.SVC\b", NAME, path.read_text(encoding="utf-8"))
    module = ModuleType(name)
    vars(module)[NAME] = SVC
    exec(compile(source, str(path), "exec"), vars(module))
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if NAME in names:
                yield node.name.removeprefix("test_"), getattr(module, node.name)


def is_of_others(argument):
    values = getattr(argument, "values", argument)
    values = values if isinstance(values, tuple | list) else [values]
    kinds = [value if isinstance(value, type) else type(value) for value in values]
    return any(kind.__module__.startswith("sklearn.svm") for kind in kinds)


def about_svc(mark):
    """A parametrization without other classes."""
    if mark.name != "parametrize":
        return mark
    names, arguments = mark.args
    kept = [k for k, argument in enumerate(arguments) if not is_of_others(argument)]
    options = dict(mark.kwargs)
    if isinstance(options.get("ids"), list):
        options["ids"] = [options["ids"][k] for k in kept]
    return pytest.mark.parametrize(names, [arguments[k] for k in kept], **options).mark


@pytest.fixture
def global_random_seed():
    return 42


for _module in ("test_svm", "test_sparse"):
    for _name, _test in read_tests(_module):
        _full = f"{_module}_{_name}"
        _marks = getattr(_test, "pytestmark", [])
        _test.pytestmark = [about_svc(mark) for mark in _marks]
        if _full in EXPECTED:
            _test = pytest.mark.xfail(reason=EXPECTED[_full])(_test)
        globals()[_full] = _test
del _test  # which pytest would take for one more


def test_that_there_are_tests():
    assert (
        sum(name.startswith(("test_svm_", "test_sparse_")) for name in globals()) > 40
    )
