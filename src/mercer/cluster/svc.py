"""The exact kernel SVM on data that lies on many workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from distributed import Client
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._compat import with_callbacks
from mercer._dask import reachable
from mercer._interrupts import ending_at_ctrl_c
from mercer.cluster.crew import Crew
from mercer.cluster.learner import OnCluster, mean_accuracy
from mercer.cluster.loading import TrainingData
from mercer.cluster.messages import Task
from mercer.cluster.training import SolvedProblems, Training
from mercer.estimators import KernelSVC
from mercer.estimators.certificate import SVMCertificate
from mercer.estimators.learner import TrainingSet
from mercer.estimators.penalties import (
    check_weighed,
    class_weights,
    is_hard_margin,
    upper_bounds,
)
from mercer.estimators.progress import SolverProgress
from mercer.estimators.reduction import Reduction
from mercer.exceptions import ParameterError
from mercer.kernels import Kernel
from mercer.solvers.svm import Limits


class DaskKernelSVC(OnCluster, KernelSVC):
    """`KernelSVC` on Dask collections: the same answer, the same certificate.

    Partitions stay where they are. The driver, which is where `fit` is called, holds α
    and the support vectors; a worker that is lost costs time, never the result.

    Parameters
    ----------
    client : distributed.Client or None
        The cluster; default: Dask's current client.
    C, kernel, degree, gamma, coef0, bias, bias_scale, multiclass, tol, class_weight, \
max_iter, max_seconds, decision_function_shape, break_ties, verbose
        As in `KernelSVC`, without kernel="precomputed".
    solver : {"auto", "smo"}
        Blocks of violators; lbfgs is not offered on a cluster.
    memory_budget : int, str or None
        Bytes for kernel values on each worker; default: half of the worker's memory
        limit, less what it has in use.

    Attributes
    ----------
    client_ : distributed.Client
        The cluster in use.
    effort_ : Effort
        Rounds, bytes moved, partitions rebuilt, kernel values computed.
    certificate_, classes_, support_, support_vectors_, n_support_, dual_coef_, \
intercept_, n_iter_, class_weight_, fit_status_, shape_fit_
        As in `KernelSVC`; `support_` counts through the partitions.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from mercer import load_dataset
    >>> from mercer.cluster import DaskKernelSVC
    >>> digits = load_dataset("digits")
    >>> X = da.from_array(digits.X, chunks=(500, -1))
    >>> y = da.from_array(digits.y, chunks=500)
    >>> client = Client()  # doctest: +SKIP
    >>> model = DaskKernelSVC(client, C=10).fit(X, y)  # doctest: +SKIP
    >>> model.score(X, y), model.certificate_.converged  # doctest: +SKIP
    (1.0, True)
    """

    local_class = KernelSVC

    def __init__(
        self,
        client: Client | None = None,
        C: float | Mapping[Any, float] = 1.0,
        kernel: str | Kernel = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "free",
        bias_scale: float = 1.0,
        solver: str = "auto",
        multiclass: str = "ovo",
        tol: float = 1e-3,
        class_weight: Mapping[Any, float] | str | None = None,
        max_iter: int = -1,
        max_seconds: float | None = None,
        solver_options: Mapping[str, Any] | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        memory_budget: int | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.client = client
        super().__init__(
            C=C,
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            bias=bias,
            bias_scale=bias_scale,
            solver=solver,
            multiclass=multiclass,
            tol=tol,
            class_weight=class_weight,
            max_iter=max_iter,
            max_seconds=max_seconds,
            solver_options=solver_options,
            decision_function_shape=decision_function_shape,
            break_ties=break_ties,
            memory_budget=memory_budget,
            verbose=verbose,
        )

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from samples X of classes y, each loss times its sample weight."""
        start = time.perf_counter()
        not_offered = {
            "kernel='precomputed'": self.is_precomputed,
            "kernels that are functions": self.is_function,
            "solver='lbfgs'": self.solver == "lbfgs",
            "C=inf": is_hard_margin(self.C),
        }
        for what in [what for what, wanted in not_offered.items() if wanted]:
            raise ParameterError(
                f"DaskKernelSVC does not offer {what}; KernelSVC does."
            )
        client, stop = self.client_, threading.Event()
        with reachable(client):
            self._fit(TrainingData(client, X, y, sample_weight), start, stop)
        if stop.is_set():  # whoever called this goes on only if it wants to
            raise KeyboardInterrupt(
                f"{type(self).__name__} keeps the best model so far: "
                f"{self.certificate_}"
            )
        self._warn(separated=True)
        return self

    def _fit(self, data: TrainingData, start: float, stop: threading.Event) -> None:
        self.describe(data)
        self.reduction_ = Reduction.make(self.multiclass, len(self.classes_))
        C = self._class_bounds(data)
        with SolverProgress(self, self.reduction_.n_problems) as progress:
            limits = self._limits(start, progress=progress.callback, stop=stop)
            training, solved = self._solve_on(data, data.dtype, C, limits)
            # the driver's kernel values round otherwise than the partitions': with too
            # coarse ones, no step may help
            signs = "precision", "stalled"
            coarse = any(c.status in signs for c in solved.certificates)
            if data.dtype == np.float32 and coarse:
                # float32 cannot carry the answer: float64, also to predict with
                training, solved = self._solve_on(data, np.float64, C, limits)
        self._keep_solved(data, training, solved)
        self._certify(data, training, solved, time.perf_counter() - start)

    def predict(self, X: Any) -> Any:
        """The class of each sample in X, as a Dask collection."""
        check_is_fitted(self)
        return self.lazily(X, "predict", None, self.classes_.dtype)

    def decision_function(self, X: Any) -> Any:
        """Scores of the samples in X, as a Dask collection."""
        check_is_fitted(self)
        n, two = self.reduction_.n_problems, len(self.classes_) == 2
        per_pair = (
            self.reduction_.kind == "ovo" and self.decision_function_shape == "ovo"
        )
        columns = None if two else n if per_pair else len(self.classes_)
        return self.lazily(X, "decision_function", columns, np.float64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples in X whose class is predicted as in y, computed now."""
        return mean_accuracy(self.client_, self.predict(X), y, sample_weight)

    def _class_bounds(self, data: TrainingData) -> NDArray[np.float64]:
        """C of each class, its weight included."""
        classes, n = self.classes_, len(self.classes_)
        weights = self.class_weight
        if isinstance(weights, str) and weights == "balanced":
            weights = dict(zip(classes.tolist(), data.n_samples / (n * data.counts)))
        one_of_each = TrainingSet(np.arange(n), np.arange(n), classes)
        self.class_weight_ = class_weights(weights, one_of_each)
        check_weighed(classes.tolist(), data.weights)
        return upper_bounds(self.C, weights, one_of_each)

    def _solve_on(
        self, data: TrainingData, dtype: Any, C: NDArray[np.float64], limits: Limits
    ) -> tuple[Training, SolvedProblems]:
        settings, codes = self._settings(), self.reduction_.codes
        xi = settings["xi"] if self.bias == "regularized" else 0.0
        kernel, free_bias = self.kernel_, self.bias == "free"
        assert kernel is not None
        task = Task(kernel, codes, free_bias, xi, np.dtype(dtype))
        make = partial(data.make_partition, task, self.classes_, C, self.memory_budget)
        crew = Crew(data.client, make, len(data.filled), data.token)
        takes_part = codes != 0
        training = Training(
            *(crew, task, data.firsts[data.filled]),
            takes_part @ data.counts,
            takes_part @ (C * data.weights),
            limits,
            verbose=bool(self.verbose),
        )
        assert limits.stop is not None
        return training, ending_at_ctrl_c(training.run, limits.stop)

    def _keep_solved(
        self, data: TrainingData, training: Training, solved: SolvedProblems
    ) -> None:
        numbers = training.support_vectors()
        owners = training.classes_of(numbers)
        order = np.argsort(owners, kind="stable")
        numbers, owners = numbers[order], owners[order]
        coefficients = np.zeros((self._n_columns, len(numbers)))
        for p, own in enumerate(solved.coefficients):
            values = np.array([own.get(number, 0.0) for number in numbers.tolist()])
            (some,) = values.nonzero()
            signs = self.reduction_.codes[p][owners[some]]
            places = self._places(np.full(len(some), p), signs)
            coefficients[places, some] = values[some]
        self.n_support_ = np.bincount(owners, minlength=len(self.classes_)).astype(
            np.int32
        )
        X = training.samples.take(numbers) if len(numbers) else data.no_samples()
        self._store(X, numbers, coefficients)
        self.intercept_ = np.array(solved.biases)
        self.dual_coef_ = np.ascontiguousarray(self._coefficients.T)
        if data.sparse:
            self.dual_coef_ = sparse.csr_array(self.dual_coef_)

    def _certify(
        self,
        data: TrainingData,
        training: Training,
        solved: SolvedProblems,
        seconds: float,
    ) -> None:
        self.effort_ = training.effort
        rows = -(-training.effort.kernel_values // max(1, data.n_samples))
        assert self.kernel_ is not None
        indefinite = not self.kernel_.is_semidefinite
        self.certificate_ = SVMCertificate.of(
            solved.certificates, seconds, rows, indefinite
        )
        self.n_iter_ = np.array([c.iterations for c in solved.certificates])
        self.fit_status_ = int(not self.certificate_.converged)
        self.shape_fit_ = data.n_samples, data.n_features
