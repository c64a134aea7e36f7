"""Fixtures for all tests."""

import gzip
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.testing
from commands import Done
from hypothesis import settings

from repair_bench.cli import main, output
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.frameworks import BUILT_IN, FRAMEWORKS
from repair_bench.suites import aligned
from repair_bench.suites.aligned import loader
from repair_bench.suites.task import Suite, Task

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with SIGINT ignored

# deterministic examples without a time limit, because test machines are shared
settings.register_profile("repair-bench", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("repair-bench")

HERE = Path(__file__).parent

DATASETS = Path(os.environ.get("REPAIR_BENCH_DATASETS", Path(__file__).parents[2] / "shared" / "datasets"))

ANSWERS = Path(os.environ.get("REPAIR_BENCH_ANSWERS", Path(__file__).parents[2] / "shared" / "answers"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the files in this folder: they take longest and often wait, while other tests can run."""
    items.sort(key=lambda item: item.path.parent != HERE)


@pytest.fixture(autouse=True)
def no_framework_stays() -> Iterator[None]:
    """Remove a framework that a test adds after that test."""
    yield
    assert tuple(FRAMEWORKS) == BUILT_IN


_drawn = output.draw_after_run


@pytest.fixture(scope="session", autouse=True)
def not_drawn() -> Iterator[None]:
    """Omit the plots of runs in this process: drawing them takes longer than most small runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "draw_after_run", lambda run, out: ())
        yield


@pytest.fixture(scope="session", autouse=True)
def built_once() -> Iterator[None]:
    """Build the command tree and read the problems of `aligned` once per process, to save time."""
    read, command = loader._read, cache(typer.main.get_command)

    kept = cache(read)

    def read_once(folder: Path, solved: list[str], rule: str) -> list[Task]:
        built_in = folder.parent == loader.FOLDER
        return kept(folder, tuple(solved), rule) if built_in else read(folder, solved, rule)

    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((typer.main, "get_command"), (typer.testing, "_get_command")):
            patch.setattr(module, name, command)
        patch.setattr(loader, "_read", read_once)
        yield


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the plots of runs in this process, as a run usually does."""
    monkeypatch.setattr(output, "draw_after_run", _drawn)


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder with the official files of the published benchmarks, which are not part of the project."""
    if DATASETS.is_dir():
        return DATASETS
    reason = f"the published datasets are absent: put them in {DATASETS} or set REPAIR_BENCH_DATASETS"
    if os.environ.get("REPAIR_BENCH_CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def answers() -> list[dict[str, Any]]:
    """A model's answers to Qiskit HumanEval with the published verdicts, which are not part of the project."""
    path = ANSWERS / "toolbox-v3.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"the published answers are absent: put {path.name} in {ANSWERS} or set REPAIR_BENCH_ANSWERS")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Lasting(LocalExecutor):
    """An executor for all tests: a run that closes it has no effect."""

    async def close(self) -> None: ...

    def shutdown(self) -> None: ...

    def end(self) -> None:
        super().shutdown()


@pytest.fixture(scope="session")
def executor() -> Iterator[LocalExecutor]:
    """Real children of real fork servers, shared by all tests of a process."""
    executor = Lasting(workers=2)
    yield executor
    executor.end()


@pytest.fixture
def lent(executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands use the tests' executor, because the start of a fork server takes longer than most commands.

    Commands with other options for execution open their own executor.
    """
    own = ExecutorOptions.open

    def open_(options: ExecutorOptions, *private: Path | None) -> Backend:
        usual = ExecutorOptions(options.workers, quiet=options.quiet, private=options.private)
        return executor if options == usual and tuple(FRAMEWORKS) == BUILT_IN else own(options, *private)

    monkeypatch.setattr(ExecutorOptions, "open", open_)


@pytest.fixture(scope="session")
def suite() -> Suite:
    """The built-in suite in all frameworks."""
    return aligned.load()


@pytest.fixture(scope="session")
def task(suite: Suite) -> Task:
    """Its Bell state task in Qiskit."""
    return next(task for task in suite.tasks if task.id == "16" and task.framework == "qiskit")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in this process, in an empty directory, which saves the start of a process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPAIR_BENCH_ENVS", str(tmp_path / "envs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["repair-bench", *arguments])
        try:
            main()
        except SystemExit as end:
            code = end.code
        else:
            code = 0
        return Done(int(code or 0), *capfd.readouterr())

    return run
