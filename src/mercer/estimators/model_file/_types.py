"""The types that a model file may hold, each by name; everything else is refused.

The lists are Mercer's own and do not follow what skops trusts by default, which has
functions in it and estimators that index memory by numbers from the file.
"""

from __future__ import annotations

from typing import Any

#: what `save` takes and `load` returns
MODELS = frozenset(
    {
        "mercer.calibration.calibrated_classifier.CalibratedClassifier",
        "mercer.calibration.score_calibrator.ScoreCalibrator",
        "mercer.estimators.neighbours.KernelKNN",
        "mercer.estimators.pegasos.KernelPegasos",
        "mercer.estimators.perceptron.KernelPerceptron",
        "mercer.estimators.svc.KernelSVC",
        "mercer.estimators.winnow.Winnow",
        "mercer.estimators.machines_per_class.MachinesPerClass",
        "sklearn.pipeline.Pipeline",
    }
)

_STATES = frozenset(
    {
        "mercer.estimators._certificate.SVMCertificate",
        "mercer.estimators.reduction.Reduction",
        "mercer.estimators.neighbours._Memory",
        "mercer.solvers.online.Updates",
        "mercer.solvers.svm.solution.Certificate",
    }
)

_KERNELS = frozenset(
    {
        "mercer.kernels._distance.Exponential",
        "mercer.kernels._distance.Gaussian",
        "mercer.kernels._dot_product.Cosine",
        "mercer.kernels._dot_product.Linear",
        "mercer.kernels._dot_product.Polynomial",
        "mercer.kernels._kernel.Constant",
        "mercer.kernels._kernel.Product",
        "mercer.kernels._kernel.Sum",
    }
)

#: those that transform by NumPy alone, which checks every index
_TRANSFORMERS = frozenset(
    {
        "sklearn.decomposition._pca.PCA",
        "sklearn.decomposition._truncated_svd.TruncatedSVD",
        "sklearn.feature_extraction.text.TfidfTransformer",
        "sklearn.feature_selection._variance_threshold.VarianceThreshold",
        "sklearn.impute._base.SimpleImputer",
        "sklearn.kernel_approximation.RBFSampler",
        "sklearn.preprocessing._data.Binarizer",
        "sklearn.preprocessing._data.MaxAbsScaler",
        "sklearn.preprocessing._data.MinMaxScaler",
        "sklearn.preprocessing._data.Normalizer",
        "sklearn.preprocessing._data.PowerTransformer",
        "sklearn.preprocessing._data.QuantileTransformer",
        "sklearn.preprocessing._data.RobustScaler",
        "sklearn.preprocessing._data.StandardScaler",
        "sklearn.preprocessing._polynomial.PolynomialFeatures",
    }
)

_SPLITTERS = frozenset(
    {
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
    }
)

_PYTHON_SCALARS = frozenset({f"builtins.{t}" for t in ("bool", "float", "int", "str")})
_NUMPY_SCALARS = frozenset(
    {
        f"numpy.{name}"
        for name in (
            *("bool", "bool_", "str_", "float16", "float32", "float64"),
            *("int8", "int16", "int32", "int64", "longlong"),
            *("uint8", "uint16", "uint32", "uint64", "ulonglong"),
        )
    }
)

#: for each of skops' loaders the types that it may make; the loaders for functions,
#: methods, partials, operators, slices, bytes, trees and losses are left out
LOADERS = {
    "DTypeNode": frozenset({"numpy.dtype"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict"}),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "NdArrayNode": frozenset({"numpy.ndarray"}) | _NUMPY_SCALARS,
    "ObjectNode": MODELS | _STATES | _KERNELS | _TRANSFORMERS | _SPLITTERS,
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SetNode": frozenset({"builtins.set"}),
    "SparseMatrixNode": frozenset(
        {"scipy.sparse._csr.csr_array", "scipy.sparse._csr.csr_matrix"}
    ),
    "TupleNode": frozenset({"builtins.tuple"}),
    "TypeNode": _PYTHON_SCALARS | _NUMPY_SCALARS,
}

#: all of them together, as skops wants to be told
TRUSTED = frozenset().union(*LOADERS.values())


def type_name(value: Any) -> str:
    """The full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"
