"""Coefficients from rows of a Gram: NumPy and Numba, no classes, no random numbers."""
