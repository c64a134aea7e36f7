"""Grading stored answers: the loop's own path from a completion to a verdict, without a model."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from repair_bench._version import __version__
from repair_bench.coroutines import run_to_end, stream_bounded
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.grading import answers_file
from repair_bench.grading.graded_lines import Tally, grade_line
from repair_bench.grading.judge import Judge
from repair_bench.grading.loading import Progress, load_suite, silent, tasks_by_key
from repair_bench.grading.part_file import PartFile, part_of
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

AHEAD = 32
"""Answers in flight and graded ones that wait for one before them, for each program that is executed at once."""


def grade_file(
    path: Path,
    suite: str | Suite,
    out: Path,
    *,
    data: Path | None,
    executor: ExecutorOptions,
    rules: Sequence[str] = (),
    require_sealed: bool = False,
    beside: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Grade each line of `path` into the same line of `out`, or go on with that.

    Adds `verdict`, `error_type`, `detail`, `assertion` (what a unit test raised; None where none did), `sealed` (how
    grading was kept from the answer, see `Verdict`) and `seconds`. `rules`: every answer is executed once and judged
    under each; `verdict` is that of the first, and `verdicts` holds one for each where there are several. A rule that
    draws shots draws them anew for each line, by its number, so that the same file is graded to the same verdicts.
    `require_sealed`: exclude the tasks whose test can only run guarded. `beside`: the field of the lines that holds
    somebody else's verdict: true, false or null. `progress`: called with the verdicts so far.

    Returns the counts by verdict, also by rule, and of the guarded ones by themselves; of the answers that an oracle
    judged, how many the published test fails that are right and passes that are wrong; how many were excluded, by
    reason; the tasks whose verdict depends on the rule, the number of faults and which lines could not be judged for
    them; by framework the versions that were executed with; how many lines there were already; and what
    `Beside.figures` says of `beside`. What is None or empty is left out, but for `verdicts`, `faults` and `versions`.
    Raises UsageError, having written nothing, when a line cannot be read. What is graded outlives every other end
    (`repair_bench.grading.part_file`).
    """
    if out.exists():
        raise UsageError(f"{out} exists: remove it or choose another --out")
    rules = tuple(dict.fromkeys(rules)) or ("exact",)

    async def go() -> dict[str, Any]:
        async with executor.open(data, path, out, part_of(out)) as opened:
            by_rule = {
                rule: await load_suite(suite, opened, data=data, rule=rule, require_sealed=require_sealed)
                for rule in rules
            }
            with answers_file.opened(path) as file:
                about = {"require_sealed": require_sealed}
                return await _grade(file, path, out, by_rule, opened, beside, about, progress)

    return run_to_end(go())


async def _grade(
    file: BinaryIO, path: Path, out: Path, by_rule: Mapping[str, Suite], executor: Backend, beside: str | None,
    settings: Mapping[str, Any], progress: Progress,
) -> dict[str, Any]:  # fmt: skip
    """Grade what is not done yet, in the order of the input. `settings`: they decide the lines."""
    rules, suite = tuple(by_rule), next(iter(by_rule.values()))
    tasks = {rule: tasks_by_key([suite]) for rule, suite in by_rule.items()}
    judge = Judge(executor)
    count, frameworks, known = 0, set(), False
    for line, task in answers_file.read(file, path, suite, beside):
        count += 1
        frameworks |= {task.framework} if task.excluded is None else set()
        known |= beside in line
    if beside is not None and not known:
        raise UsageError(f'no line of {path} has a field "{beside}": --beside takes the one with their verdict')
    versions = {name: await asyncio.to_thread(executor.versions, name) for name in sorted(frameworks)}
    file.seek(0)
    about = {
        "repair-bench": __version__,
        "solutions": hashlib.file_digest(file, "sha256").hexdigest(),  # type: ignore[arg-type]  # it has readinto
        "suite": suite.name,
        "version": suite.version,
        "content": suite.contents(versions),
        "rules": list(rules),
        **settings,
        "versions": versions,
    }
    tally = Tally(rules, beside)
    part = PartFile(out, about, tally.add)
    done = before = part.done

    async def grade(numbered: tuple[int, tuple[dict[str, Any], Task]]) -> dict[str, Any]:
        number, (line, task) = numbered
        return await grade_line(line, {rule: tasks[rule][task.key] for rule in rules}, judge, draw=str(number))

    try:
        progress(done, count, tally.verdicts)
        left = islice(enumerate(answers_file.read(file, path, suite), start=1), before, None)
        async with aclosing(stream_bounded(left, grade, lambda: executor.capacity, ahead=AHEAD)) as lines:
            async for line in lines:
                await part.append(line)
                tally.add(line)
                done += 1
                progress(done, count, tally.verdicts)
        await part.finish()
    finally:
        await part.close()
    continued = {"continued": before} if before else {}
    return {"solutions": count, **tally.figures(), "versions": versions, **continued}
