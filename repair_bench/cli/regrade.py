"""Grading a run's stored answers again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    DataOption,
    JsonOption,
    PythonOption,
    SandboxOption,
    WorkersOption,
    executor_options,
)
from repair_bench.cli.output import print_json, print_rows


def regrade(
    run_dir: Annotated[Path, typer.Argument(help="The run whose answers are graded again.")],
    out: Annotated[Path, typer.Option(help="Directory of the new run, or of one that was stopped.")],
    rule: Annotated[str | None, typer.Option(help="Grading rule: exact, paper or released. [the run's]")] = None,
    data: DataOption = None,
    python: PythonOption = None,
    workers: WorkersOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Execute and grade the stored answers of a run again, as a new run. No model is called."""
    from repair_bench.agent import regrading

    options = executor_options(workers, python, require_sandbox)
    try:
        found = regrading.regrade(run_dir, out, rule=rule, data=data, executor=options, quiet=json_)
    except KeyboardInterrupt:
        print(f"stopped: what is graded stays in {out}. The same command goes on with it.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if json_:
        print_json(found)
    else:
        if found["tasks"]:
            print_rows(found["tasks"], as_json=False)
            print()
        for line in _told(found):
            print(line)
        print(f"The new run: repair-bench report {out}")
    if found["faults"]:
        ungraded = _count(found["faults"], "answer")
        print(f"not graded: {ungraded}, by a fault on our side. The same command tries again.", file=sys.stderr)
        raise typer.Exit(FAULTS)


def _told(found: dict[str, Any]) -> list[str]:
    changed = sum(found["changed"].values())
    graded = f"{_count(found['answers'], 'answer')} of {found['of']} graded again by the rule {found['rule']}"
    said = [f"{graded}: {_count(changed, 'verdict')} changed"]
    if found["off_policy"]:
        said.append(f"off-policy: {_count(found['off_policy'], 'attempt')}; the model was told something else before")
    if found["censored"]:
        said.append(f"censored: {_count(found['censored'], 'episode')}; the repair curve is drawn as bounds")
    if found["excluded"]:
        said.append(f"left out: {_count(found['excluded'], 'episode')}; the tasks cannot be judged here")
    return said


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
