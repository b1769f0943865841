"""
Learn on a cluster of one's own
===============================

Start a scheduler and workers, on as many machines as there are, each with Mercer::

    dask scheduler --host 192.168.1.10
    dask worker tcp://192.168.1.10:8786 --nworkers 4 --nthreads 1 --memory-limit 8GB

and then this, with the scheduler's address (without one, two workers start here)::

    python examples/own_cluster.py tcp://192.168.1.10:8786

Who can reach a scheduler can run code on its workers: docs/scaling.md says how to keep
others out.
"""

import sys

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from mercer import KernelSVC, load_dataset, save
from mercer.cluster import DaskKernelKNN, DaskKernelSVC
from mercer.model_selection import GramSearchCV


def main() -> None:
    if len(sys.argv) > 1:
        place = sys.argv[1]
    else:
        place = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        )
    with Client(place) as client:
        digits = load_dataset("digits")
        # data that no machine holds would come from files that all workers can read:
        # dask.dataframe.read_parquet, dask.array.from_zarr, …
        X = da.from_array(digits.X.astype(np.float32), chunks=(500, -1))
        y = da.from_array(digits.y, chunks=500)

        model = DaskKernelSVC(C=10, client=client).fit(X, y)
        print(model.certificate_)
        print(model.effort_)
        print("training accuracy", model.score(X, y))
        save(model.to_local(), "digits.mercer")

        neighbours = DaskKernelKNN(n_neighbors=3, client=client).fit(X, y)
        print("neighbours of the first:", neighbours.kneighbors(X[:1])[1].compute())

        grid = {"C": [1, 10], "gamma": [0.0005, 0.001, 0.002]}
        search = GramSearchCV(KernelSVC(), grid, client=client)
        print(search.fit(digits.X, digits.y).best_params_)


if __name__ == "__main__":
    main()
