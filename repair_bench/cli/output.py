"""How the commands print: figures of a run, rows, JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repair_bench.agent.experiment import Experiment
    from repair_bench.suites.task import Suite, Task
    from repair_bench.traces.rows import Run


def read_run(directory: Path) -> Run:
    """A run's rows; what has to be said of its files goes to stderr."""
    from repair_bench.traces.rows import load_rows

    run = load_rows(directory)
    for note in run.notes:
        print(note, file=sys.stderr)
    return run


def read_runs(directories: list[Path]) -> Run:
    """Several runs as one; what has to be said of them goes to stderr."""
    from repair_bench.traces.rows import load_rows
    from repair_bench.traces.several import join

    run = join([load_rows(directory) for directory in directories], [str(directory) for directory in directories])
    for note in run.notes:
        print(note, file=sys.stderr)
    return run


def chosen(run: Run, only: list[str] | None) -> Run:
    """The part of a run that `--only` names; the whole without it."""
    from dataclasses import replace

    from repair_bench.traces.choice import choose, part_of

    return replace(run, manifest=part_of(run.manifest), rows=choose(run.rows, only)) if only else run


def read_certificate(path: Path | None) -> dict[str, Any] | None:
    """A certificate of a suite's grader, as `suites audit --out` writes it."""
    import json

    from repair_bench.traces.faults import UsageError

    if path is None:
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["tasks"] and found["suite"] and found["rule"]:
            return dict(found)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise UsageError(f"{path} is no certificate: `repair-bench suites audit SUITE --rule RULE --out DIR` makes one")


def print_run(directory: Path, *, as_json: bool) -> None:
    """The table of a run that has ended, and its first plots."""
    from repair_bench.traces import plots, tables

    run = read_run(directory)
    figures = tables.summary(run.manifest, run.rows)
    if as_json:
        print_json(figures)
    else:
        from rich.console import Console

        console = Console()
        console.print(tables.render(figures, console.width))
    for kind in plots.AFTER_RUN:
        for path in plots.draw(kind, run.rows, run.manifest, directory / "plots"):
            if not as_json:
                print(path)


def print_report(run: Run, certificate: dict[str, Any] | None, *, as_json: bool) -> None:
    """The table of a run, and everything else that its attempts tell."""
    from repair_bench.traces import sections, tables

    figures = tables.summary(run.manifest, run.rows)
    found = sections.sections(run.manifest, run.rows, certificate)
    if as_json:
        print_json({**figures, "sections": found})
        return
    from rich.console import Console

    console = Console()
    console.print(tables.render(figures, console.width))
    console.print(sections.render(found, console.width))


def print_beside(run: Run, paper: str, *, as_json: bool) -> None:
    """A run beside published figures."""
    from repair_bench.traces import beside, beside_text

    found = beside.beside(paper, run.manifest, run.rows)
    if as_json:
        print_json(found)
        return
    from rich.console import Console

    console = Console()
    for part in beside_text.parts(found, console.width):
        console.print(part)


def print_plan(experiment: Experiment, *, data: Path | None, as_json: bool) -> None:
    from repair_bench.agent.planning import plan

    planned = plan(experiment, data)
    if as_json:
        print_json(planned)
        return
    suites = ", ".join(f"{name} {version}" for name, version in planned["suites"].items())
    print(f"{planned['tasks']} tasks of {suites}; {planned['excluded']} excluded")
    print(f"{len(planned['conditions'])} conditions: {', '.join(planned['conditions'])}")
    print(f"{planned['samples']} samples, {planned['max_attempts']} repair attempts\n")
    rows = []
    for one in planned["models"]:
        spans = {name: _span(one[name], form) for name, form in _PLANNED.items()}
        rows.append({"model": one["model"], "episodes": f"{one['episodes']:,}", **spans})
    print_rows(rows, as_json=False)
    print(
        "\nFrom every first answer passing to none passing, with answers as long as the reference; a model that thinks"
    )
    print("aloud uses more. Nothing was executed, asked or written.")


_PLANNED = {"calls": ",d", "tokens": ",.0f", "cost_usd": ",.4f"}


def _span(figure: dict[str, Any], form: str) -> str:
    least, most = (("unknown" if v is None else format(v, form)) for v in (figure["least"], figure["most"]))
    return least if least == most else f"{least} to {most}"


def print_rows(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in rows[0] if rows else ():
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    Console().print(table)


def print_errata(suite: Suite) -> None:
    """One paragraph a problem; what is the same in every framework is said once."""
    import textwrap

    said: dict[tuple[str, str], list[Task]] = {}
    for task in suite.tasks:
        text = " ".join(filter(None, [task.errata, task.excluded and f"Excluded: {task.excluded}"]))
        if text:
            said.setdefault((task.id, text), []).append(task)
    for (name, text), tasks in said.items():
        everywhere = len(tasks) == sum(task.id == name for task in suite.tasks)
        where = "" if everywhere else f" ({', '.join(task.framework for task in tasks)})"
        wrong = "  [reference wrong]" if any(task.reference_wrong for task in tasks) else ""
        print(f"{name}  {tasks[0].title or tasks[0].entry_point}{where}{wrong}")
        print(textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    "))


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return "" if value is None else str(value)


def print_json(data: Any) -> None:
    import json

    print(json.dumps(data, indent=1))


def write_json(path: Path, data: Any) -> None:
    import json

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
