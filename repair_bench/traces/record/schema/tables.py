"""Tables that describe the fields of a JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Field(NamedTuple):
    """The description of one field.

    `default`: the default value as text; None if the field has no default or is a table.
    """

    name: str
    type: str
    default: str | None
    meaning: str


def tables(schema: dict[str, Any], title: str) -> Iterator[tuple[str, str, list[Field]]]:
    """Yield the title, description and fields of each table in a JSON Schema, the outermost table first."""
    parts = {title: schema, **schema.get("$defs", {})}
    for name, part in parts.items():
        if "properties" in part:
            yield name, _line(part), [_field(*field) for field in part["properties"].items()]


def _field(name: str, field: dict[str, Any]) -> Field:
    default = field.get("default")
    listed = default if isinstance(default, list) else [default]
    has_one = "default" in field and not any(isinstance(value, dict) for value in listed)
    return Field(name, _type(field), str(default) if has_one else None, _line(field))


def _line(part: dict[str, Any]) -> str:
    return " ".join(str(part.get("description", "")).split())


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    for kind in ("anyOf", "oneOf"):
        if kind in field:
            return " or ".join(_type(variant) for variant in field[kind])
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}" if "items" in field else "list"
    return str(field["const"] if "const" in field else field.get("type", "any"))
