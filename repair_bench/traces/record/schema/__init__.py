"""The JSON Schema of a line of `attempts.jsonl`, derived from the records.

To update the file: `repair-bench schema attempt --json > attempt.schema.json`, in this folder.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Any, Literal, Union, get_args, get_origin

from repair_bench.traces.record.declaration import descriptions, fields_of
from repair_bench.traces.record.records import SCHEMA, Attempt

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def attempt_schema() -> dict[str, Any]:
    """Return the schema as JSON data. It allows unknown fields, because later versions may add some."""
    records: dict[str, dict[str, Any]] = {}
    attempt = _record(Attempt, records)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Attempt, format {SCHEMA}",
        **attempt,
        "oneOf": [
            {"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in ("verdict", "fault")
        ],
        "$defs": dict(sorted(records.items())),
    }


def _record(record: type, records: dict[str, dict[str, Any]]) -> dict[str, Any]:
    described = descriptions(record)
    required = [f.name for f in dataclasses.fields(record) if f.default is f.default_factory is dataclasses.MISSING]
    return {
        "description": " ".join((record.__doc__ or "").split()),
        "type": "object",
        "properties": {f.name: {"description": described[f.name], **_type(f.type, records)} for f in fields_of(record)},
        "required": required,
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
        return {"anyOf": [_type(option, records) for option in inner]}
    if origin is list:
        return {"type": "array", "items": _type(inner[0], records)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(inner[1], records)}
    records.setdefault(hint.__name__, _record(hint, records))
    return {"$ref": f"#/$defs/{hint.__name__}"}
