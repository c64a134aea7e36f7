"""Every word a model reads from us is in a `.j2` file of this folder; a name that a template misses is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text for a model, not HTML
    )


def render(name: str, **values: Any) -> str:
    """The text of template `<name>.j2`. Raises jinja2.UndefinedError when a value is missing."""
    return _environment().get_template(f"{name}.j2").render(**values).strip()
