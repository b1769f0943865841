"""The types that a model file may hold; everything else is refused.

Mercer's own classes, and kernels of other packages, are those that are declared where
they are defined (`mercer._storable`). The others are listed here by name; the list does
not follow what skops trusts by default, which has functions in it and estimators that
index memory by numbers from the file.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys

from sklearn.base import BaseEstimator

from mercer._storable import find_storable, full_name, storable_classes
from mercer.kernels import Kernel

#: those that transform by NumPy alone, which checks every index, and those that
#: `_scikit_learn` looks through
TRANSFORMERS = frozenset(
    {
        "sklearn.compose._column_transformer.ColumnTransformer",
        "sklearn.decomposition._pca.PCA",
        "sklearn.decomposition._truncated_svd.TruncatedSVD",
        "sklearn.feature_extraction.text.CountVectorizer",
        "sklearn.feature_extraction.text.TfidfTransformer",
        "sklearn.feature_extraction.text.TfidfVectorizer",
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
        "sklearn.preprocessing._encoders.OneHotEncoder",
        "sklearn.preprocessing._polynomial.PolynomialFeatures",
    }
)

#: models whose parts are models
WRAPPERS = frozenset(
    {
        "sklearn.ensemble._bagging.BaggingClassifier",
        "sklearn.multiclass.OneVsRestClassifier",
        "sklearn.pipeline.Pipeline",
    }
)

#: what scikit-learn's own objects are made of
_INNER_PARTS = frozenset(
    {
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.multiclass._ConstantPredictor",
        "sklearn.preprocessing._function_transformer.FunctionTransformer",
        "sklearn.preprocessing._label.LabelBinarizer",
    }
)

_SPLITTERS = frozenset(
    {
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
    }
)

_PYTHON_SCALARS = frozenset({f"builtins.{t}" for t in ("bool", "float", "int", "str")})
NUMPY_SCALARS = frozenset(
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
#: methods, partials, operators, bytes, trees and losses are left out
LOADERS = {
    "DTypeNode": frozenset({"numpy.dtype"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict"}),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "NdArrayNode": frozenset({"numpy.ndarray"}) | NUMPY_SCALARS,
    # and what `find_class` finds
    "ObjectNode": TRANSFORMERS | WRAPPERS | _SPLITTERS | _INNER_PARTS,
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SetNode": frozenset({"builtins.set"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "SparseMatrixNode": frozenset(
        {"scipy.sparse._csr.csr_array", "scipy.sparse._csr.csr_matrix"}
    ),
    "TupleNode": frozenset({"builtins.tuple"}),
    # object and number: what a make_column_selector asks for
    "TypeNode": _PYTHON_SCALARS | NUMPY_SCALARS | {"builtins.object", "numpy.number"},
}

_OWN_STATE = ("__new__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__")


def find_class(name: str) -> type | None:
    """The declared class that a file calls so; nothing is imported for it."""
    cls = find_storable(name)
    return None if cls is None or why_not_storable(cls) else cls


def why_not_storable(cls: type) -> str | None:
    """What keeps objects of a declared class out of files, if anything."""
    home = vars(sys.modules.get(cls.__module__, object))
    if home.get(cls.__name__) is not cls:
        return "it is not defined at the top of a module"
    if not issubclass(cls, Kernel):
        return None
    if inspect.isabstract(cls) or not dataclasses.is_dataclass(cls):
        return "it is not a dataclass"
    for name in _OWN_STATE:
        if getattr(cls, name, None) is not getattr(object, name, None):
            return f"it has a method {name} of its own"
    return None


def is_model(cls: type | None) -> bool:
    """Whether objects of this class are what `save` takes and `load` returns."""
    if cls is None or full_name(cls) in WRAPPERS:
        return cls is not None
    return issubclass(cls, BaseEstimator) and find_storable(full_name(cls)) is cls


def trusted_names() -> list[str]:
    """All types by name, as skops wants to be told."""
    return sorted(set(map(full_name, storable_classes())).union(*LOADERS.values()))
