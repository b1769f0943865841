"""Grids, folds and paths on one Gram."""
