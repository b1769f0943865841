"""Why a kernel machine says what it says: exactly, since its score is a sum."""

from mercer.explain._shapley import ShapleyValues, shapley_values
from mercer.explain._shares import Pull, SupportVectorShares, support_vectors

__all__ = [
    "Pull",
    "ShapleyValues",
    "SupportVectorShares",
    "shapley_values",
    "support_vectors",
]
