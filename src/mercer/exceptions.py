"""What Mercer says when something is wrong: one sentence, and what to do about it."""


class MercerError(Exception):
    """Base of all errors that Mercer raises on purpose."""


class DataError(MercerError, ValueError):
    """A file or an array is not what it should be."""


class ParameterError(MercerError, ValueError):
    """A parameter has an impossible value."""


class MemoryBudgetError(MercerError, MemoryError):
    """Something was asked for that the memory budget does not allow."""


class MissingExtraError(MercerError, ImportError):
    """An optional dependency is not installed."""


class ModelFileError(MercerError, ValueError):
    """A model file is damaged, foreign or hostile."""


class ClusterError(MercerError, RuntimeError):
    """A cluster is not there, or not any more."""
