"""HTML files built from the templates, styles and scripts in `assets`.

Each file contains a Content-Security-Policy that forbids network access.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

_ASSETS = files("repair_bench.report.page") / "assets"


def document(template: str, styles: Sequence[str], scripts: Sequence[str], **values: Any) -> Iterator[str]:
    """Yield the document in pieces. `styles`, `scripts`: the assets to include. `values`: the template's variables."""
    style = "\n".join(_asset(f"{name}.css") for name in styles)
    script = "\n".join(_asset(f"{name}.js") for name in scripts)
    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    yield from environment.get_template(template).generate(
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        **values,
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy that allows only this style and this script, and no network access.

    Style attributes are also allowed, because figures use them.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src-elem {_hash(style)}",
            "style-src-attr 'unsafe-inline'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
