"""Parquet, with the nested fields of the record as nested columns.

What has no fixed shape (usage, params, extraction, the returned value, the evidence) is JSON text. Beside the record's
own fields stand some that are read from them: tokens, and the error classes of the taxonomies.
"""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any, get_origin

from repair_bench.report.exports.flat import COLUMNS
from repair_bench.report.exports.values import as_json, clean
from repair_bench.traces.declaration import fields_of
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Attempt
from repair_bench.traces.rows import Run

DERIVED = {
    "prompt_tokens": int,
    "completion_tokens": int,
    "error_class": str,
    "error_type": str,
    "quanbench_plus": str,
    "quantum_katas": str,
}
"""Columns of the CSV that are here too, and their types."""
_NUMBERS: dict[Any, str] = {int: "int64", float: "float64", bool: "bool_"}
_ROWS = 1_000
"""In a row group: with their conversations, some megabytes."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one file. Raises UsageError where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'repair-bench[export]'") from None

    columns = [*_columns(pa, Attempt), *((name, _arrow(pa, kind)) for name, kind in DERIVED.items())]
    schema = pa.schema(columns)
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = iter(run.rows)
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        while group := [_line(row.whole()) for row in itertools.islice(rows, _ROWS)]:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
    return [out]


def _line(attempt: Attempt) -> dict[str, Any]:
    return _values(attempt, Attempt) | {name: _value(COLUMNS[name](attempt), kind) for name, kind in DERIVED.items()}


def _columns(pa: Any, record: type) -> list[tuple[str, Any]]:
    """The columns of a record, nested ones as structs."""
    return [
        (field.name, pa.struct(_columns(pa, field.kind)) if field.record else _arrow(pa, field.kind))
        for field in fields_of(record)
    ]


def _values(record: Any, kind: type) -> dict[str, Any]:
    """The values of a record's fields as its columns take them."""
    return {field.name: _value(getattr(record, field.name), field.kind) for field in fields_of(kind)}


def _arrow(pa: Any, kind: Any) -> Any:
    """The Arrow type of a kind of value."""
    if get_origin(kind) is list:  # messages
        return pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    return getattr(pa, _NUMBERS.get(kind, "string"))()


def _value(value: Any, kind: Any) -> Any:
    """A value as the Arrow type of its kind takes it."""
    if value is None:
        return None
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _values(value, kind)
    if get_origin(kind) is list:
        return [{name: clean(str(message.get(name, ""))) for name in ("role", "content")} for message in value]
    if kind is Any or get_origin(kind) is dict:
        return as_json(value)
    if kind in _NUMBERS:
        return _number(value, kind)
    return clean(value if isinstance(value, str) else str(as_json(value)))  # earlier versions kept what a provider sent


def _number(value: Any, kind: type) -> Any:
    """A number as a column of its kind holds it; None for what it cannot hold."""
    if kind is float and isinstance(value, int | float) and abs(value) < 2**1023:
        return float(value)
    if kind is float:
        return value if isinstance(value, float) else None  # not finite
    return value if isinstance(value, int) and abs(value) < 2**63 else None
