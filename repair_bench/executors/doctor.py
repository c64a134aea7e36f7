"""Test which sandbox layers this machine allows, and whether candidates can run in them."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Iterable
from typing import Any, cast, get_args

from repair_bench._version import __version__
from repair_bench.coroutines import run_to_end
from repair_bench.executors import environments
from repair_bench.executors.confinement import Unconfined
from repair_bench.executors.fork_server import ForkServer
from repair_bench.executors.guest.sandbox.lockdown import LAYERS, ON, WITHOUT
from repair_bench.executors.local import LocalExecutor, Sandbox
from repair_bench.executors.program import Call, Program
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.faults import ExecutorError, Fault, UsageError

PROBE_SECONDS = 60.0
RUN = "they run"


def probe(python: str = sys.executable) -> dict[str, str]:
    """Start a fork server and return the state of every sandbox layer: `on`, or the reason the layer is unavailable.

    Raises UsageError if one of the user's resource limits is too low. Raises ExecutorError if the fork server cannot
    start for a reason other than an unavailable layer.
    """
    try:
        server = ForkServer("python", python, seconds=PROBE_SECONDS)
    except Unconfined as refusal:
        return refusal.layers
    except ExecutorError as error:
        raise ExecutorError(f"the sandbox layers could not be tested with {python}: {error}") from error
    server.close()
    return server.layers


def trials(frameworks: Iterable[str]) -> dict[str, str]:
    """Run a trivial program in each framework's fork server. For each framework, return `RUN` or an error message."""
    trivial = Program("python", "def answer():\n    return 1\n", Call("answer", "state"))

    async def tried(executor: LocalExecutor, framework: str) -> str:
        try:
            await asyncio.to_thread(executor.layers, framework)
            outcome = await executor.run(trivial)
        except (Fault, UsageError) as error:
            return str(error)
        return RUN if outcome.status == "returned" else f"a trivial program did not return (status: {outcome.status})"

    async def go() -> dict[str, str]:
        async with LocalExecutor(workers=1) as executor:
            return {framework: await tried(executor, framework) for framework in frameworks}

    return run_to_end(go())


def report() -> list[dict[str, str]]:
    """Return one row per layer: `layer`, `state` (see `probe`) and `without` (the effect if the layer is missing)."""
    try:
        states = probe()
    except (ExecutorError, UsageError) as error:
        states = dict.fromkeys(LAYERS, str(error))
    return [{"layer": name, "state": states[name], "without": WITHOUT[name]} for name in LAYERS]


def require(sandbox: str, platform: str = sys.platform) -> Sandbox:
    """Return `sandbox`, or raise UsageError if this machine does not support that setting. `best` requires Linux."""
    if sandbox not in get_args(Sandbox):
        raise UsageError(f"--require-sandbox {sandbox!r}: choose from {', '.join(get_args(Sandbox))}")
    if sandbox != "none" and platform != "linux":
        raise UsageError(
            f"candidate programs cannot be sandboxed on {platform}: run repair-bench on Linux or in a container. "
            "For code that you trust, use --require-sandbox none"
        )
    if sandbox == "strict":
        refused = [f"{name} ({state})" for name, state in probe().items() if state != ON]
        if refused:
            raise UsageError(f"--require-sandbox strict: this machine does not allow {', '.join(refused)}")
    return cast("Sandbox", sandbox)


def machine() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "repair-bench": __version__,
        "uv": shutil.which("uv") or "absent: pip is used",
    }


def frameworks() -> list[dict[str, Any]]:
    """Return, for each framework, the packages that this interpreter contains, and whether programs run with them."""
    installed = environments.framework_packages()
    own = {
        name: {package: version for package, version in installed.items() if package.startswith(framework.packages)}
        for name, framework in FRAMEWORKS.items()
    }
    programs = trials(name for name, packages in own.items() if packages)
    return [
        {"framework": name, "packages": packages or "not installed", "programs": programs.get(name, "")}
        for name, packages in own.items()
    ]
