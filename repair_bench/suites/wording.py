"""What a model is told of a problem of our own suites: the prompt, from its template, and the starter code."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import jinja2

from repair_bench.frameworks import FRAMEWORKS

TEMPLATE = Path(__file__).parent / "prompt.j2"


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text for a model, not HTML
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))


def prompt(framework: str, **task: object) -> str:
    """The problem in words. `task`: the names that `prompt.j2` uses; raises jinja2.UndefinedError for one left out."""
    return _template().render(framework=framework, language=FRAMEWORKS[framework].title, **task).strip() + "\n"


def starter(framework: str, *, entry_point: str, parameters: str, title: str, kind: str) -> str:
    """Imports, signature and a line of docstring, to be completed."""
    imports = [FRAMEWORKS[framework].import_line]
    if "np." in parameters:
        imports.insert(0, "import numpy as np")
    annotation = FRAMEWORKS[framework].annotations.get(kind)
    result = "" if annotation is None else f" -> {annotation}"
    return "\n".join([*imports, "", "", f"def {entry_point}({parameters}){result}:", f'    """{title}."""', ""])
