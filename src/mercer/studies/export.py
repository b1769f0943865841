"""Rows for other programs: CSV and JSON."""

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any

from mercer._csv import to_csv
from mercer.studies.plain import Plain, to_text
from mercer.studies.row import Row

FORMATS = ("csv", "json")


def export_rows(rows: Sequence[Row], data: Mapping[str, str], form: str) -> str:
    """Write rows as text; `data` gives the data sets their names."""
    records = [_record(row, data.get(row.data, "")) for row in rows]
    if form == "json":
        return json.dumps(records, indent=1, ensure_ascii=False) + "\n"
    flat = [_flatten(record) for record in records]
    columns = dict.fromkeys(name for record in flat for name in record)
    return to_csv([columns, *(map(record.get, columns) for record in flat)])


def _record(row: Row, data: str) -> dict[str, Any]:
    created = datetime.datetime.fromtimestamp(row.created, datetime.UTC)
    return {
        "key": row.key,
        "study": row.study,
        "data": data,
        "params": dict(row.params),
        "seed": row.seed,
        "result": dict(row.values),
        "timing": dict(row.timing),
        "seconds": row.seconds,
        "memory": row.memory,
        "notes": list(row.notes),
        "mercer": row.version,
        "machine": dict(row.machine),
        "created": created.isoformat(timespec="seconds"),
    }


def _flatten(record: Mapping[str, Any]) -> dict[str, Plain]:
    """A column for each parameter, value and time; lists stay JSON."""
    flat: dict[str, Plain] = {}
    for name, value in record.items():
        if isinstance(value, Mapping) and name != "machine":
            flat |= {f"{name}.{part}": _text(entry) for part, entry in value.items()}
        else:
            flat[name] = _text(value)
    return flat


def _text(value: Plain) -> Plain:
    return to_text(value) if isinstance(value, list | Mapping) else value
