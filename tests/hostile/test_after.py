"""All programs run concurrently with the reference solutions: the references pass, and nothing remains."""

import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_programs import PROGRAMS, HostileProgram
from surroundings import (
    WITHOUT_NAMESPACES,
    Range,
    Surroundings,
    attacked,
    children,
    family,
    rss_mb,
    serving,
    settled,
)
from ways import WAYS

from repair_bench.coroutines import run_to_end
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.local import LocalExecutor
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.aligned import loader
from repair_bench.suites.task import Task

ORDINARY = 64001
"""A user that owns no files."""
IN_FLIGHT = 8
GROWTH_MB = 8.0
"""Permitted growth of a fork server over hundreds of candidates, as the kernel counts resident pages in batches."""


class Pool:
    """Run programs and references on one executor with two workers, eight at a time."""

    def __init__(self, around: Surroundings, executor: LocalExecutor, programs: list[HostileProgram]) -> None:
        self._range = Range(around, executor)
        self.executor = executor
        self._programs = programs
        self._gate = asyncio.Semaphore(IN_FLIGHT)
        self.wrong: dict[str, Any] = {}
        """Return the violations, by program."""

    async def run(self) -> None:
        references = loader.load().tasks
        jobs = [self._hostile(program) for program in self._programs] + [self._reference(task) for task in references]
        random.Random(0).shuffle(jobs)
        await asyncio.gather(*jobs)

    async def _hostile(self, program: HostileProgram) -> None:
        async with self._gate:
            seen = await self._range.outcome(program)
        if seen.effects or seen.outcome is None:
            self.wrong[str(program)] = seen
        elif program.folder != "malformed" and not attacked(seen.outcome):
            self.wrong[str(program)] = seen.outcome
        elif program.framework in FRAMEWORKS:
            verdict = WAYS["distribution"].judge(program.framework, seen.outcome)
            if verdict.kind == "pass":
                self.wrong[str(program)] = verdict

    async def _reference(self, task: Task) -> None:
        assert task.reference is not None
        async with self._gate:
            outcome = await self.executor.run(task.check.program(task, task.reference))
        verdict = task.check.judge(task, outcome)
        if verdict.kind != "pass":
            self.wrong[f"{task.framework} {task.id}"] = verdict, outcome


@pytest.fixture(params=[(LAYERS, 0), (WITHOUT_NAMESPACES, 1)], ids=["all layers", "without namespaces"])
def pool(request: pytest.FixtureRequest, around: Surroundings) -> Iterator[Pool]:
    """Half of the programs in each sandbox."""
    layers, half = request.param
    pool = Pool(around, LocalExecutor(workers=2, layers=layers), PROGRAMS[half::2])
    yield pool
    pool.executor.shutdown()


def test_concurrent_attacks_neither_pass_nor_leave_anything(pool: Pool, around: Surroundings) -> None:
    executor = pool.executor
    for framework in ("python", *FRAMEWORKS):
        Range(around, executor).ready(framework)
    executor._server("qiskit", extra_imports=True)  # some of the programs use this server
    assert around.effects() == set()
    before, memory = standing(executor), resident(executor)
    run_to_end(pool.run())
    assert pool.wrong == {}
    assert around.effects() == set()
    assert settled(lambda: standing(executor) == before), (before, standing(executor))
    assert all(resident(executor)[pid] < size + GROWTH_MB for pid, size in memory.items()), (memory, resident(executor))


def standing(executor: LocalExecutor) -> dict[str, Any]:
    """Return the state that must not change: processes, zombies, descriptors, mounts and files."""
    servers = list(executor._servers.values())
    here = family(executor) | {os.getpid()}
    return {
        "servers": sorted(family(executor)),
        "candidates": [pid for server in servers for pid in children(serving(server))],
        "descriptors": {pid: len(os.listdir(f"/proc/{pid}/fd")) for pid in here},
        "mounts": {pid: len(Path(f"/proc/{pid}/mountinfo").read_text().splitlines()) for pid in here},
        "files": [sorted(os.listdir(server._directory)) for server in servers],
        "shared": sorted(name for name in os.listdir("/dev/shm") if "hostile" in name or "candidate" in name),
    }


def resident(executor: LocalExecutor) -> dict[int, float]:
    """Return the resident memory of each fork server, in MB."""
    return {pid: rss_mb(pid) for pid in family(executor)}


@pytest.mark.skipif(os.geteuid() != 0, reason="we are an ordinary user as it is")
@pytest.mark.parametrize(
    ("file", "which", "least"), [("test_after.py", "concurrent", 2), ("test_hostile.py", "escape and no_harm", 2 * 60)]
)
def test_an_unprivileged_user_is_equally_safe(file: str, which: str, least: int) -> None:
    prefix = become(ORDINARY)
    command = [
        sys.executable,
        "-B",
        "-m",
        "pytest",
        "-q",
        "-m",
        "slow or not slow",
        "-p",
        "no:cacheprovider",
        "-k",
        which,
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, ORDINARY, ORDINARY)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "HOME": folder,
            "TMPDIR": folder,
            "HYPOTHESIS_STORAGE_DIRECTORY": folder,
        }
        done = subprocess.run(
            [*prefix, *command, "--basetemp", folder + "/pytest", Path(__file__).with_name(file)],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= least


def become(user: int) -> list[str]:
    """Return a command prefix that runs a command as this user. Skip if the user cannot execute this interpreter."""
    change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    if not shutil.which("setpriv"):
        pytest.skip("setpriv(1) is needed")
    closed = [folder for folder in Path(sys.executable).resolve().parents if not folder.stat().st_mode & 0o001]
    if not closed:
        return change
    if not shutil.which("unshare"):
        pytest.skip(f"only root may enter {closed[-1]}, where this interpreter is")
    # in a private mount, the inaccessible folder is readable and contains only the interpreter
    kept = Path(sys.base_prefix).resolve()
    script = (
        'kept=$1 closed=$2 && shift 2 && hold=$(mktemp -d) && mount --bind "$kept" "$hold" && '
        'mount -t tmpfs -o mode=755 none "$closed" && mkdir -p "$kept" && mount --bind "$hold" "$kept" && exec "$@"'
    )
    return ["unshare", "--mount", "sh", "-c", script, "sh", str(kept), str(closed[-1]), *change]
