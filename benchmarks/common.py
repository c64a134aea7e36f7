"""Helpers shared by the benchmarks: options, tables, tasks, and fresh interpreters as a baseline."""

from __future__ import annotations

import argparse
import asyncio
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.cli.output import write_json
from repair_bench.executors.fork_server import ENVIRONMENT, GUEST
from repair_bench.executors.program import Call, Program
from repair_bench.suites.task import Run, Task

FOLDERS = {
    "quantum-katas": "quantum-katas",
    "qiskit-humaneval": "qiskit-humaneval",
    "qiskit-humaneval-hard": "qiskit-humaneval",
}
"""Folders below REPAIR_BENCH_DATASETS that contain the files of published suites."""

TEST = """
import json, sys
given = json.load(sys.stdin)
candidate = {"__name__": "candidate"}
exec(compile(given["source"], "candidate.py", "exec"), candidate)
test = dict(candidate)
exec(compile(given["test"], "test.py", "exec"), test)
wanted = "test_" + given["entry_point"]
test[wanted if wanted in test else next(name for name in test if name.startswith("test_"))]()
"""
"""Runs a test in the same way as the published evaluator of the Quantum Katas."""

OBSERVE = """
import importlib, importlib.util, json, sys
given, folder = json.load(sys.stdin), sys.argv[1]
spec = importlib.util.spec_from_file_location("guest", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["guest"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
adapter = importlib.import_module("guest.adapters.%s_adapter" % given["framework"])
trial = importlib.import_module("guest.candidate").Trial(given, adapter)
trial.prepare()
open(sys.argv[2], "wb").write(trial.run())
"""
"""Observes one candidate as a child of the fork server does, but in the process that imports the framework."""


def parse(doc: str | None, **more: str | dict[str, Any]) -> argparse.Namespace:
    """Parse the options that all benchmarks share, and additional ones. `more`: the help of a flag, or argparse's
    arguments.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="run a small version, as a test")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    for name, option in more.items():
        parser.add_argument(
            f"--{name}", **({"action": "store_true", "help": option} if isinstance(option, str) else option)
        )
    return parser.parse_args()


def report(title: str, rows: list[dict[str, Any]], file: Path | None = None) -> None:
    """Print a table with its title and the machine's load, and append it to the requested file."""
    machine = {"load": round(os.getloadavg()[0], 1), "cores": os.cpu_count()}
    print(f"\n{title} (load {machine['load']} on {machine['cores']} cores)")
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    sys.stdout.flush()
    if file is not None:
        before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        write_json(file, {**before, title: {**machine, "rows": rows}})


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def data_of(suite: str) -> Path | None:
    """Return the folder of a published suite's files. If it is missing, print the reason and return None."""
    given = os.environ.get("REPAIR_BENCH_DATASETS")
    folder = Path(given or "", FOLDERS[suite])
    if given and folder.is_dir():
        return folder
    print(f"\n{suite} is skipped: set REPAIR_BENCH_DATASETS to the folder that holds {FOLDERS[suite]}/")
    return None


def references(name: str, run: Run | None = None) -> list[Task]:
    """Return the tasks with a reference that can be executed here; none if the suite's files are missing. `run`:
    computes the correct answers, without which tasks cannot be judged.
    """
    data = data_of(name) if name in FOLDERS else None
    if name in FOLDERS and data is None:
        return []
    suite = asyncio.run(suites.load(name, data=data, run=run))
    return [task for task in suite.tasks if task.reference is not None and task.excluded is None]


@dataclass(frozen=True)
class Fresh:
    """The result of a program in a fresh interpreter: how it ended, and its value unless it is a test."""

    code: int
    result: bytes


class FreshInterpreters:
    """Runs each program in a fresh interpreter without a sandbox. The guest's modules are already compiled."""

    def __init__(self, folder: str) -> None:
        self._guest = Path(folder, "guest")
        shutil.copytree(GUEST, self._guest)
        compileall.compile_dir(self._guest, quiet=1)

    def run(self, program: Program) -> Fresh:
        call = program.call
        request = {"framework": program.framework, "source": program.source, "seed": program.seed, **asdict(call)}
        request["value_bytes"] = program.limits.value_mb << 20
        script = OBSERVE if isinstance(call, Call) else TEST
        with tempfile.TemporaryDirectory() as home:
            result = Path(home, "result")
            done = subprocess.run(
                [sys.executable, "-s", "-c", script, self._guest, result],
                env={**ENVIRONMENT, "HOME": home, "MPLCONFIGDIR": home},
                cwd=home,
                input=json.dumps(request).encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            return Fresh(done.returncode, result.read_bytes() if result.exists() else b"")

    def run_all(self, programs: list[Program], workers: int) -> list[Fresh]:
        """Run several programs concurrently."""
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(self.run, programs))


@contextmanager
def fresh_interpreters() -> Iterator[FreshInterpreters]:
    """Return the fresh interpreters. Warn if packages lack bytecode, which each interpreter would compile."""
    import numpy as np

    if not any(Path(np.__file__).parent.glob("__pycache__/*.pyc")):
        print("numpy has no bytecode: to compare fairly, first run `python -m compileall` on site-packages")
    with tempfile.TemporaryDirectory() as folder:
        yield FreshInterpreters(folder)
