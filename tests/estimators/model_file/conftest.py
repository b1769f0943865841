import pytest

from estimators.model_file.samples_and_answers import make_data
from mercer import KernelKNN, KernelPerceptron, save
from mercer.kernels import Gaussian, Linear


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.mercer"


@pytest.fixture(scope="module")
def model():
    X, y = make_data()
    return KernelPerceptron(kernel=Gaussian(0.2), random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def good(model, tmp_path_factory):
    """The bytes of a good file."""
    path = tmp_path_factory.mktemp("good") / "model.mercer"
    save(model, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def sparse_good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "model.mercer"
    X, y = make_data(sparse_=True)
    save(KernelKNN(kernel=Linear() + Gaussian(0.1)).fit(X, y), path)
    return path.read_bytes()


@pytest.fixture
def trace(tmp_path):
    trace = tmp_path / "trace"
    yield trace
    assert not trace.exists(), "code from the file was executed"
