import pytest

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")  # Dask's dataframes need it

import dask
import dask.array as da
from distributed import Client, LocalCluster

from mercer import _dask
from processes import get_ready_to_fork


@pytest.fixture(scope="session", autouse=True)
def quick_workers():
    """Workers are forked from a process that has imported everything already."""
    get_ready_to_fork()
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        yield


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes with one thread each."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        memory_limit="2GB",
    ) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine is slow to start workers again."""
    monkeypatch.setattr(_dask, "ALONE", 600.0)


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture
def as_dask():
    """Arrays cut into partitions of these sizes."""

    def cut(sizes, *arrays):
        return [
            da.from_array(array, chunks=(tuple(sizes), *array.shape[1:]))
            for array in arrays
        ]

    return cut
