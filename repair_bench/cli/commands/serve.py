"""The command `serve`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repair_bench.agent.experiment.options import options
from repair_bench.cli.options import DataOption, OverrideOption, takes_executor, takes_fields

if TYPE_CHECKING:
    from repair_bench.agent.experiment.file import Experiment
    from repair_bench.agent.training.service import Bounds
    from repair_bench.executors.options import ExecutorOptions


@takes_fields(options("suites", "frameworks", "limit", "max_attempts", "repair.feedback"))
@takes_executor(announce=True)
def serve(
    file: Annotated[Path | None, typer.Argument(metavar="[EXPERIMENT.toml]", help="Experiment file.")] = None,
    *,
    fields: dict[str, Any],
    override: OverrideOption = None,
    data: DataOption = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on. There is no authentication: other machines may gain access.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free port.")] = 8470,
    rollouts: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of open rollouts.")] = 256,
    expires: Annotated[float, typer.Option(min=1, help="Seconds without a request after which a rollout ends.")] = 1800,
    executor: ExecutorOptions,
) -> None:
    """Serve the repair loop over HTTP as a training environment: tasks, feedback, and rewards.

    Accepts the experiment file of `run`, but ignores its models, samples, and budget. Records nothing. Stop with
    Ctrl-C.
    """
    from repair_bench.agent.experiment import settings
    from repair_bench.agent.training.service import Bounds, is_local
    from repair_bench.coroutines import run_to_end

    fields = {**fields, "pythons": executor.pythons} if executor.pythons else fields
    experiment = settings.experiment(settings.collect(file, override or (), fields))
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
