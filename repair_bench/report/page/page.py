"""The page: template, style, script and data in one file, under a policy that forbids the network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup

import repair_bench
from repair_bench.analysis.information import Observed
from repair_bench.report import plots, sections
from repair_bench.report.page import episodes, facts, figures, names
from repair_bench.report.sections import comparison, published
from repair_bench.report.sections.base import Asked
from repair_bench.traces.faults import UsageError
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_ASSETS = files("repair_bench.report.page") / "assets"
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


@dataclass(frozen=True)
class Extra:
    """What a page holds where it is asked for.

    `certificate`: of the suite under the run's rule, as JSON data; `paper`: the name of published figures;
    `comparison`: of this run with another, as `analysis.comparison.compare` gives it; `observed`: what the ideal
    observer sees of the run.
    """

    certificate: Mapping[str, Any] | None = None
    paper: str | None = None
    comparison: Mapping[str, Any] | None = None
    observed: Sequence[Observed] = ()


def write(
    manifest: Manifest,
    attempts: Sequence[Recorded],
    path: Path,
    notes: Sequence[str] = (),
    extra: Extra | None = None,
) -> None:
    """Write the report of a run, as `load_rows` gives it, to `path`, by way of a file beside it.

    `notes`: what has to be said of the run's files. Raises UsageError when the page cannot be written, and for an
    `extra` that does not go with the run.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8") as file:
            try:
                file.writelines(page(manifest, attempts, notes, extra))
                unfinished.replace(path)
            except BaseException:
                unfinished.unlink()
                raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def page(
    manifest: Manifest, attempts: Sequence[Recorded], notes: Sequence[str] = (), extra: Extra | None = None
) -> Iterator[str]:
    """The report of a run as one HTML document, piece by piece, so that the texts need not fit in memory."""
    manifest = Manifest.from_json(names.plain(manifest.stated))
    attempts = [names.plainly_named(a) for a in attempts]
    extra = extra or Extra()
    run = sections.studied(manifest, attempts, names.plain(extra.certificate), extra.observed)
    asked = list(_asked(manifest, attempts, extra))
    notices = [*run.summary["notices"], *(notice for part in asked for notice in part.notices)]
    first, *others = sections.SUMMARY
    drawn, undrawn = figures.inline(manifest, attempts, extra.observed)
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
        notices=[*dict.fromkeys(notices), *names.plain(list(notes))],
        note=run.summary["note"],
        title=manifest.name or "run",
        counts=facts.counts(manifest, attempts, run.summary),
        facts=facts.settings(manifest),
        conditions=facts.conditions(manifest),
        experiment=facts.experiment(manifest),
        first=sections.tables(run, {first: sections.SUMMARY[first]}),
        tables={
            **{name: table for part in asked for name, table in part.tables.items()},
            **sections.tables(run, {name: sections.SUMMARY[name] for name in others}),
            **sections.tables(run, {**sections.ON_PAGE, **sections.SECTIONS}),
        },
        first_figures=plots.AFTER_RUN,
        figures=drawn,
        undrawn=undrawn,
        blocks=episodes.blocks(manifest, attempts, extra.observed),
    )


def _asked(manifest: Manifest, attempts: Sequence[Recorded], extra: Extra) -> Iterator[Asked]:
    """The comparison and the published figures that were asked for."""
    if extra.comparison is not None:
        yield comparison.shown(names.plain(dict(extra.comparison)))
    if extra.paper is not None:
        yield published.published(extra.paper, manifest, attempts).shown()


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
