"""Declared comparisons, run cell by cell into a store."""

from mercer.studies import first_look

__all__ = ["first_look"]
