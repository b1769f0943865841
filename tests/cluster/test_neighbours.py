"""Neighbours in partitions are the neighbours in one piece."""

import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, load_dataset
from mercer.cluster import DaskKernelKNN
from mercer.exceptions import DataError, ParameterError


@pytest.fixture(scope="module")
def digits():
    data = load_dataset("digits")
    # rows that are there twice are equally near
    X = np.concatenate([data.X[:400], data.X[100:200]])
    return X, np.concatenate([data.y[:400], data.y[100:200]]), data.X[400:500]


@pytest.mark.parametrize("kernel", ["cosine", "rbf", "poly"])
def test_neighbours_are_the_local_ones(client, as_dask, digits, kernel):
    X, y, new = digits
    dX, dy = as_dask((3, 0, 297, 200), X, y)
    local = KernelKNN(n_neighbors=5, kernel=kernel).fit(X, y)
    model = DaskKernelKNN(n_neighbors=5, kernel=kernel).fit(dX, dy)
    (queries,) = as_dask((60, 40), new)
    distances, numbers = model.kneighbors(queries)
    assert isinstance(numbers, da.Array)
    near, at = local.kneighbors(new)
    np.testing.assert_array_equal(numbers.compute(), at)
    np.testing.assert_allclose(distances.compute(), near, atol=1e-6)
    np.testing.assert_array_equal(model.predict(queries).compute(), local.predict(new))
    shares = model.predict_proba(queries).compute()
    np.testing.assert_array_equal(shares, local.predict_proba(new))
    np.testing.assert_array_equal(model.to_local().predict(new), local.predict(new))
    assert model.score(dX, dy) == local.score(X, y)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_of_equal_samples_the_first_is_ahead_wherever_they_are(client, layout):
    """Products round by where a row stands, and rows stand elsewhere in partitions."""
    rng = np.random.default_rng(1)
    few = rng.normal(size=(40, 33)).astype(np.float32)
    X, y = layout(few[rng.integers(40, size=400)]), rng.integers(0, 3, 400)
    new = layout(rng.normal(size=(60, 33)).astype(np.float32))
    parameters = {"n_neighbors": 25, "kernel": "poly", "gamma": 0.3, "coef0": 0.7}
    local = KernelKNN(**parameters).fit(X, y)
    cuts = [(0, 3), (3, 10), (10, 31), (31, 90), (90, 400)]
    blocks = [da.from_array(X[a:b], chunks=(b - a, 33), asarray=False) for a, b in cuts]
    dX = da.concatenate(blocks)
    dy = da.from_array(y, chunks=(dX.chunks[0],))
    model = DaskKernelKNN(**parameters).fit(dX, dy)
    queries = da.from_array(new, chunks=(60, 33), asarray=False)
    numbers = model.kneighbors(queries)[1].compute()
    np.testing.assert_array_equal(numbers, local.kneighbors(new)[1])


def test_what_cannot_be(client, as_dask, digits):
    X, y, _ = digits
    dX, dy = as_dask((250, 250), X, y)
    with pytest.raises(ParameterError, match="only 500 training samples"):
        DaskKernelKNN(n_neighbors=501).fit(dX, dy).predict(dX)
    with pytest.raises(ParameterError, match="does not offer kernel='precomputed'"):
        DaskKernelKNN(kernel="precomputed").fit(dX, dy)
    with pytest.raises(DataError, match="ask to_local"):
        DaskKernelKNN().fit(dX, dy).predict(X)


@pytest.mark.parametrize(
    "learner", [KernelPerceptron(), KernelPegasos(lam=1e-3, random_state=0)]
)
def test_online_learners_take_one_partition_after_the_other(
    client, as_dask, digits, learner
):
    """The loop of docs/scaling.md."""
    X, y, new = digits
    dX, dy = as_dask((200, 300), X, y)
    blocks = zip(dX.to_delayed().ravel(), dy.to_delayed())
    for X_block, y_block in blocks:
        X_part, y_part = client.gather(client.compute([X_block, y_block]))
        learner.partial_fit(X_part, y_part, classes=range(10))
    again = type(learner)(**learner.get_params())
    for rows in (slice(0, 200), slice(200, 500)):
        again.partial_fit(X[rows], y[rows], classes=range(10))
    np.testing.assert_array_equal(learner.predict(new), again.predict(new))
