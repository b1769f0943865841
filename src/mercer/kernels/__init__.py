"""Kernels: arrays in, Gram out."""

from mercer.kernels._bases import Base
from mercer.kernels._columns import KernelColumns
from mercer.kernels._definite import is_semidefinite
from mercer.kernels._distance import Exponential, Gaussian
from mercer.kernels._dot_product import Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels._evaluate import SamplesByBase
from mercer.kernels._family import GramFamily
from mercer.kernels._gram import Gram
from mercer.kernels._kernel import Constant, Kernel, Product, Sum
from mercer.kernels._magnitudes import row_magnitudes
from mercer.kernels._names import make_kernel, scale_gamma, uses_gamma
from mercer.kernels._part import GramPart, may_fill_rows
from mercer.kernels._rest import Rest
from mercer.kernels._rounding import Bound, MostOf
from mercer.kernels._stored import is_probably_whole
from mercer.kernels._stream import KernelSums, kernel_product, visit_tiles

__all__ = [
    "Base",
    "Bound",
    "Constant",
    "Cosine",
    "Exponential",
    "Gaussian",
    "Gram",
    "GramFamily",
    "GramPart",
    "Kernel",
    "KernelColumns",
    "KernelSums",
    "Linear",
    "MostOf",
    "Polynomial",
    "Product",
    "Rest",
    "SamplesByBase",
    "Sigmoid",
    "Sum",
    "is_probably_whole",
    "is_semidefinite",
    "kernel_product",
    "make_kernel",
    "may_fill_rows",
    "row_magnitudes",
    "scale_gamma",
    "uses_gamma",
    "visit_tiles",
]
