"""The SVM on real worker processes is the local one."""

import gc
import os
import signal
import threading
import time

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer import KernelSVC, _dask, load, load_dataset, save
from mercer.cluster import DaskKernelSVC, crew
from mercer.exceptions import ClusterError, DataError, ParameterError
from mercer.model_selection import GramSearchCV


@pytest.fixture(scope="module")
def digits():
    data = load_dataset("digits")
    return data.X[:500], data.y[:500]


def assert_same(model, local, X):
    ours, theirs = model.certificate_, local.certificate_
    assert ours.converged
    assert [c.status for c in ours.problems] == [c.status for c in theirs.problems]
    # the optimum of each problem lies between dual and primal of either
    for one, two in zip(ours.problems, theirs.problems):
        slack = 1e-6 * abs(one.primal)
        assert one.dual <= two.primal + slack
        assert two.dual <= one.primal + slack
        assert one.dual == pytest.approx(two.dual, abs=max(one.gap, two.gap))
        assert one.gap <= one.primal - one.dual + one.rounding + slack
    np.testing.assert_array_equal(model.classes_, local.classes_)
    mine = model.to_local()
    assert type(mine) is KernelSVC
    assert (mine.predict(X) == local.predict(X)).mean() > 0.99
    np.testing.assert_allclose(mine.binary_scores(X), local.binary_scores(X), atol=0.05)
    # what is said of the support vectors belongs together
    np.testing.assert_allclose(mine.support_vectors_, X[mine.support_])
    assert mine.n_support_.sum() == len(mine.support_)
    assert mine.dual_coef_.shape == (local.dual_coef_.shape[0], len(mine.support_))


@pytest.mark.parametrize(
    "parameters",
    [
        {"C": 10},
        {"multiclass": "ovr", "bias": "regularized", "bias_scale": 2.0},
        {"kernel": "poly", "degree": 2, "bias": "none", "class_weight": "balanced"},
        {"kernel": "linear", "C": {k: 0.01 * (k + 1) for k in range(10)}},
    ],
)
def test_the_answer_is_the_local_one(client, as_dask, digits, parameters):
    X, y = digits
    dX, dy = as_dask((200, 0, 1, 299), X, y)
    local = KernelSVC(**parameters).fit(X, y)
    assert_same(DaskKernelSVC(**parameters).fit(dX, dy), local, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_partitions_may_lack_classes(client, as_dask, digits, dtype):
    X, y = digits
    order = np.argsort(y, kind="stable")
    X, y = X[order].astype(dtype), y[order]
    weights = np.linspace(0.5, 2, len(y))
    local = KernelSVC(C=2).fit(X, y, weights)
    model = DaskKernelSVC(C=2).fit(*as_dask((100, 250, 150), X, y, weights))
    assert_same(model, local, X)
    assert model.to_local().support_vectors_.dtype == dtype


def test_two_classes_with_names(client, as_dask, digits):
    X, y = digits
    names = np.where(y > 4, "many", "few")
    local = KernelSVC(C=5).fit(X, names)
    dX, dy = as_dask((250, 250), X, names)
    model = DaskKernelSVC(C=5).fit(dX, dy)
    assert_same(model, local, X)
    scores, predicted = model.decision_function(dX), model.predict(dX)
    assert isinstance(scores, da.Array)
    assert scores.shape == predicted.shape == (500,)
    local_scores = model.to_local().decision_function(X)
    np.testing.assert_allclose(scores.compute(), local_scores, atol=1e-9)
    assert set(predicted.compute()) == {"many", "few"}
    assert model.score(dX, dy) == model.to_local().score(X, names)


def test_sparse_blocks(client, digits):
    X, y = digits
    X = X.astype(np.float32)
    local = KernelSVC(kernel="linear", C=0.1).fit(sparse.csr_array(X), y)
    dX = da.from_array(X, chunks=(300, -1)).map_blocks(sparse.csr_array)
    dy = da.from_array(y, chunks=300)
    model = DaskKernelSVC(kernel="linear", C=0.1).fit(dX, dy)
    assert sparse.issparse(model.support_vectors_)
    model.support_vectors_ = model.support_vectors_.toarray()
    local.support_vectors_ = local.support_vectors_.toarray()
    assert_same(model, local, X)


def test_dataframes(client, digits):
    X, y = digits
    frame = pd.DataFrame(X, columns=[f"pixel{k}" for k in range(X.shape[1])])
    labels = pd.Series([f"digit {label}" for label in y])
    weights = pd.Series(np.linspace(0.5, 2, len(y)))
    local = KernelSVC(C=2).fit(frame, labels)
    dX, dy = (dd.from_pandas(part, npartitions=3) for part in (frame, labels))
    model = DaskKernelSVC(C=2).fit(dX, dy)
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    predicted = model.predict(dX).compute()
    pd.testing.assert_index_equal(predicted.index, frame.index)
    assert (predicted.to_numpy() == local.predict(frame)).mean() > 0.99
    assert model.decision_function(dX).compute().shape == (500, 10)
    dw = dd.from_pandas(weights, npartitions=3)
    expected = model.to_local().score(frame, labels[::-1], weights)
    backwards = dd.from_pandas(pd.Series(labels[::-1].to_numpy()), npartitions=3)
    assert model.score(dX, backwards, dw) == pytest.approx(expected)
    assert model.score(dX.to_dask_array(lengths=True), dy) == pytest.approx(
        model.to_local().score(frame, labels)
    )


def test_a_saved_model_is_a_local_one(client, as_dask, digits, tmp_path):
    X, y = digits
    model = DaskKernelSVC(C=2).fit(*as_dask((250, 250), X, y))
    save(model.to_local(), tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer")
    assert type(again) is KernelSVC
    np.testing.assert_array_equal(again.predict(X), model.to_local().predict(X))


def test_a_client_that_is_not_the_default_one(cluster, as_dask, digits):
    X, y = digits
    with (
        Client(cluster, set_as_default=False) as own,
        Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as other,
    ):
        model = DaskKernelSVC(client=own, C=2).fit(*as_dask((250, 250), X, y))
        assert clone(model).client_ is own
        assert DaskKernelSVC().client_ is other
        assert not [key for key in other.who_has() if "mercer" in str(key)]
    assert_same(model, KernelSVC(C=2).fit(X, y), X)


def test_two_fits_at_once_and_a_worker_without_data(client, as_dask, digits):
    X, y = digits
    dX, dy = as_dask((500,), X, y)  # one of the two workers has nothing
    models = {}

    def fit(C):
        models[C] = DaskKernelSVC(client=client, C=C).fit(dX, dy)

    threads = [threading.Thread(target=fit, args=(C,)) for C in (1, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for C in (1, 20):
        assert_same(models[C], KernelSVC(C=C).fit(X, y), X)


@pytest.fixture
def no_garbage_collection():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_memory_is_given_back_at_once(
    client, as_dask, digits, monkeypatch, no_garbage_collection
):
    monkeypatch.setattr(_dask, "POLL", 1e-2)  # so that some are waited for in vain
    X, y = digits
    dX, dy = as_dask((250, 250), X, y)
    model = DaskKernelSVC(C=2).fit(dX, dy)
    model.predict(dX).compute()
    GramSearchCV(KernelSVC(), {"C": [1, 10]}, cv=2, client=client).fit(X, y)
    deadline = time.monotonic() + 60
    while keys := [key for key in client.who_has() if "mercer" in str(key)]:
        assert time.monotonic() < deadline, keys
        time.sleep(0.1)


def test_answers_that_are_waited_for_in_vain_spoil_nothing(
    client, as_dask, digits, monkeypatch
):
    """A transfer that Dask cancels too early makes all later ones fail."""
    for module in (_dask, crew):
        monkeypatch.setattr(module, "POLL", 1e-3)  # shorter than any answer takes
    dX, dy = as_dask((125,) * 4, *digits)
    for _ in range(2):
        assert DaskKernelSVC(C=2).fit(dX, dy).certificate_.converged


def test_time_is_up(client, as_dask, digits):
    X, y = digits
    dX, dy = as_dask((250, 250), X, y)
    with pytest.warns(ConvergenceWarning, match=r"ended before .* \(time\)"):
        model = DaskKernelSVC(C=10, max_seconds=1e-3).fit(dX, dy)
    optimum = KernelSVC(C=10, tol=1e-6).fit(X, y).certificate_
    told = model.certificate_
    assert not told.converged
    assert told.primal - optimum.dual <= told.gap * (1 + 1e-6)
    assert model.predict(dX).compute().shape == (500,)


def test_ctrl_c_keeps_the_best_model(client, as_dask, digits):
    X, y = digits

    class Interrupt(DaskKernelSVC):
        def _solve_on(self, data, dtype, C, limits):
            own, kill = os.getpid(), signal.SIGINT
            threading.Timer(0.1, os.kill, (own, kill)).start()
            return super()._solve_on(data, dtype, C, limits)

    model = Interrupt(C=10, tol=1e-12)
    with pytest.raises(KeyboardInterrupt, match="keeps the best model so far"):
        model.fit(*as_dask((250, 250), X, y))
    assert model.certificate_.total.status == "stopped"
    assert np.isfinite(model.certificate_.gap)


def test_float32_that_cannot_carry_the_answer_becomes_float64(client, as_dask):
    rng = np.random.default_rng(0)
    X = (1000 + rng.normal(size=(200, 3))).astype(np.float32)
    y = (X[:, 0] + 0.3 * rng.normal(size=200) > 1000).astype(int)
    parameters = {"kernel": "linear", "C": 100.0, "tol": 1e-3}
    local = KernelSVC(**parameters).fit(X, y)
    model = DaskKernelSVC(**parameters).fit(*as_dask((120, 80), X, y))
    assert local.support_vectors_.dtype == np.float64
    assert model.support_vectors_.dtype == np.float64
    assert model.certificate_.dual == pytest.approx(local.certificate_.dual, rel=1e-3)


def test_progress_is_told(client, as_dask, digits, caplog):
    X, y = digits
    with caplog.at_level("INFO", logger="mercer"):
        model = DaskKernelSVC(C=2, verbose=1).fit(*as_dask((250, 250), X, y))
    lines = [record.getMessage() for record in caplog.records]
    told = [line for line in lines if line.startswith("round ")]
    assert len(told) == model.effort_.rounds + 1
    assert "violation" in told[1]
    assert told[-1].endswith("moved")
    assert model.effort_.bytes_moved > X[:1].nbytes * len(model.support_)


def test_what_is_not_offered_is_said(client, as_dask, digits):
    X, y = digits
    dX, dy = as_dask((250, 250), X, y)
    with pytest.raises(DataError, match="X is a ndarray, not a Dask collection"):
        DaskKernelSVC().fit(X, dy)
    with pytest.raises(ParameterError, match="does not offer kernel='precomputed'"):
        DaskKernelSVC(kernel="precomputed").fit(dX, dy)
    with pytest.raises(ParameterError, match="does not offer solver='lbfgs'"):
        DaskKernelSVC(solver="lbfgs").fit(dX, dy)
    with pytest.raises(DataError, match="X has 500 rows and y has 100"):
        DaskKernelSVC().fit(dX, dy[:100])
    with pytest.raises(DataError, match="one class only"):
        DaskKernelSVC().fit(dX, da.zeros(500, chunks=250))
    holes = np.where(np.arange(500)[:, None] == 400, np.nan, X)
    with pytest.raises(DataError, match=r"Partition 1: .*NaN"):
        DaskKernelSVC().fit(*as_dask((250, 250), holes, y))
    with pytest.raises(DataError, match="ask to_local"):
        DaskKernelSVC(C=2).fit(dX, dy).predict(X)


def test_without_a_client_one_sentence(as_dask, digits):
    with pytest.raises(ClusterError, match="needs a Dask client; make one"):
        DaskKernelSVC().fit(*as_dask((500,), *digits))
