"""Parquet, with the nested fields of the record as nested columns.

What has no fixed shape (usage, params, extraction, the returned value, the evidence) is JSON text. Beside the record's
own fields stand some that are read from them: tokens, and the error classes of the taxonomies.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import types
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from repair_bench.traces.exports.flat import COLUMNS
from repair_bench.traces.exports.values import as_json, clean
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
_ROWS = 1_000
"""In a row group: with their conversations, some megabytes."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one file. Raises UsageError where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'repair-bench[export]'") from None

    columns = _fields(Attempt) | DERIVED
    schema = pa.schema([(name, _arrow(pa, hint)) for name, hint in columns.items()])
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = iter(run.rows)
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        while group := [_record(row.whole()) for row in itertools.islice(rows, _ROWS)]:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
    return [out]


def _record(attempt: Attempt) -> dict[str, Any]:
    return {**_value(attempt, Attempt), **{name: COLUMNS[name](attempt) for name in DERIVED}}


@functools.cache
def _fields(record: type) -> dict[str, Any]:
    """The fields of a record and their types."""
    return get_type_hints(record)


def _arrow(pa: Any, hint: Any) -> Any:
    """The Arrow type of a field of the records."""
    hint = _without_none(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return pa.struct([(name, _arrow(pa, inner)) for name, inner in _fields(hint).items()])
    if get_origin(hint) is list:  # messages
        return pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    return {int: pa.int64(), float: pa.float64(), bool: pa.bool_()}.get(hint, pa.string())


def _value(value: Any, hint: Any) -> Any:
    """A field's value as the Arrow type of its hint takes it."""
    hint = _without_none(hint)
    if value is None:
        return None
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return {name: _value(getattr(value, name), inner) for name, inner in _fields(hint).items()}
    if get_origin(hint) is list:
        return [{name: clean(str(message.get(name, ""))) for name in ("role", "content")} for message in value]
    if hint is Any or get_origin(hint) is dict:
        return as_json(value)
    return clean(value) if isinstance(value, str) else value


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    return hint
