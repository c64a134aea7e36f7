"""Making a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.agent.experiment.options import OPTIONS, options
from repair_bench.cli.options import (
    FAULTS,
    INTERRUPTED,
    BackendOption,
    ConcurrencyOption,
    DataOption,
    JsonOption,
    LogJsonOption,
    LogLevelOption,
    OutOption,
    OverrideOption,
    PythonOption,
    RayAddressOption,
    SandboxOption,
    WorkersOption,
    executor_options,
    log_to_stderr,
    stop,
    takes_fields,
)
from repair_bench.cli.output import print_plan, print_run

if TYPE_CHECKING:
    from repair_bench.agent.session import Session
    from repair_bench.executors.options import ExecutorOptions


@takes_fields(
    OPTIONS, hide=("workers", "python", "require_sandbox", "backend", "ray_address", "shard", "concurrency", "log_json")
)
def run(
    file: Annotated[Path | None, typer.Argument(metavar="[EXPERIMENT.toml]", help="The experiment, in a file.")] = None,
    *,
    fields: dict[str, Any],
    override: OverrideOption = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would be done and spent, and stop.")] = False,
    data: DataOption = None,
    out: OutOption = None,
    concurrency: ConcurrencyOption = 16,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    backend: BackendOption = "local",
    ray_address: RayAddressOption = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Only part I of N of the episodes, for batch schedulers; see merge."),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this directory.")] = None,
    log_level: LogLevelOption = None,
    log_json: LogJsonOption = False,
    json_: JsonOption = False,
) -> None:
    """Take models through the repair loop, then print the table and draw the plots.

    These are the everyday options: -c PATH=VALUE sets any field of the experiment, and the documentation's page of
    commands has the rest.
    """
    from repair_bench.agent import opening
    from repair_bench.agent.experiment import settings
    from repair_bench.agent.studies.sharding import Shard

    log_to_stderr(log_level, log_json)
    executor = executor_options(workers, python, require_sandbox, backend, ray_address)
    part = Shard.parse(shard) if shard is not None else None
    given = settings.collect(file, override or (), _with_pythons(fields, executor))
    if plan:
        print_plan(settings.experiment(given), data=data, as_json=json_)
        return
    if resume is not None:
        if out is not None:
            stop("--resume and --out exclude each other: a resumed run stays in its directory")
        opened = opening.resume(resume, given, data=data, executor=executor, shard=part)
    else:
        if part is not None and out is None:
            stop("--shard needs --out: a directory for each shard")
        opened = opening.start(given, out=out, data=data, executor=executor, shard=part)
    finish(opened, concurrency=concurrency, as_json=json_)


@takes_fields(
    options(
        "models",
        "repair.feedback",
        "repair.history",
        "temperature.repairs",
        "max_attempts",
        "budget.max_cost",
        "budget.max_tokens",
        "api_base",
    ),
    default="the run's",
)
def fork(
    run_dir: Annotated[Path, typer.Argument(help="The run whose failures are gone on from.")],
    episode: Annotated[list[str] | None, typer.Argument(help="Episodes, or the start of their ids.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Every episode that failed.")] = False,
    attempt: Annotated[int, typer.Option(min=0, help="The attempt whose failure is gone on from.")] = 0,
    fields: dict[str, Any],
    override: OverrideOption = None,
    data: DataOption = None,
    out: OutOption = None,
    concurrency: ConcurrencyOption = 16,
    workers: WorkersOption = None,
    python: PythonOption = None,
    require_sandbox: SandboxOption = "best",
    log_level: LogLevelOption = None,
    log_json: LogJsonOption = False,
    json_: JsonOption = False,
) -> None:
    """Go on from a run's failures under another policy, history or temperature, or with another model.

    Without --model each failure is repaired by the model that wrote it.
    """
    from repair_bench.agent import opening
    from repair_bench.agent.experiment import settings
    from repair_bench.agent.studies.forking import ChosenFailures

    if every == bool(episode):
        stop("name the episodes to go on from, or give --all")
    log_to_stderr(log_level, log_json)
    executor = executor_options(workers, python, require_sandbox)
    given = settings.collect(None, override or (), _with_pythons(fields, executor))
    chosen = ChosenFailures(tuple(episode) if episode else None, attempt)
    opened = opening.fork(run_dir, chosen, given, out=out, data=data, executor=executor)
    finish(opened, concurrency=concurrency, as_json=json_)


def _with_pythons(fields: dict[str, Any], executor: ExecutorOptions) -> dict[str, Any]:
    """--python is an option of every command that executes; of an experiment it is a field."""
    return {**fields, "pythons": executor.pythons} if executor.pythons else fields


def finish(opened: Session, *, concurrency: int, as_json: bool) -> None:
    """Drive a run that was opened, print what came of it, and leave with the exit code that says how it ended."""
    from repair_bench.agent import session
    from repair_bench.traces.faults import UsageError

    for note in opened.store.notes:
        print(note, file=sys.stderr)
    try:
        result = session.drive(opened, concurrency=concurrency, quiet=as_json)
    except UsageError as error:
        stop(f"{error}. Nothing is lost; then go on with: {opened.resume_command}")
    print_run(opened.directory, as_json=as_json)
    for line in session.closing_lines(opened, result):
        print(line, file=sys.stderr)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.owed:
        raise typer.Exit(FAULTS)
