"""Commands that make a run from stored runs, without querying a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    DataOption,
    JsonOption,
    LogLevelOption,
    RequireSealedOption,
    log_to_stderr,
    takes_executor,
)
from repair_bench.cli.output import print_json, print_rows, progress, say, say_unused

if TYPE_CHECKING:
    from repair_bench.executors.options import ExecutorOptions


@takes_executor()
def regrade(
    run_dir: Annotated[Path, typer.Argument(help="Directory of the run whose answers to grade again.")],
    out: Annotated[Path, typer.Option(help="Directory of the new run, or of an interrupted regrade to continue.")],
    *,
    rule: Annotated[
        str | None, typer.Option(help="Grading rule: exact, semantic, paper or released. [the run's]")
    ] = None,
    data: DataOption = None,
    executor: ExecutorOptions,
    require_sealed: RequireSealedOption = False,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Grade the stored answers of a run again, as a new run. Calls no model."""
    from repair_bench.agent.studies import regrading
    from repair_bench.text import count

    log_to_stderr(log_level)
    try:
        with progress("regraded", quiet=json_) as counter:
            result = regrading.regrade(
                run_dir,
                out,
                rule=rule,
                data=data,
                executor=executor,
                require_sealed=require_sealed,
                progress=counter.at,
            )
    except KeyboardInterrupt:
        print(f"Interrupted. The finished part is in {out}; repeat the command to continue.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    say_unused(run_dir, data, executor.pythons)
    if json_:
        print_json(result)
    else:
        if result["tasks"]:
            print_rows(result["tasks"], as_json=False)
            print()
        for line in _lines(result):
            print(line)
        print(f"To see the new run: repair-bench report {out}")
    if result["faults"]:
        ungraded = count(result["faults"], "answer")
        print(
            f"{ungraded} not graded because of infrastructure errors. Repeat the command to retry.",
            file=sys.stderr,
        )
        raise typer.Exit(FAULTS)


def _lines(result: dict[str, Any]) -> list[str]:
    from repair_bench.text import count

    changed = sum(result["changed"].values())
    graded = f"{count(result['answers'], 'answer')} of {result['of']} graded with the rule {result['rule']}"
    lines = [f"{graded}: {count(changed, 'verdict')} changed"]
    if result["off_policy"]:
        lines.append(f"off-policy: {count(result['off_policy'], 'attempt')}; their feedback reported the old verdict")
    if result["censored"]:
        lines.append(f"censored: {count(result['censored'], 'episode')}; the repair curve is shown as bounds")
    if result["excluded"]:
        lines.append(f"omitted: {count(result['excluded'], 'episode')}; their tasks cannot be graded on this machine")
    return lines


def merge(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="Directories of runs with --shard.")],
    out: Annotated[Path, typer.Option(help="Directory of the merged run.")],
    json_: JsonOption = False,
) -> None:
    """Merge the shards of an experiment into one run. The shards are not changed."""
    from repair_bench.agent.studies import merging

    done = merging.merge(run_dirs, out)
    if json_:
        print_json(done)
    else:
        print(f"{len(done['shards'])} of {done['of']} shards, {done['attempts']:,} attempts: {out}")
    say(done["differs"])
    for directory in done["left_out"]:
        print(f"Ignored a second copy of a shard: {directory}", file=sys.stderr)
    if done["missing"]:
        missing = ", ".join(f"{number}/{done['of']}" for number in done["missing"])
        print(
            f"PARTIAL: missing shards: {missing}. Merge all shards into another --out when they are available, or run "
            f"the missing episodes with: repair-bench run --resume {out}",
            file=sys.stderr,
        )
