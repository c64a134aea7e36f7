"""Which programs pass which ways of grading: `PYTHONPATH=CHECKOUT python tests/hostile/measured.py [NAME...]`.

It judges by the package that it finds, so that the programs of today can be tried on the code of an earlier version.
Prints a line of JSON a program: its name, then by way the kind of verdict, how it was sealed, and the signs by which a
naive grader takes the program for right; for records the flaws of what is kept.
"""

import asyncio
import dataclasses
import json
import sys
from typing import Any

from hostile_programs import PROGRAMS, HostileProgram
from records_kept import flaws
from ways import GIVEN, LIMITS, WAYS, naive_signs

from repair_bench.executors import Call, LocalExecutor, Program


async def kept(executor: LocalExecutor, program: HostileProgram) -> list[str]:
    call = Call("answer", "distribution", ((),))
    outcome = await executor.run(Program(program.framework, program.source, call, program.bounds))
    return sorted(flaws(outcome))


async def verdicts(executor: LocalExecutor, program: HostileProgram) -> dict[str, str]:
    found = {}
    for name, way in (GIVEN if program.folder == "arguments" else WAYS).items():
        if program.framework not in way.frameworks:
            continue
        limits = dataclasses.replace(program.bounds, memory_mb=LIMITS.memory_mb, wall_seconds=15)
        try:
            outcome = await executor.run(way.program(program.framework, program.source, limits))
            verdict = way.judge(program.framework, outcome)
            found[name] = f"{verdict.kind} {verdict.sealed or ''}".strip()
        except Exception as error:  # noqa: BLE001 - a fault of the version that is measured is what this is to show
            found[name] = f"FAULT {type(error).__name__}: {str(error)[:100]}"
    return found


def signs(plain: LocalExecutor, program: HostileProgram) -> list[str]:
    if program.folder == "arguments":
        return []
    try:
        return sorted(naive_signs(plain, program.source, program.framework))
    except AssertionError:  # it spoke in the place of the naive grader itself
        return []


def main(names: list[str]) -> None:
    executor, plain = LocalExecutor(workers=2), LocalExecutor(workers=2, require_sandbox="none")
    for program in PROGRAMS:
        if names and program.name not in names:
            continue
        seen: dict[str, Any] = {"name": program.name}
        if program.folder == "records":
            seen["flaws"] = asyncio.run(kept(executor, program))
        elif program.folder in ("tampering", "arguments"):
            seen |= {"verdicts": asyncio.run(verdicts(executor, program)), "signs": signs(plain, program)}
        else:
            continue
        sys.stdout.write(json.dumps(seen) + "\n")
        sys.stdout.flush()
    executor.shutdown()
    plain.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
