"""Parquet with the nested fields of the record as nested columns.

Values without a fixed shape (usage, params, extraction, the returned value, the evidence, steps) are JSON text. The
record's fields are followed by derived columns: tokens, and the error classes of the taxonomies.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_origin

from repair_bench.report.exports.flat import COLUMNS
from repair_bench.report.exports.values import as_json
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import unfinished
from repair_bench.traces.record.declaration import Field, fields_of
from repair_bench.traces.record.lazy_attempt import with_texts
from repair_bench.traces.record.printable import clean
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.run_reader import Run

DERIVED = {
    "prompt_tokens": int,
    "completion_tokens": int,
    "error_class": str,
    "error_type": str,
    "quanbench_plus": str,
    "quantum_katas": str,
}
"""The derived columns, which the CSV export also has, and their types."""
_NUMBERS: dict[Any, str] = {int: "int64", float: "float64", bool: "bool_"}
_MESSAGES = "messages"
"""The field that is a list of messages, each with a role and a content."""
_ROWS = 1_000
"""The number of rows in a row group. A row group, including conversations, takes a few megabytes."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one file. Raises UsageError without pyarrow."""
    write_lines(lines(run), out)
    return [out]


def write_lines(rows: Iterable[Mapping[str, Any]], out: Path) -> None:
    """Write the rows of `lines`. Raises UsageError without pyarrow."""
    pa, pq = _pyarrow()
    columns = [*_columns(pa, Attempt), *((name, _simple(pa, kind)) for name, kind in DERIVED.items())]
    schema = pa.schema(columns)
    left = iter(rows)
    with unfinished(out) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        while group := list(itertools.islice(left, _ROWS)):
            writer.write_batch(pa.RecordBatch.from_struct_array(pa.array(group, pa.struct(schema))))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of `write_lines`. Raises UsageError if pyarrow is missing or the file cannot be read."""
    pa, pq = _pyarrow()
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'repair-bench[export]'") from None
    return pa, pq


def lines(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one row per attempt, as a mapping from columns to values."""
    derived = [(name, COLUMNS[name], _converter(kind)) for name, kind in DERIVED.items()]
    for attempt in with_texts(run.rows):
        values = _values(attempt)
        for name, read, convert in derived:
            values[name] = None if (value := read(attempt)) is None else convert(value)
        yield values


def _values(record: Any) -> dict[str, Any]:
    """Return the fields of a record, converted to their Arrow types."""
    kind: type = type(record)
    return {
        name: None if (value := getattr(record, name)) is None else convert(value)
        for name, convert in _converters(kind)
    }


def attempt(line: Mapping[str, Any]) -> Attempt:
    """Restore an attempt from a row. Values that Parquet cannot store are returned in the form produced by the `values`
    module.

    Raises KeyError, TypeError or ValueError if the row is not an attempt.
    """
    return Attempt.from_json(_restored(line, Attempt))


def _restored(values: Mapping[str, Any], record: type) -> dict[str, Any]:
    made = {}
    for field in fields_of(record):
        value = values[field.name]
        if value is not None and field.record:
            value = _restored(value, field.kind)
        elif value is not None and field.name != _MESSAGES and _is_json(field.kind):
            value = json.loads(value)
        made[field.name] = value
    return made


def _is_json(kind: Any) -> bool:
    """Whether values of this type are written as JSON text."""
    return kind is Any or get_origin(kind) in (dict, list)


def _columns(pa: Any, record: type) -> list[tuple[str, Any]]:
    return [(field.name, _arrow(pa, field)) for field in fields_of(record)]


def _arrow(pa: Any, field: Field) -> Any:
    if field.record:
        return pa.struct(_columns(pa, field.kind))
    if field.name == _MESSAGES:
        return pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    return _simple(pa, field.kind)


def _simple(pa: Any, kind: Any) -> Any:
    return getattr(pa, _NUMBERS.get(kind, "string"))()


@functools.cache
def _converters(record: type) -> list[tuple[str, Callable[[Any], Any]]]:
    """Return the name of each field of a record, and a function that converts its values (except None) for Arrow."""
    return [
        (field.name, _values if field.record else _messages if field.name == _MESSAGES else _converter(field.kind))
        for field in fields_of(record)
    ]


def _converter(kind: Any) -> Callable[[Any], Any]:
    return as_json if _is_json(kind) else _WRITTEN.get(kind, clean)


def _messages(value: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{name: clean(str(message.get(name, ""))) for name in ("role", "content")} for message in value]


def _real(value: Any) -> float | None:
    if isinstance(value, float):
        return value
    return float(value) if isinstance(value, int) and abs(value) < 2**1023 else None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and abs(value) < 2**63 else None


_WRITTEN: dict[Any, Callable[[Any], Any]] = {int: _integer, bool: _integer, float: _real}
