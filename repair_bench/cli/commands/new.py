"""The command `new`, which writes the skeleton of a plug-in package."""

from __future__ import annotations

import keyword
import re
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, NamedTuple

import typer

from repair_bench.cli.options import stop


class Kind(StrEnum):
    """The kinds of plug-ins that have a skeleton."""

    suite = "suite"
    policy = "policy"
    provider = "provider"
    plot = "plot"


class _Skeleton(NamedTuple):
    """`entry`: the entry point without its group's prefix; `built_in`: the names that a plug-in cannot have; `first`:
    a command that uses the new plug-in.
    """

    group: str
    entry: str
    built_in: str
    first: str


_SKELETONS = {
    Kind.suite: _Skeleton("suites", "{}", "repair_bench.suites:SUITES", "suites validate {}"),
    Kind.policy: _Skeleton(
        "feedback",
        "{}",
        "repair_bench.prompts.feedback:POLICIES",
        "run --limit 3 --framework qiskit --model sim/novice --feedback {}",
    ),
    Kind.provider: _Skeleton(
        "models", "{}", "repair_bench.agent.models:PROVIDERS", "run --limit 1 --framework qiskit --model {}/one"
    ),
    Kind.plot: _Skeleton("plots", "{}:figure", "repair_bench.report.plots:BUILT_IN", "plot RUN_DIR --kind {}"),
}
_TEMPLATES = Path(__file__).parents[1] / "skeletons"


def new(
    kind: Annotated[Kind, typer.Argument(help="Kind of plug-in.", show_default=False)],
    name: Annotated[
        str, typer.Argument(help="Name of the plug-in and of its new folder: lower-case letters, digits and hyphens.")
    ],
) -> None:
    """Write a plug-in package to a new folder: one module, one test and a pyproject.toml."""
    import jinja2

    skeleton, module, folder = _SKELETONS[kind], name.replace("-", "_"), Path(name)
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(module):
        stop(f"{name!r} cannot be the name of a plug-in: use lower-case letters, digits and hyphens, as in my-{kind}")
    if name in resolve_name(skeleton.built_in):
        stop(f"there is a built-in {kind} named {name!r}: choose another name")
    if folder.exists():
        stop(f"{name} already exists: choose another name, or remove it")
    if find_spec(module) is not None:
        stop(f"a module named {module!r} is already installed: choose another name")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=False,  # noqa: S701 - these files are programs, not HTML
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    values = {"kind": kind, "name": name, "module": module, "group": skeleton.group}
    files = {
        "pyproject.toml": "pyproject.toml.j2",
        f"{module}.py": f"{kind}.py.j2",
        f"test_{module}.py": f"test_{kind}.py.j2",
    }
    try:
        folder.mkdir()
        for file, template in files.items():
            text = environment.get_template(template).render(**values, entry=skeleton.entry.format(module))
            (folder / file).write_text(text, encoding="utf-8")
            print(f"wrote {folder / file}")
    except OSError as error:
        stop(f"{error.filename} cannot be written: {error.strerror}")
    commands = (
        f"pip install pytest -e {name}",
        f"python -m pytest {name}",
        f"repair-bench {skeleton.first.format(name)}",
    )
    print("\nnext:", *commands, sep="\n    ")
