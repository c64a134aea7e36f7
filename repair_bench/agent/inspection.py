"""Suites looked at by themselves, without a model: shown, validated, audited, calibrated."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from repair_bench import suites
from repair_bench.agent.progress import Counter
from repair_bench.executors import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.suites.audit import Certificate
from repair_bench.suites.audit import Settings as AuditSettings
from repair_bench.suites.audit import audit as audit_suite
from repair_bench.suites.calibrate import Calibration
from repair_bench.suites.calibrate import calibrate as calibrate_suite
from repair_bench.suites.checks.rules import rule as find_rule
from repair_bench.suites.task import Suite
from repair_bench.suites.validate import validate as validate_suite


def load_suite(name: str, data: Path | None) -> Suite:
    """A suite with its expected answers; references are executed where they define them."""

    async def go() -> Suite:
        async with LocalExecutor() as executor:
            return await suites.load(name, data=data, run=executor.run, import_path=executor.import_path)

    return asyncio.run(go())


def validate(name: str, data: Path | None, *, executor: ExecutorOptions) -> list[dict[str, Any]]:
    """Every reference judged by its own check, a row a task."""

    async def go() -> list[dict[str, Any]]:
        async with executor.open() as opened:
            suite = await suites.load(name, data=data, run=opened.run, import_path=opened.import_path)
            return await validate_suite(suite, opened.run)

    return asyncio.run(go())


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
