"""Which interpreter runs a framework: by path or by the name of an environment, and looked at before it is used."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from repair_bench import frameworks
from repair_bench.executors.fork_server import ENVIRONMENT, GUEST, adapters
from repair_bench.traces.faults import UsageError

OLDEST = (3, 8)
"""The oldest Python that the guest runs on."""
LOOK_SECONDS = 300.0

_WHO = "import sys; print(sys.executable); print('.'.join(map(str, sys.version_info[:3])))"
"""In words that every Python understands. The path, because the one that was given may be a script that starts it."""


def parse(given: Sequence[str]) -> dict[str, str]:
    """`["qiskit=old", ...]`, the values of `--python`, by framework. Raises UsageError."""
    pythons: dict[str, str] = {}
    for text in given:
        framework, _, python = text.partition("=")
        if not python:
            raise UsageError(
                f"--python {text!r}: expected FRAMEWORK=INTERPRETER, as in qiskit=old or qiskit=/path/to/python"
            )
        if framework in pythons:
            raise UsageError(f"--python {text!r}: {framework} was given another interpreter already")
        pythons[framework] = python
    return pythons


def resolve(pythons: Mapping[str, str]) -> dict[str, str]:
    """The path of the interpreter that each framework was given, by path or by the name of an environment.

    Raises UsageError for one that is missing, is older than `OLDEST` or cannot import its framework, and for a
    framework that is none of ours.
    """
    paths = {}
    for framework, given in pythons.items():
        frameworks.check_name(framework)
        python, _ = examine(find(given))
        versions(framework, python)
        paths[framework] = str(python)
    return paths


def find(given: str) -> Path:
    """The interpreter that a path, the name of an environment, or a command stands for, in this order.

    Raises UsageError.
    """
    if given in environment_names():
        return of_environment(environments_folder() / given)
    command = shutil.which(os.path.expanduser(given))  # noqa: PTH111 - a bare name must stay one
    if command is None:
        names = ", ".join(environment_names()) or "none yet; `repair-bench env create` makes one"
        raise UsageError(f"{given!r} is no interpreter, nor the name of an environment (there are: {names})")
    return Path(command).absolute()


def examine(python: Path) -> tuple[Path, str]:
    """The path by which an interpreter knows itself, and its version. Raises UsageError when it cannot be used."""
    try:
        done = subprocess.run(
            [python, "-c", _WHO], capture_output=True, text=True, timeout=LOOK_SECONDS, check=True, cwd="/"
        )
        path, version = done.stdout.split("\n")[:2]
        newer = tuple(map(int, version.split("."))) >= OLDEST
    except (OSError, subprocess.SubprocessError, ValueError):
        raise UsageError(f"{python} is not a Python interpreter that runs") from None
    if not newer:
        raise UsageError(f"{python} is Python {version}; {'.'.join(map(str, OLDEST))} or newer is needed")
    return Path(path), version


def versions(framework: str, python: Path) -> dict[str, str]:
    """The versions of an interpreter and of what it imports for a framework, once it was imported there.

    Raises UsageError, with the last line of what was raised, when it cannot be imported.
    """
    folder = adapters(framework)
    with tempfile.TemporaryDirectory(prefix="repair-bench-") as home:
        try:
            done = subprocess.run(
                [python, "-s", "-B", GUEST, "versions", framework, *([] if folder is None else [folder])],
                env={**ENVIRONMENT, "HOME": home, "MPLCONFIGDIR": home},
                capture_output=True,
                text=True,
                timeout=LOOK_SECONDS,
                check=False,
                cwd="/",
            )
            return dict(json.loads(done.stdout.splitlines()[-1]))
        except subprocess.TimeoutExpired:
            problem = f"it was not done after {LOOK_SECONDS:.0f} s"
        except (OSError, ValueError, IndexError):
            problem = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
    raise UsageError(f"{framework} cannot be imported by {python}: {problem}")


@functools.cache
def import_path(python: str) -> tuple[str, ...]:
    """The folders that an interpreter, which was looked at before, imports from."""
    command = [python, "-s", "-c", "import sys; print(*sys.path[1:], sep='\\n')"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LOOK_SECONDS, check=True, cwd="/")
    return tuple(done.stdout.splitlines())


def environments_folder() -> Path:
    """Where environments are kept: REPAIR_BENCH_ENVS, else `repair-bench/envs` in the user's data directory."""
    own = os.environ.get("REPAIR_BENCH_ENVS")
    if own:
        return Path(own).absolute()
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "repair-bench" / "envs"


def environment_names() -> list[str]:
    """The names of the environments that are complete; one that is being made is a level further down."""
    return sorted(path.parent.name for path in environments_folder().glob("*/pyvenv.cfg"))


def of_environment(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / "bin" / "python"
