"""CONTRIBUTING's recipe for a kernel, tried: what it says is all that it takes."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from mercer import KernelKNN, KernelPerceptron, KernelSVC, load, save
from mercer.exceptions import ModelFileError, ParameterError
from mercer.kernels import (
    Base,
    Gaussian,
    Gram,
    GramPart,
    Kernel,
    make_kernel,
    uses_gamma,
)
from mercer.model_selection import GramSearchCV
from naive import gram
from processes import run_program


@dataclass(frozen=True)
class RationalQuadratic(Kernel, name="rational", gamma="gamma"):
    """k(x, y) = 1 / (1 + γ‖x − y‖²)."""

    gamma: float = 1.0
    bases = frozenset({Base.SQUARED_DISTANCE})

    def __post_init__(self):
        if not self.gamma > 0:
            raise ParameterError("gamma must be above 0.")

    def combine(self, tiles):
        tile = tiles[Base.SQUARED_DISTANCE]
        return 1 / (1 + self.gamma * tile)


@dataclass(frozen=True)
class Powered(Kernel):
    """Another kernel to the power of some numbers, added up."""

    inner: Kernel
    powers: tuple[int, ...] = (1, 2)

    @property
    def bases(self):
        return self.inner.bases

    def combine(self, tiles):
        values = self.inner.combine(tiles)
        return sum(values**power for power in self.powers)


def naive_rational(x, y):
    return 1 / (1 + 0.3 * sum((a - b) ** 2 for a, b in zip(x, y)))


@pytest.fixture(params=[np.asarray, sparse.csr_array], ids=["dense", "csr"])
def samples(request):
    random = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.where(random.random((60, 5)) < 0.3, 0, random.normal(size=(60, 5)))
    return request.param(X + 2 * np.eye(5)[y] * (X != 0)), y


KERNELS = [RationalQuadratic(0.3), Powered(RationalQuadratic(0.3)) + Gaussian(0.1)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=["one", "composite"])


def test_it_has_the_values_of_its_formula(samples):
    X, _ = samples
    dense = X.toarray() if sparse.issparse(X) else X
    expected = gram(naive_rational, dense, dense)
    kernel = RationalQuadratic(0.3)
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-11)
    over_budget = Gram(kernel, X, budget=1000)
    block = over_budget.block(np.arange(7), slice(0, 60))
    np.testing.assert_allclose(block, expected[:7], rtol=1e-11)


@every_kernel
@pytest.mark.parametrize(
    "learner",
    [KernelSVC(), KernelKNN(), KernelPerceptron(shuffle=False)],
    ids=lambda learner: type(learner).__name__,
)
def test_estimators_learn_with_it_and_are_saved(learner, kernel, samples, tmp_path):
    X, y = samples
    model = clone(learner).set_params(kernel=kernel).fit(X, y)
    twin = clone(learner).set_params(kernel="precomputed").fit(kernel(X), y)
    assert (model.predict(X) == twin.predict(kernel(X))).all()
    save(model, tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer")
    assert again.kernel == kernel
    assert (again.predict(X) == model.predict(X)).all()


@every_kernel
def test_a_search_shares_its_gram(kernel, samples, tmp_path):
    X, y = samples
    train, test = np.arange(20, 60), np.arange(20)
    grid = {"kernel": [kernel, "linear"], "C": [0.1, 10.0]}
    search = GramSearchCV(KernelSVC(), grid, cv=[(train, test)]).fit(X, y)
    for params, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"]
    ):
        alone = KernelSVC(**params).fit(X[train], y[train])
        assert score == alone.score(X[test], y[test])
    save(search.best_estimator_, tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer")
    assert (again.predict(X) == search.predict(X)).all()


def test_its_name_takes_the_parameters_of_estimators(samples):
    X, y = samples
    assert make_kernel("rational", gamma=0.5) == RationalQuadratic(0.5)
    assert uses_gamma("rational")
    search = GramSearchCV(KernelSVC("scale"), {"kernel": ["rational"], "C": [1.0]})
    scaled = search.fit(X, y).best_estimator_.kernel_.gamma
    assert scaled == pytest.approx(make_kernel("rbf", X=X).gamma)


def test_a_name_belongs_to_one_kernel():
    with pytest.raises(ParameterError, match=r"'rbf' is the name of .*Gaussian"):

        class Mine(Gaussian, name="rbf"):
            pass


def saved_with(kernel, path):
    X = np.random.default_rng(0).normal(size=(20, 3))
    save(KernelKNN(kernel=kernel).fit(X, np.arange(20) % 2), path)


class NoDataclass(Kernel):
    bases = frozenset({Base.DOT})

    def combine(self, tiles):
        return tiles[Base.DOT]


@dataclass(frozen=True)
class OwnState(NoDataclass):
    def __setstate__(self, state):
        raise AssertionError("executed")


@dataclass(frozen=True)
class Named(NoDataclass):
    file: str = "/etc/passwd"


def test_save_says_what_a_kernel_lacks(tmp_path):
    @dataclass(frozen=True)
    class Local(NoDataclass):
        pass

    path = tmp_path / "model.mercer"
    for kernel, reason in (
        (NoDataclass(), "NoDataclass .*: it is not a dataclass"),
        (Local(), "Local .*: it is not defined at the top of a module"),
        (OwnState(), "OwnState .*: it has a method __setstate__ of its own"),
        (Named(), "file of the kernel Named in it is a builtins.str; files hold"),
    ):
        with pytest.raises(ModelFileError, match=f"cannot be saved: .*{reason}"):
            saved_with(kernel, path)
        assert not path.exists()


def test_a_file_does_not_make_a_program_import_its_kernel(tmp_path):
    """In a process of its own: refused, and read once the program imports it."""
    own = inspect.getsource(RationalQuadratic)
    header = "from dataclasses import dataclass\nfrom mercer.kernels import *\n"
    (tmp_path / "kernels_of_mine.py").write_text(header + own)
    code = (
        "import sys, numpy as np\n"
        "from mercer import KernelKNN, save, load\n"
        "from mercer.exceptions import ModelFileError\n"
        "if sys.argv[1] == 'save':\n"
        "    from kernels_of_mine import RationalQuadratic\n"
        "    X = np.arange(12.0).reshape(6, 2)\n"
        "    model = KernelKNN(kernel=RationalQuadratic(0.5)).fit(X, [0, 1] * 3)\n"
        "    save(model, 'model.mercer')\n"
        "else:\n"
        "    try: load('model.mercer')\n"
        "    except ModelFileError as error: print(error)\n"
        "    print('kernels_of_mine' in sys.modules)\n"
        "    import kernels_of_mine\n"
        "    print(load('model.mercer').kernel_)\n"
    )
    (tmp_path / "program.py").write_text(code)
    for way in ("save", "load"):
        result = run_program("program.py", way, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    sentence, imported, kernel = result.stdout.splitlines()
    assert "kernels_of_mine.RationalQuadratic" in sentence
    assert "nor a kernel that this program has imported" in sentence
    assert (imported, kernel) == ("False", "RationalQuadratic(gamma=0.5)")


def test_impossible_parameters_in_a_file_are_refused(tmp_path):
    path = tmp_path / "model.mercer"
    kernel = RationalQuadratic(0.3)
    object.__setattr__(kernel, "gamma", -1.0)
    with pytest.raises(ModelFileError, match=r"not possible: gamma must be above 0"):
        saved_with(Powered(kernel, (1,)), path)


def test_a_kernel_that_is_nearly_a_gaussian():
    """What is inherited must not stand in for what is written anew."""

    @dataclass(frozen=True)
    class Halved(Gaussian):
        def combine(self, tiles):
            return super().combine(tiles) / 2

    X = np.random.default_rng(0).normal(size=(30, 40)).astype(np.float32)
    kernel, usual = Halved(0.01), Gaussian(0.01)
    np.testing.assert_array_equal(kernel(X), usual(X) / 2)
    np.testing.assert_array_equal(kernel(X, X[:5]), usual(X, X[:5]) / 2)
    rows, everything = np.arange(3), slice(0, 30)
    part, other = GramPart.prepare(kernel, X), GramPart.prepare(usual, X)
    found = part.block(rows, everything)
    np.testing.assert_array_equal(found, other.block(rows, everything) / 2)
