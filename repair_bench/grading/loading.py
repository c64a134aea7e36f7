"""Suites with an executor at hand, which computes the right answers that a reference defines."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.suites.checks.rules import rule as check_rule
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError

T = TypeVar("T")
Progress = Callable[[int, int, Mapping[str, int]], None]
"""Takes the number of items done, their total and more counts by name."""


def silent(done: int, total: int, more: Mapping[str, int]) -> None:
    """Show no progress."""


async def load_by_rule(
    name: str | Suite, data: Path | None, rules: Sequence[str], executor: Backend, *, require_sealed: bool = False
) -> dict[str, Suite]:
    """The same suite under each rule: its checks differ, the programs that they run do not, but that "semantic" runs
    oracles besides. Raises UsageError.

    A suite that is loaded already has the rule of its own checks.
    """
    for rule in rules:
        check_rule(rule)
    if isinstance(name, Suite):
        if tuple(rules) != ("exact",) or data is not None or require_sealed:
            raise UsageError(f"the suite {name.name} is loaded already: rules, data and require_sealed are for a name")
        return {"exact": name}
    path, run = executor.import_path, executor.run
    return {
        rule: await suites.load(name, data=data, run=run, rule=rule, import_path=path, require_sealed=require_sealed)
        for rule in rules
    }


def check_same(suite: Suite, pinned: Sequence[str], frameworks: Sequence[str]) -> None:
    """Raises UsageError where a run in these frameworks states another version or content ([version, content hash])."""
    if [suite.version, suite.contents(frameworks)] != list(pinned):
        raise UsageError(
            f"the run was made with other files of {suite.name} (version {pinned[0]}) than those that are here"
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
    """Open an executor, load a suite as `suites.load` does, and return what `use` makes of both."""

    async def go() -> T:
        async with options.open(data) as executor:
            suite = await suites.load(
                name,
                data=data,
                frameworks=frameworks,
                run=executor.run,
                rule=rule,
                import_path=executor.import_path,
                require_sealed=require_sealed,
            )
            return await use(suite, executor)

    return run_to_end(go())
