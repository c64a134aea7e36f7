"""The page: template, style, script and data in one file, under a policy that forbids the network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup

import repair_bench
from repair_bench.traces import tables
from repair_bench.traces.faults import UsageError
from repair_bench.traces.report import episodes, facts, figures, names, rates
from repair_bench.traces.row import Recorded

_ASSETS = files("repair_bench.traces.report") / "assets"
_STYLES = ("theme", "layout", "tables", "heatmap", "viewer", "code")
_SCRIPTS = (
    "dom",
    "data",
    "address",
    "classes",
    "theme",
    "sorting",
    "heatmap",
    "filters",
    "list",
    "diff",
    "highlight",
    "code",
    "verdict",
    "episode",
    "keyboard",
    "main",
)
"""One concept a file. They are joined in this order and share one scope."""


def write(manifest: dict[str, Any], attempts: Sequence[Recorded], path: Path, notes: Sequence[str] = ()) -> None:
    """Write the report of a run, as `load_run` or `load_rows` gives it, to `path`, by way of a file beside it.

    `notes`: what has to be said of the run's files. Raises UsageError when the page cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8") as file:
            try:
                file.writelines(page(manifest, attempts, notes))
                unfinished.replace(path)
            except BaseException:
                unfinished.unlink()
                raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def page(manifest: dict[str, Any], attempts: Sequence[Recorded], notes: Sequence[str] = ()) -> Iterator[str]:
    """The report of a run as one HTML document, piece by piece, so that the texts need not fit in memory."""
    manifest, attempts = names.plain(manifest), [names.plainly_named(a) for a in attempts]
    summary = tables.summary(manifest, attempts)
    style = "\n".join(_asset(f"{name}.css") for name in _STYLES)
    script = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    template = Environment(
        loader=BaseLoader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(_asset("page.html.j2"))
    yield from template.generate(
        version=repair_bench.__version__,
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        notices=[*summary["notices"], *names.plain(list(notes))],
        note=summary["note"],
        title=manifest.get("name") or "run",
        counts=facts.counts(manifest, attempts, summary),
        facts=facts.settings(manifest),
        conditions=facts.conditions(manifest),
        experiment=facts.experiment(manifest),
        tables=rates.sheets(manifest, attempts, summary),
        figures=list(figures.inline(manifest, attempts)),
        blocks=episodes.blocks(manifest, attempts),
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """A Content-Security-Policy: this style and this script alone, no network, no markup made from strings.

    Style attributes stay allowed: the figures are made of them.
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
