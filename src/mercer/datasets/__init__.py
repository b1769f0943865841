"""Data sets by name, and files of many formats checked on reading."""

from mercer.datasets.check import Check, check_dataset
from mercer.datasets.dataset import Dataset
from mercer.datasets.fetch import fetch_dataset
from mercer.datasets.folder import data_folder
from mercer.datasets.loading import load_dataset
from mercer.datasets.registry import Entry, catalogue

__all__ = [
    "Check",
    "Dataset",
    "Entry",
    "catalogue",
    "check_dataset",
    "data_folder",
    "fetch_dataset",
    "load_dataset",
]
