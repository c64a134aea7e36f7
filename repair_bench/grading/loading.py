"""Load suites with an executor, which runs the references that define correct answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.frameworks import USUAL
from repair_bench.suites.checks.rules import rule as check_rule
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import TaskKey
from repair_bench.traces.run.manifest import Manifest

T = TypeVar("T")
Progress = Callable[[int, int, Mapping[str, int]], None]
"""A function that takes the number of finished items, the total number of items, and further counts by name."""


def silent(done: int, total: int, more: Mapping[str, int]) -> None:
    """Show no progress."""


async def load_suite(
    name: str | Suite,
    executor: Backend,
    *,
    data: Path | None,
    rule: str = "exact",
    frameworks: Sequence[str] | None = None,
    require_sealed: bool = False,
) -> Suite:
    """Load a suite by name (`suites.load`), or return a loaded suite unchanged. Raises UsageError."""
    check_rule(rule)
    if isinstance(name, Suite):
        if rule != "exact" or data is not None or require_sealed:
            raise UsageError(
                f"{name.name} is already loaded: to set rule, data or require_sealed, pass the suite's name instead"
            )
        return name
    return await suites.load(
        name,
        data=data,
        frameworks=frameworks,
        run=executor.run,
        rule=rule,
        import_path=executor.import_path,
        require_sealed=require_sealed,
    )


def use_suite(
    name: str,
    data: Path | None,
    options: ExecutorOptions,
    use: Callable[[Suite, Backend], Coroutine[Any, Any, T]],
    *,
    frameworks: Sequence[str] | None = None,
    rule: str = "exact",
    require_sealed: bool = False,
) -> T:
    """Open an executor, load a suite, and return the result of calling `use` with both."""

    async def go() -> T:
        async with options.open(data) as executor:
            suite = await load_suite(
                name, executor, data=data, rule=rule, frameworks=frameworks, require_sealed=require_sealed
            )
            return await use(suite, executor)

    return run_to_end(go())


async def recorded_tasks(manifest: Manifest, load: Callable[[str], Awaitable[Suite]]) -> dict[TaskKey, Task]:
    """Load the tasks of a run. Raises UsageError if the version or content of a suite differs from the run's record."""
    loaded = []
    for name, pinned in manifest.suite_contents.items():
        suite = await load(name)
        if [suite.version, suite.contents(manifest.experiment.get("frameworks", USUAL))] != list(pinned):
            raise UsageError(f"the run was made with different files of {suite.name} (version {pinned[0]})")
        loaded.append(suite)
    return tasks_by_key(loaded)


def tasks_by_key(suites: Iterable[Suite]) -> dict[TaskKey, Task]:
    return {task.key: task for suite in suites for task in suite.tasks}
