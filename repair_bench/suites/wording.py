"""The prompts and the starter code of the built-in suites."""

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


def prompt(framework: str, *, kind: str, parameters: str, args: Sequence[Sequence[Any]], **task: Any) -> str:
    """Return the prompt.

    `kind`: the kind of observation. For each kind of observation, the framework's file describes the required return
    value.

    `args`: the arguments of each call, visible calls first. `task`: the values that `prompt.j2` and the description
    use. Raises jinja2.UndefinedError for a missing value, and SuiteError if the framework's file has no description of
    the return value. Raises `inputs.Inexpressible` for arguments that the framework's programs cannot accept.
    """
    known = FRAMEWORKS[framework]
    own: dict[str, Any] = {"language": known.title, "last_bit_first": known.last_bit_first}
    own |= {"returned": returned(framework, kind, **task), "spelled": known.spelled, "declared": None, "texts": []}
    if known.language is not PYTHON:
        own |= {"declared": inputs.declared(parameters, args), "texts": inputs.texts(parameters, args)}
    return rendered(TEMPLATE, kind=kind, parameters=parameters, **own, **task).strip() + "\n"


def returned(framework: str, kind: str, **task: Any) -> str:
    """Describe the required return value for an observation of this kind."""
    known = FRAMEWORKS[framework]
    if kind not in known.returned:
        raise SuiteError(
            f"{known.title} has no instruction to return a {kind}: add it to the framework's `returned` field"
        )
    return _template(known.returned[kind]).render(**task)


def rendered(template: Path, **values: Any) -> str:
    return _template(template.read_text(encoding="utf-8")).render(**values)


def call(framework: str, entry_point: str, parameters: str, args: Sequence[Any]) -> str:
    """Return a call as text, such as `qft(3)`, or `size = 3` for a program with inputs."""
    if FRAMEWORKS[framework].language is PYTHON:
        return f"{entry_point}({', '.join(map(json.dumps, args))})"
    return ", ".join(
        f"{name} = {inputs.written(value)}" for name, value in zip(inputs.names(parameters), args, strict=True)
    )


def can_be_given(framework: str, parameters: str, args: Sequence[Sequence[Any]]) -> bool:
    if FRAMEWORKS[framework].language is PYTHON:
        return True
    try:
        inputs.declared(parameters, args)
    except inputs.Inexpressible:
        return False
    return True


def setup(framework: str, parameters: str) -> str:
    """Return `inputs.setup` for a framework whose programs have inputs, or "" if the entry point is a function."""
    return "" if FRAMEWORKS[framework].language is PYTHON else inputs.setup(parameters)


def starter(
    framework: str, *, entry_point: str, parameters: str, args: Sequence[Sequence[Any]], title: str, kind: str
) -> str:
    """Return the starter code: imports, followed by a signature and a docstring, or by the input declarations of a
    program.
    """
    language = FRAMEWORKS[framework].language
    imports = [FRAMEWORKS[framework].import_line]
    if language is not PYTHON:
        return "\n".join([*imports, "", f"{language.comment} {title}", *inputs.declared(parameters, args), ""])
    if "np." in parameters:
        imports.insert(0, "import numpy as np")
    annotation = FRAMEWORKS[framework].annotations.get(kind)
    result = "" if annotation is None else f" -> {annotation}"
    return "\n".join([*imports, "", "", f"def {entry_point}({parameters}){result}:", f'    """{title}."""', ""])
