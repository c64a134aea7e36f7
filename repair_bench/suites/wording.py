"""What a model is told of a problem of our own suites: the prompt, from its template, and the starter code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.suites import inputs
from repair_bench.traces.faults import SuiteError

TEMPLATE = Path(__file__).parent / "prompt.j2"


@lru_cache
def _template(text: str) -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text for a model, not HTML
    )
    return environment.from_string(text)


@lru_cache(maxsize=1)
def _text() -> str:
    return TEMPLATE.read_text(encoding="utf-8")


def prompt(framework: str, *, kind: str, parameters: str, args: Sequence[Sequence[Any]], **task: Any) -> str:
    """The problem in words. `kind`: what is observed of an answer; how it is returned, the framework's file says.

    `args`: the arguments of each call, those first that may be shown. `task`: the names that `prompt.j2` and those
    words use. Raises jinja2.UndefinedError for one left out, SuiteError for a framework that has no words for that
    kind, `inputs.Inexpressible` for arguments that its programs cannot be given.
    """
    known = FRAMEWORKS[framework]
    if kind not in known.returned:
        raise SuiteError(f"{known.title} has no words for how a {kind} is returned: `returned` of its framework")
    words = _template(known.returned[kind]).render(**task)
    own: dict[str, Any] = {"language": known.title, "last_bit_first": known.last_bit_first, "returned": words}
    own |= {"spelled": known.spelled, "declared": None, "texts": []}
    if known.language is not PYTHON:
        own |= {"declared": inputs.declared(parameters, args), "texts": inputs.texts(parameters, args)}
    text = _template(_text()).render(kind=kind, parameters=parameters, **own, **task)
    return text.strip() + "\n"


def call(framework: str, entry_point: str, parameters: str, args: Sequence[Any]) -> str:
    """One call in words: `qft(3)`, or for a program with inputs `size = 3`."""
    if FRAMEWORKS[framework].language is PYTHON:
        return f"{entry_point}({', '.join(map(json.dumps, args))})"
    return ", ".join(
        f"{name} = {inputs.written(value)}" for name, value in zip(inputs.names(parameters), args, strict=True)
    )


def can_be_given(framework: str, parameters: str, args: Sequence[Sequence[Any]]) -> bool:
    """Whether programs of the framework can be given these arguments."""
    if FRAMEWORKS[framework].language is PYTHON:
        return True
    try:
        inputs.declared(parameters, args)
    except inputs.Inexpressible:
        return False
    return True


def setup(framework: str, parameters: str) -> str:
    """What makes the arguments of a call of a case's values: a program that is no function has inputs by name."""
    return "" if FRAMEWORKS[framework].language is PYTHON else inputs.setup(parameters)


def starter(
    framework: str, *, entry_point: str, parameters: str, args: Sequence[Sequence[Any]], title: str, kind: str
) -> str:
    """Imports, signature and a line of docstring, to be completed; for a program with inputs their declarations."""
    language = FRAMEWORKS[framework].language
    imports = [FRAMEWORKS[framework].import_line]
    if language is not PYTHON:
        return "\n".join([*imports, "", f"{language.comment} {title}", *inputs.declared(parameters, args), ""])
    if "np." in parameters:
        imports.insert(0, "import numpy as np")
    annotation = FRAMEWORKS[framework].annotations.get(kind)
    result = "" if annotation is None else f" -> {annotation}"
    return "\n".join([*imports, "", "", f"def {entry_point}({parameters}){result}:", f'    """{title}."""', ""])
