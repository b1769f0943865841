"""The store: one SQLite file, a row per cell, safe against kill -9 and neighbours."""

from mercer.studies.store.claims import Claimed, Claims
from mercer.studies.store.errors import StoreError
from mercer.studies.store.records import Failure, PlanRecord, Run, StoredImage
from mercer.studies.store.store import Store

__all__ = [
    "Claimed",
    "Claims",
    "Failure",
    "PlanRecord",
    "Run",
    "Store",
    "StoreError",
    "StoredImage",
]
