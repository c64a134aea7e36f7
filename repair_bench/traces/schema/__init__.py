"""The JSON Schema of a line of `attempts.jsonl`, made from the records and what they say of their fields.

`python -m repair_bench.traces.schema > repair_bench/traces/schema/attempt.schema.json` makes the file anew.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from repair_bench.traces.records import SCHEMA, Attempt

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def attempt_schema() -> dict[str, Any]:
    """The schema as JSON data. Fields that it does not know are allowed: later versions may add some."""
    records: dict[str, dict[str, Any]] = {}
    whole = _record(Attempt, records)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Attempt, format {SCHEMA}",
        **whole,
        "oneOf": [
            {"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in ("verdict", "fault")
        ],
        "$defs": dict(sorted(records.items())),
    }


def descriptions(record: type) -> dict[str, str]:
    """What the string below each field of a dataclass says, in one line."""
    body = ast.parse(inspect.getsource(record)).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            assert isinstance(below.value, ast.Constant)
            found[field.target.id] = " ".join(str(below.value.value).split())
    return found


def _record(record: type, records: dict[str, dict[str, Any]]) -> dict[str, Any]:
    hints, said = get_type_hints(record), descriptions(record)
    fields = dataclasses.fields(record)
    return {
        "description": " ".join((record.__doc__ or "").split()),
        "type": "object",
        "properties": {f.name: {"description": said[f.name], **_type(hints[f.name], records)} for f in fields},
        "required": [f.name for f in fields if f.default is f.default_factory is dataclasses.MISSING],
    }


def _type(hint: Any, records: dict[str, dict[str, Any]]) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return {}
    if hint in _NAMES:
        return {"type": _NAMES[hint]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_type(one, records) for one in inner]}
    if origin is list:
        return {"type": "array", "items": _type(inner[0], records)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(inner[1], records)}
    records.setdefault(hint.__name__, _record(hint, records))
    return {"$ref": f"#/$defs/{hint.__name__}"}
