"""Field declarations of records, from which rows, the JSON Schema and the exports are derived.

A field is declared as in any dataclass, followed by a string that describes it. A row is the in-memory form of an
attempt. Fields of type `OnDisk[...]` are not loaded into rows.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from repair_bench.syntax_tree import parsed

_T = TypeVar("_T")
_ON_DISK = "on disk"

OnDisk = Annotated[_T, _ON_DISK]
"""The type of a field that is left on disk and not copied to a row, because its value is long or no statistic needs
it."""


class Field(NamedTuple):
    name: str
    type: Any
    """The declared type, including null."""
    kind: Any
    """The type without null."""
    record: bool
    """Whether `kind` is a record."""
    on_disk: bool


@functools.cache
def fields_of(record: type) -> tuple[Field, ...]:
    hints, marked = get_type_hints(record), get_type_hints(record, include_extras=True)
    return tuple(_field(f.name, hints[f.name], marked[f.name]) for f in dataclasses.fields(record))


def _field(name: str, hint: Any, marked: Any) -> Field:
    kind = hint
    if get_origin(hint) in (Union, types.UnionType):
        (kind,) = (inner for inner in get_args(hint) if inner is not type(None))
    record = isinstance(kind, type) and dataclasses.is_dataclass(kind)
    return Field(name, hint, kind, record, _ON_DISK in getattr(marked, "__metadata__", ()))


def missing_fields(record: type, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of dataclass fields that are missing from a JSON object."""
    for field in fields_of(record):
        if field.name not in data:
            yield field.name
        elif field.record and isinstance(data[field.name], dict):
            yield from (f"{field.name}.{name}" for name in missing_fields(field.kind, data[field.name]))


def descriptions(record: type) -> dict[str, str]:
    """Return the descriptions of a dataclass's fields, each as one line."""
    body = parsed(inspect.getsource(record)).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            assert isinstance(below.value, ast.Constant)
            texts[field.target.id] = " ".join(str(below.value.value).split())
    return texts
