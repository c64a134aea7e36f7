"""Making a run."""

from __future__ import annotations

import contextlib
import shlex
import sys
from dataclasses import replace
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
    LogLevelOption,
    OutOption,
    OverrideOption,
    PreflightOption,
    PythonOption,
    RayAddressOption,
    SandboxOption,
    WorkersOption,
    executor_options,
    log_to_stderr,
    stop,
    takes_fields,
)
from repair_bench.cli.output import print_plan, print_run, run_progress, say, say_unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from repair_bench.agent.session import Session
    from repair_bench.executors.options import ExecutorOptions


@takes_fields(
    OPTIONS,
    hide=(
        "workers",
        "python",
        "require_sandbox",
        "backend",
        "ray_address",
        "shard",
        "concurrency",
        "preflight",
        "accept_versions",
        "full",
        "pilot",
        "rates",
    ),
)
def run(
    file: Annotated[Path | None, typer.Argument(metavar="[EXPERIMENT.toml]", help="The experiment, in a file.")] = None,
    *,
    fields: dict[str, Any],
    override: OverrideOption = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would be done, spent and found, and stop.")] = False,
    full: Annotated[bool, typer.Option("--full", help="With --plan: print every comparison.")] = False,
    pilot: Annotated[
        Path | None,
        typer.Option(help="With --plan: how differences vary is taken from this run, of the same arms or models."),
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="first=P,repaired=R,icc=A,correlation=C",
            help="With --plan and without a pilot: what is expected. P of the first answers pass, R of the others are "
            "repaired by the baseline; A is the intraclass correlation of the samples of a problem; C is "
            "the correlation of both sides' repairs over problems.",
        ),
    ] = None,
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
    preflight: PreflightOption = True,
    accept_versions: Annotated[
        bool,
        typer.Option(
            "--accept-versions",
            help="With --resume: go on though versions that may decide verdicts changed; every report says so.",
        ),
    ] = False,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Take models through the repair loop, then print the table and draw the plots.

    These are the everyday options: -c PATH=VALUE sets any field of the experiment, and the documentation's page of
    commands has the rest.
    """
    log_to_stderr(log_level)
    if accept_versions and resume is None:
        stop("--accept-versions goes with --resume")
    if not plan and (pilot is not None or rates is not None):
        stop("--pilot and --rates go with --plan")
    if full and (not plan or json_):
        stop("--full goes with --plan, and not with --json")
    if pilot is not None and rates is not None:
        stop("--pilot and --rates exclude each other: a pilot run says what is to be expected")
    if resume is not None and out is not None:
        stop("--resume and --out exclude each other: a resumed run stays in its directory")
    if resume is None and out is None and shard is not None and not plan:
        stop("--shard needs --out: a directory for each shard")
    with loading(quiet=json_) as stage:
        from repair_bench.agent import run_setup
        from repair_bench.agent.experiment import minimum_detectable_effect, settings
        from repair_bench.agent.experiment import plan as planning
        from repair_bench.agent.experiment.given_again import arguments
        from repair_bench.agent.studies.sharding import Shard

        executor = executor_options(workers, python, require_sandbox, backend, ray_address, quiet=json_)
        part = Shard.parse(shard) if shard is not None else None
        given = settings.collect(file, override or (), _with_pythons(fields, executor))
        if plan:
            planned = planning.plan(
                settings.experiment(given),
                data,
                pilot=minimum_detectable_effect.Pilot.read(pilot) if pilot is not None else None,
                rates=minimum_detectable_effect.Rates.parse(rates) if rates is not None else None,
            )
        elif resume is not None:
            opened = run_setup.resume(
                resume, given, data=data, executor=executor, shard=part, accept_versions=accept_versions, stage=stage
            )
        else:
            opened = run_setup.start(given, out=out, data=data, executor=executor, shard=part, stage=stage)
    if plan:
        print_plan(planned, as_json=json_, full=full)
        return
    if resume is not None:
        say_unused(resume, data, given.get("pythons"))
    again = arguments(file, fields, override, data, python)
    finish(replace(opened, given_again=again), concurrency=concurrency, preflight=preflight, as_json=json_)


@takes_fields(
    options(
        "models",
        "repair.feedback",
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
    preflight: PreflightOption = True,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Go on from a run's failures under another policy, history or temperature, or with another model.

    Without --model each failure is repaired by the model that wrote it.
    """
    if every == bool(episode):
        stop("name the episodes to go on from, or give --all")
    log_to_stderr(log_level)
    with loading(quiet=json_) as stage:
        from repair_bench.agent import run_setup
        from repair_bench.agent.experiment import settings
        from repair_bench.agent.experiment.given_again import arguments
        from repair_bench.agent.studies.forking import ChosenFailures

        executor = executor_options(workers, python, require_sandbox, quiet=json_)
        given = settings.collect(None, override or (), _with_pythons(fields, executor))
        chosen = ChosenFailures(tuple(episode) if episode else None, attempt)
        opened = run_setup.fork(run_dir, chosen, given, out=out, data=data, executor=executor, stage=stage)
    say_unused(run_dir, data, given.get("pythons"))
    again = arguments(None, fields, override, data, python)
    finish(replace(opened, given_again=again), concurrency=concurrency, preflight=preflight, as_json=json_)


@contextlib.contextmanager
def loading(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal what is being loaded, as the yielded function is told. Ctrl-C meanwhile is one line."""
    from rich.console import Console

    try:
        with Console(stderr=True, quiet=quiet).status("loading") as status:
            yield status.update
    except KeyboardInterrupt:
        print("repair-bench: stopped while loading: no model was asked", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _with_pythons(fields: dict[str, Any], executor: ExecutorOptions) -> dict[str, Any]:
    """--python is an option of every command that executes; of an experiment it is a field."""
    return {**fields, "pythons": executor.pythons} if executor.pythons else fields


def finish(opened: Session, *, concurrency: int, preflight: bool, as_json: bool) -> None:
    """Drive a run that was opened, print what came of it, and leave with the exit code that says how it ended."""
    from repair_bench.agent import session
    from repair_bench.traces.faults import TraceError, UsageError

    say(opened.store.notes)
    try:
        with run_progress(opened, quiet=as_json) as progress:
            result = session.drive(opened, concurrency=concurrency, progress=progress, preflight=preflight)
    except KeyboardInterrupt:  # before the first episode was begun, or twice
        print(f"the run was stopped. Go on with: {opened.resume_command}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except UsageError as error:
        stop(f"{str(error).rstrip('.')}. Nothing is lost; then go on with: {opened.resume_command}")
    except TraceError as fault:
        raise TraceError(f"{fault}. What is recorded stays; then go on with: {opened.resume_command}") from fault
    try:
        print_run(opened.directory, as_json=as_json)
    finally:  # also where the plots cannot be written
        report = f"repair-bench report {shlex.quote(str(opened.directory))} --html"
        print(f"The run is in {opened.directory}. The whole report as a page: {report}", file=sys.stderr)
        say(session.closing_lines(opened, result))
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.owed:
        raise typer.Exit(FAULTS)
