"""What learners on a cluster share: their client, and predictions block by block."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from dask.delayed import delayed
from distributed import Client, default_client
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._dask import results, share
from mercer.cluster.collections import Blocks, whole_rows
from mercer.cluster.loading import TrainingData
from mercer.estimators.checks import check_classes
from mercer.exceptions import ClusterError, DataError
from mercer.kernels import Kernel, make_kernel, scale_gamma, uses_gamma


class OnCluster:
    """A learner with a client; `local_class` is its like without one."""

    local_class: type

    client: Client | None
    kernel_: Kernel | None
    kernel: Any
    gamma: str | float
    degree: int
    coef0: float

    @property
    def client_(self) -> Client:
        """The client that was given, else Dask's current one."""
        client = self.client
        if client is None:
            try:
                client = default_client()
            except ValueError:
                raise ClusterError(
                    f"{type(self).__name__} needs a Dask client; make one with "
                    "distributed.Client(address), or Client() for this machine, or "
                    "pass client=."
                ) from None
        if client.asynchronous:
            raise ClusterError(
                f"{type(self).__name__} needs a client that waits for its answers; "
                "make it without asynchronous=True."
            )
        return client

    def __sklearn_clone__(self) -> Self:
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        client = params.pop("client")
        copies = {name: clone(value, safe=False) for name, value in params.items()}
        return type(self)(client=client, **copies)  # type: ignore[call-arg]

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__(), client=None)  # type: ignore[call-overload]

    def to_local(self) -> Any:
        """The same model without a cluster."""
        check_is_fitted(self)
        names = self.local_class._get_param_names()  # type: ignore[attr-defined]
        local = self.local_class(**{name: getattr(self, name) for name in names})
        of_cluster = {"client", "effort_"}
        vars(local).update({k: v for k, v in vars(self).items() if k not in of_cluster})
        return local

    def describe(self, data: TrainingData) -> None:
        """Set what is known of any training set: classes, features, kernel."""
        self.classes_ = check_classes(data.classes)
        check_classification_targets(self.classes_)
        self.n_features_in_ = data.n_features
        if data.feature_names is not None:
            self.feature_names_in_ = data.feature_names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        gamma = self.gamma
        if isinstance(gamma, str) and isinstance(self.kernel, str):
            if gamma == "scale" and uses_gamma(self.kernel):
                gamma = scale_gamma(data.n_features, data.variance())
            elif gamma == "auto":
                gamma = 1.0 / data.n_features
        self.kernel_ = make_kernel(self.kernel, gamma, self.degree, self.coef0)

    def lazily(self, X: Any, method: str, columns: int | None, dtype: Any) -> Any:
        """A method of the local model on each block of X, when Dask comes to it.

        The model is sent once. `columns` is None where each sample has one value.
        """
        model, _ = share(self.client_, "model", self.to_local())
        X = whole_rows(X)
        if hasattr(X, "map_blocks") and hasattr(X, "chunks"):
            return _map_array(X, method, model, columns, dtype)
        if hasattr(X, "map_partitions"):
            return _map_frame(X, method, model, columns, dtype)
        raise DataError(
            f"X is a {type(X).__name__}, not a Dask collection; ask to_local()."
        )


def _map_array(X: Any, method: str, model: Any, columns: int | None, dtype: Any) -> Any:
    shape = {"drop_axis": 1} if columns is None else {"chunks": (X.chunks[0], columns)}
    meta = np.empty((0,) if columns is None else (0, columns), dtype)
    name = f"mercer_{method}"
    return X.map_blocks(
        apply_method,
        method,
        model,
        dtype=dtype,
        meta=meta,
        name=None,
        token=name,
        **shape,
    )


def _map_frame(X: Any, method: str, model: Any, columns: int | None, dtype: Any) -> Any:
    import pandas as pd

    if columns is None:
        meta = pd.Series(np.empty(0, dtype), name=method)
    else:
        meta = pd.DataFrame(np.empty((0, columns), dtype))
    name = f"mercer_{method}"
    return X.map_partitions(_apply_to_frame, method, model, meta=meta, token=name)


def apply_method(X: Any, method: str, model: Any) -> Any:
    """On one block."""
    if X.shape[0] == 0:
        empty = np.zeros((1, model.n_features_in_), np.float64)
        return getattr(model, method)(empty)[:0]
    return getattr(model, method)(X)


def _apply_to_frame(X: Any, method: str, model: Any) -> Any:
    import pandas as pd

    values = apply_method(X, method, model)
    made = pd.Series if values.ndim == 1 else pd.DataFrame
    named = {"name": method} if values.ndim == 1 else {}
    return made(values, index=X.index, **named)


def mean_accuracy(client: Client, predicted: Any, y: Any, weights: Any) -> float:
    """The share of labels that are right, by weight."""
    count = delayed(_count_right, pure=False)
    parts = Blocks.of(predicted, y, weights).parts
    counted = results(client, client.compute([count(*part) for part in parts]))
    right, of = np.sum(counted, axis=0)
    return float(right / of)


def _count_right(predicted: Any, y: Any, weights: Any) -> tuple[float, float]:
    right = np.asarray(predicted) == np.asarray(y).ravel()
    own = np.ones(len(right)) if weights is None else np.asarray(weights).ravel()
    return float(own @ right), float(own.sum())
