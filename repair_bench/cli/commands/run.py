"""Commands that create runs, and `serve`, which offers the repair loop to a trainer."""

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
    ConcurrencyOption,
    DataOption,
    JsonOption,
    LogLevelOption,
    OutOption,
    OverrideOption,
    PreflightOption,
    log_to_stderr,
    stop,
    takes_executor,
    takes_fields,
)
from repair_bench.cli.output import print_json, print_plan, print_run, run_progress, say, say_unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from repair_bench.agent.experiment.file import Experiment
    from repair_bench.agent.session import Session
    from repair_bench.agent.training.service import Bounds
    from repair_bench.executors.options import ExecutorOptions


@takes_fields(
    OPTIONS,
    hide=("workers", "python", "require_sandbox", "backend", "ray_address", "concurrency", "preflight"),
)
@takes_executor(cluster=True, announce=True)
def run(
    file: Annotated[Path | None, typer.Argument(metavar="[EXPERIMENT.toml]", help="Experiment file.")] = None,
    *,
    fields: dict[str, Any],
    override: OverrideOption = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Dry run: print the planned episodes, cost, and minimum detectable effects, then exit.",
        ),
    ] = False,
    full: Annotated[bool, typer.Option("--full", hidden=True, help="With --plan: print every comparison.")] = False,
    pilot: Annotated[
        Path | None,
        typer.Option(
            hidden=True,
            help="With --plan: estimate rates and their variance from a run with the same arms or models.",
        ),
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="first=P,repaired=R,icc=A,correlation=C",
            hidden=True,
            help="With --plan and without --pilot: assumed rates, each from 0 to 1. P: the share of first answers that "
            "pass. R: the share of failed first answers that the baseline repairs. A: the intraclass correlation "
            "between samples for the same problem. C: the correlation, across problems, between the repair rates of "
            "the two compared arms or models.",
        ),
    ] = None,
    data: DataOption = None,
    out: OutOption = None,
    concurrency: ConcurrencyOption = 16,
    executor: ExecutorOptions,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", hidden=True, help="Run only shard I of N, for batch schedulers; see `merge`."),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Directory of the run to resume.")] = None,
    preflight: PreflightOption = True,
    accept_versions: Annotated[
        bool,
        typer.Option(
            "--accept-versions",
            hidden=True,
            help="With --resume: accept changed package versions that can affect verdicts. Every report lists them.",
        ),
    ] = False,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Run models through the repair loop, then print the results table and draw plots.

    The help lists the most common options. -c PATH=VALUE sets any field of the experiment; the reference page
    "Commands" lists all options.
    """
    log_to_stderr(log_level)
    if accept_versions and resume is None:
        stop("--accept-versions requires --resume")
    if not plan and (pilot is not None or rates is not None):
        stop("use --pilot and --rates only with --plan")
    if full and (not plan or json_):
        stop("use --full only with --plan and without --json")
    if pilot is not None and rates is not None:
        stop("use either --pilot or --rates: the pilot run supplies the rates")
    if resume is not None and out is not None:
        stop("--resume and --out cannot be combined: a resumed run stays in its directory")
    if resume is None and out is None and shard is not None and not plan:
        stop("--shard requires --out: use a separate directory for each shard")
    with loading(quiet=json_) as stage:
        from repair_bench.agent import run_setup
        from repair_bench.agent.experiment import minimum_detectable_effect, settings
        from repair_bench.agent.experiment import plan as planning
        from repair_bench.agent.experiment.given_again import arguments
        from repair_bench.agent.studies.sharding import Shard

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
    again = arguments(file, fields, override, data, executor.pythons)
    finish(replace(opened, given_again=again), concurrency=concurrency, preflight=preflight, as_json=json_)


@takes_fields(
    options(
        "models",
        "repair.feedback",
        "max_attempts",
        "prompt.max_completion_tokens",
        "budget.max_cost",
        "budget.max_tokens",
        "api_base",
    ),
    default="the run's",
)
@takes_executor(announce=True)
def fork(
    run_dir: Annotated[Path, typer.Argument(help="Directory of the run with the failures to repair.")],
    episode: Annotated[
        list[str] | None, typer.Argument(help="Ids of failed episodes; a unique prefix is enough.")
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Repair every failed episode.")] = False,
    attempt: Annotated[int, typer.Option(min=0, help="Number of the failed attempt to start from.")] = 0,
    fields: dict[str, Any],
    override: OverrideOption = None,
    data: DataOption = None,
    out: OutOption = None,
    concurrency: ConcurrencyOption = 16,
    executor: ExecutorOptions,
    preflight: PreflightOption = True,
    log_level: LogLevelOption = None,
    json_: JsonOption = False,
) -> None:
    """Repair the failures stored in a run, with a different feedback policy, history, temperature, or model.

    Without --model, each failure is repaired by the model that wrote it.
    """
    if every == bool(episode):
        stop("select the episodes to repair by their ids, or select all episodes with --all")
    log_to_stderr(log_level)
    with loading(quiet=json_) as stage:
        from repair_bench.agent import run_setup
        from repair_bench.agent.experiment import settings
        from repair_bench.agent.experiment.given_again import arguments

        given = settings.collect(None, override or (), _with_pythons(fields, executor))
        chosen = tuple(episode) if episode else None
        opened = run_setup.fork(run_dir, chosen, attempt, given, out=out, data=data, executor=executor, stage=stage)
    say_unused(run_dir, data, given.get("pythons"))
    again = arguments(None, fields, override, data, executor.pythons)
    finish(replace(opened, given_again=again), concurrency=concurrency, preflight=preflight, as_json=json_)


def merge(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="Directories of the shards.")],
    out: Annotated[Path, typer.Option(help="Directory for the merged run.")],
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
        print(f"Ignored a duplicate shard: {directory}", file=sys.stderr)
    if done["missing"]:
        missing = ", ".join(f"{number}/{done['of']}" for number in done["missing"])
        print(
            f"PARTIAL: missing shards: {missing}. Merge all shards into another --out directory when they are "
            f"available, or run the missing episodes now: repair-bench run --resume {out}",
            file=sys.stderr,
        )


@takes_fields(options("suites", "frameworks", "limit", "max_attempts", "repair.feedback"))
@takes_executor(announce=True)
def serve(
    file: Annotated[Path | None, typer.Argument(metavar="[EXPERIMENT.toml]", help="Experiment file.")] = None,
    *,
    fields: dict[str, Any],
    override: OverrideOption = None,
    data: DataOption = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Do not use a public address: the service has no authentication.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the service; 0 for any free port.")] = 8470,
    rollouts: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of open rollouts.")] = 256,
    expires: Annotated[float, typer.Option(min=1, help="Idle time, in seconds, after which a rollout ends.")] = 1800,
    executor: ExecutorOptions,
) -> None:
    """Serve the repair loop over HTTP as a training environment: tasks, feedback, and rewards.

    An experiment file is accepted, but its models, samples, and budget are ignored. Records nothing. Stop with Ctrl-C.
    """
    from repair_bench.agent.experiment import settings
    from repair_bench.agent.training.service import Bounds, is_local
    from repair_bench.coroutines import run_to_end

    experiment = settings.experiment(settings.collect(file, override or (), _with_pythons(fields, executor)))
    if not is_local(host):
        print(
            f"WARNING: every client that can reach {host} can execute programs here without authentication.",
            file=sys.stderr,
        )
    run_to_end(serve_until_stopped(experiment, data, executor, host, port, Bounds(rollouts, expires)))


async def serve_until_stopped(
    experiment: Experiment, data: Path | None, executor: ExecutorOptions, host: str, port: int, bounds: Bounds
) -> None:
    import asyncio
    import signal

    from repair_bench.agent.training.rollout import Rollouts
    from repair_bench.agent.training.service import served

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def end() -> None:
        if not task.cancelling():
            task.cancel()  # also while the suites are loaded, which may take a minute
        loop.remove_signal_handler(signal.SIGINT)  # a second Ctrl-C does not wait for the cleanup

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    with contextlib.suppress(asyncio.CancelledError):
        async with (
            Rollouts.opened(experiment, data=data, executor=executor) as opened,
            served(opened, host, port, bounds) as address,
        ):
            print(f"Serving {len(opened.tasks())} tasks at {address}. Press Ctrl-C to stop.", flush=True)
            await loop.create_future()


@contextlib.contextmanager
def loading(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show the loading stage on a terminal; call the yielded function to change the stage. Ctrl-C exits."""
    from rich.console import Console

    try:
        with Console(stderr=True, quiet=quiet).status("loading") as status:
            yield status.update
    except KeyboardInterrupt:
        print("repair-bench: interrupted while loading; no request was sent", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _with_pythons(fields: dict[str, Any], executor: ExecutorOptions) -> dict[str, Any]:
    return {**fields, "pythons": executor.pythons} if executor.pythons else fields


def finish(opened: Session, *, concurrency: int, preflight: bool, as_json: bool) -> None:
    """Execute a run, print its results, and exit with the corresponding code."""
    from repair_bench.agent import session
    from repair_bench.traces.faults import TraceError, UsageError

    say(opened.store.notes)
    try:
        with run_progress(opened, quiet=as_json) as progress:
            result = session.drive(opened, concurrency=concurrency, progress=progress, preflight=preflight)
    except KeyboardInterrupt:  # before the first episode, or pressed twice
        print(f"Run interrupted. To resume: {opened.resume_command}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except UsageError as error:
        stop(f"{str(error).rstrip('.')}. No results are lost. To resume: {opened.resume_command}")
    except TraceError as fault:
        raise TraceError(f"{fault}. Recorded attempts are kept. To resume: {opened.resume_command}") from fault
    try:
        if as_json or not session.lacks_answers(opened):  # until then, `report` shows the results so far
            print_run(opened.directory, as_json=as_json)
    finally:  # even if the plots cannot be written
        report = f"repair-bench report {shlex.quote(str(opened.directory))} --html"
        print(f"Run directory: {opened.directory}. For the full HTML report: {report}", file=sys.stderr)
        say(session.closing_lines(opened, result))
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.pending:
        raise typer.Exit(FAULTS)
