"""Runs made of other runs, without a model: grading stored answers again, and joining shards."""

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
    LogLevelOption,
    PythonOption,
    RequireSealedOption,
    SandboxOption,
    WorkersOption,
    executor_options,
    log_to_stderr,
)
from repair_bench.cli.output import print_json, print_rows, progress, say, say_unused


def regrade(
    run_dir: Annotated[Path, typer.Argument(help="The run whose answers are graded again.")],
    out: Annotated[Path, typer.Option(help="Directory of the new run, or of one that was stopped.")],
    rule: Annotated[
        str | None, typer.Option(help="Grading rule: exact, semantic, paper or released. [the run's]")
    ] = None,
    data: DataOption = None,
    python: PythonOption = None,
    workers: WorkersOption = None,
    require_sandbox: SandboxOption = "best",
    require_sealed: RequireSealedOption = False,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Execute and grade the stored answers of a run again, as a new run. No model is called."""
    from repair_bench.agent.studies import regrading
    from repair_bench.text import count

    log_to_stderr(log_level)
    options = executor_options(workers, python, require_sandbox)
    try:
        with progress("regraded", quiet=json_) as counter:
            result = regrading.regrade(
                run_dir, out, rule=rule, data=data, executor=options, require_sealed=require_sealed, progress=counter.at
            )
    except KeyboardInterrupt:
        print(f"stopped: what is graded stays in {out}. The same command goes on with it.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    say_unused(run_dir, data, options.pythons)
    if json_:
        print_json(result)
    else:
        if result["tasks"]:
            print_rows(result["tasks"], as_json=False)
            print()
        for line in _lines(result):
            print(line)
        print(f"The new run: repair-bench report {out}")
    if result["faults"]:
        ungraded = count(result["faults"], "answer")
        print(f"not graded: {ungraded}, by a fault on our side. The same command tries again.", file=sys.stderr)
        raise typer.Exit(FAULTS)


def _lines(result: dict[str, Any]) -> list[str]:
    from repair_bench.text import count

    changed = sum(result["changed"].values())
    graded = f"{count(result['answers'], 'answer')} of {result['of']} graded again by the rule {result['rule']}"
    lines = [f"{graded}: {count(changed, 'verdict')} changed"]
    if result["off_policy"]:
        lines.append(f"off-policy: {count(result['off_policy'], 'attempt')}; the model was told something else before")
    if result["censored"]:
        lines.append(f"censored: {count(result['censored'], 'episode')}; the repair curve is drawn as bounds")
    if result["excluded"]:
        lines.append(f"left out: {count(result['excluded'], 'episode')}; the tasks cannot be judged here")
    return lines


def merge(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="Runs made with --shard.")],
    out: Annotated[Path, typer.Option(help="Directory to make.")],
    json_: JsonOption = False,
) -> None:
    """Join the shards of an experiment into one run. They are left as they are."""
    from repair_bench.agent.studies import merging

    done = merging.merge(run_dirs, out)
    if json_:
        print_json(done)
    else:
        print(f"{len(done['shards'])} of {done['of']} shards, {done['attempts']:,} attempts: {out}")
    say(done["differs"])
    for directory in done["left_out"]:
        print(f"left out, as the shard was given twice: {directory}", file=sys.stderr)
    if done["missing"]:
        missing = ", ".join(f"{number}/{done['of']}" for number in done["missing"])
        print(
            f"PARTIAL: shards missing: {missing}. Merge all into another --out when they are there, or make up for "
            f"them with: repair-bench run --resume {out}",
            file=sys.stderr,
        )
