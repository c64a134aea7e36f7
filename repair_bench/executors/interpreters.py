"""Find a framework's interpreter by path or by the name of an environment, and check the interpreter."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from repair_bench import frameworks
from repair_bench.executors.fork_server import ForkServer
from repair_bench.traces.faults import ExecutorError, UsageError

OLDEST = (3, 8)
"""The oldest Python version that the guest supports."""
LOOK_SECONDS = 300.0

_WHO = "import sys; print(sys.executable); print('.'.join(map(str, sys.version_info[:3])))"
"""This program runs on any version of Python. The program prints the path of the interpreter that runs the program.
The printed path can differ from the path that the user specified, because the user may specify a script that starts
Python."""


def parse(given: Sequence[str]) -> dict[str, str]:
    """Parse the values of `--python`, such as `["qiskit=old"]`, into a mapping keyed by framework.

    Raises UsageError.
    """
    pythons: dict[str, str] = {}
    for text in given:
        framework, _, python = text.partition("=")
        if not python:
            raise UsageError(
                f"--python {text!r}: expected FRAMEWORK=INTERPRETER, as in qiskit=old or qiskit=/path/to/python"
            )
        if framework in pythons:
            raise UsageError(f"--python {text!r}: {framework} already has another interpreter")
        pythons[framework] = python
    return pythons


def resolve(pythons: Mapping[str, str]) -> dict[str, str]:
    """Return the path of each framework's interpreter. `pythons`: paths or names of environments.

    Raises UsageError for an unknown framework, and for an interpreter that is missing, is older than `OLDEST` or cannot
    import the framework.
    """
    paths = {}
    for framework, given in pythons.items():
        frameworks.check_name(framework)
        python, _ = examine(find(given))
        versions(framework, python)
        paths[framework] = str(python)
    return paths


def find(given: str) -> Path:
    """Return the path of the interpreter that `given` denotes. Raises UsageError.

    `given`: a path, a command, or the name of an environment.
    """
    if given in environment_names():
        return of_environment(environments_folder() / given)
    command = shutil.which(os.path.expanduser(given))  # noqa: PTH111 - Path would change "./python"
    if command is None:
        names = ", ".join(environment_names()) or "none yet; `repair-bench env create` makes one"
        raise UsageError(f"{given!r} is neither an interpreter nor the name of an environment (available: {names})")
    return Path(command).absolute()


def examine(python: Path) -> tuple[Path, str]:
    """Return an interpreter's `sys.executable` and version. Raises UsageError if the interpreter cannot be used."""
    try:
        done = subprocess.run(
            [python, "-c", _WHO], capture_output=True, text=True, timeout=LOOK_SECONDS, check=True, cwd="/"
        )
        path, version = done.stdout.split("\n")[:2]
        newer = tuple(map(int, version.split("."))) >= OLDEST
    except (OSError, subprocess.SubprocessError, ValueError):
        raise UsageError(f"{python} is not a working Python interpreter") from None
    if not newer:
        raise UsageError(f"{python} is Python {version}; Python {'.'.join(map(str, OLDEST))} or later is required")
    return Path(path), version


def versions(framework: str, python: Path) -> dict[str, str]:
    """Import a framework in an interpreter. Return the versions of Python and the packages. Raises UsageError."""
    try:
        server = ForkServer(framework, str(python), layers=())
    except ExecutorError as error:
        raise UsageError(f"{python} cannot import {framework}: {error}") from None
    server.close()
    return server.versions


@functools.cache
def import_path(python: str) -> tuple[str, ...]:
    """Return the import path of an interpreter that has already been checked."""
    command = [python, "-s", "-c", "import sys; print(*sys.path[1:], sep='\\n')"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LOOK_SECONDS, check=True, cwd="/")
    return tuple(done.stdout.splitlines())


def environments_folder() -> Path:
    """Return the folder of the environments: REPAIR_BENCH_ENVS, or `repair-bench/envs` in the user's data directory."""
    own = os.environ.get("REPAIR_BENCH_ENVS")
    if own:
        return Path(own).absolute()
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "repair-bench" / "envs"


def environment_names() -> list[str]:
    """Return the names of the complete environments. An unfinished environment lies one folder deeper than a complete
    one, and is therefore not found.
    """
    return sorted(path.parent.name for path in environments_folder().glob("*/pyvenv.cfg"))


def of_environment(folder: Path) -> Path:
    return folder / "bin" / "python"
