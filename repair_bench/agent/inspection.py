"""Suites looked at by themselves, without a model: shown, validated, audited, calibrated."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from repair_bench import suites
from repair_bench.agent.progress import Counter
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Sealing
from repair_bench.suites.audit import Certificate
from repair_bench.suites.audit import Settings as AuditSettings
from repair_bench.suites.audit import audit as audit_suite
from repair_bench.suites.calibrate import Calibration
from repair_bench.suites.calibrate import calibrate as calibrate_suite
from repair_bench.suites.checks.rules import rule as find_rule
from repair_bench.suites.sealing import read as read_sealing
from repair_bench.suites.sealing import save as save_sealing
from repair_bench.suites.sealing import sealing as find_sealing
from repair_bench.suites.task import Suite
from repair_bench.suites.validate import validate as validate_suite
from repair_bench.traces.faults import UsageError


def load_suite(name: str, data: Path | None) -> Suite:
    """A suite as it can be shown: nothing is executed, so there are no expected answers that a reference gives."""
    return asyncio.run(suites.load(name, data=data))


def validate(name: str, data: Path | None, *, executor: ExecutorOptions) -> list[dict[str, Any]]:
    """Every reference judged by its own check, a row a task."""

    async def go() -> list[dict[str, Any]]:
        async with executor.open() as opened:
            suite = await suites.load(name, data=data, run=opened.run, import_path=opened.import_path)
            return await validate_suite(suite, opened.run)

    return asyncio.run(go())


def sealing(name: str, data: Path | None, out: Path | None, *, executor: ExecutorOptions) -> dict[str, Any]:
    """Find how each unit test of a suite is to be sealed and write it to `out`, or where the suite keeps it.

    Returns `file`, the number of tasks under `stub` and `guarded`, and `changed`, a row a task that was sealed
    otherwise before. Raises UsageError when there is nothing to seal, or nowhere to write it.
    """

    async def go() -> tuple[Suite, dict[str, Sealing]]:
        async with executor.open() as opened:
            suite = await suites.load(name, data=data, run=opened.run, import_path=opened.import_path)
            return suite, await find_sealing(suite, opened.run)

    kept = suites.facts_file(name)
    path = out or kept
    if path is None:
        raise UsageError(f"{name} keeps no file that says how its unit tests are sealed: pass --out FILE")
    suite, found = asyncio.run(go())
    if not found:
        raise UsageError(f"{name} has no unit tests with a reference: there is nothing to seal")
    before = read_sealing(kept, suite) if kept is not None and kept.exists() else {}
    save_sealing(path, suite, found)
    changed = [
        {"id": task, "before": before[task], "now": way} for task, way in found.items() if before.get(task, way) != way
    ]
    ways = list(found.values())
    return {"file": str(path), "stub": ways.count("stub"), "guarded": ways.count("guarded"), "changed": changed}


def audit(
    name: str,
    data: Path | None,
    settings: AuditSettings,
    *,
    rule: str,
    frameworks: Sequence[str] | None,
    executor: ExecutorOptions,
    quiet: bool,
) -> Certificate:
    """The certificate of a suite's grader. How far it is stands on stderr."""

    async def go() -> Certificate:
        async with executor.open() as opened:
            suite = await suites.load(
                name, data=data, frameworks=frameworks, run=opened.run, rule=rule, import_path=opened.import_path
            )
            counter = Counter(len(suite.tasks), "audited", Console(stderr=True, quiet=quiet))
            return await audit_suite(suite, opened.run, settings, done=lambda _: counter.add())

    find_rule(rule)
    return asyncio.run(go())


def calibrate(
    name: str, data: Path | None, *, repetitions: int, shots: int, seed: int, executor: ExecutorOptions
) -> Calibration:
    """How far correct samples of a suite's references lie from them."""

    async def go() -> Calibration:
        async with executor.open() as opened:
            suite = await suites.load(name, data=data, run=opened.run, import_path=opened.import_path)
            return await calibrate_suite(suite, opened.run, repetitions=repetitions, shots=shots, seed=seed)

    return asyncio.run(go())
