"""Grade stored answers with the code of the repair loop, without a model."""

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
"""Maximum number of unfinished answers per worker. An answer is unfinished until it and all earlier answers are
written."""


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
    """Grade the answers in `path`, one per line, and write the graded lines to `out` in the same order.

    An interrupted grading can be resumed (`grading.part_file`). Each graded line also contains `verdict`, `error_type`,
    `detail`, `assertion` (raised by a unit test, otherwise None), `sealed` (the isolation mode, see `Verdict`) and
    `seconds`. `rules`: every answer is executed once and judged under each rule. `verdict` is the verdict under the
    first rule. If there are several rules, `verdicts` contains the verdict under each rule. The line number seeds the
    random shots. `require_sealed`: exclude tasks whose test can only run guarded. `beside`: the name of the field that
    holds a published verdict (true, false or null).

    Returns a mapping with the items below. `verdicts`, `faults` and `versions` are always present; other items are
    omitted if empty. `solutions`: the number of lines. `verdicts`: the number of lines per verdict. `rules`: if there
    are several rules, the number of lines per verdict under each rule. `rule_dependent`: the tasks whose verdict
    depends on the rule. `guarded`: the number of lines per verdict, counting only answers whose unit test ran in
    guarded mode. `excluded`: the number of exclusions by reason. `oracles`: the disagreements between oracles and the
    published tests. `faults`: the number of infrastructure errors. `not_judged`: the lines that have no verdict because
    of an infrastructure error. `versions`: the versions of packages, by framework. `continued`: the number of lines
    that were already graded. `beside`: see `PublishedVerdicts.figures`. If a line is invalid, raises UsageError and
    writes nothing.
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
    file: BinaryIO, path: Path, out: Path, by_rule: Mapping[str, Suite], executor: Backend, field: str | None,
    settings: Mapping[str, Any], progress: Progress,
) -> dict[str, Any]:  # fmt: skip
    rules, suite = tuple(by_rule), next(iter(by_rule.values()))
    tasks = {rule: tasks_by_key([suite]) for rule, suite in by_rule.items()}
    judge = Judge(executor)
    count, frameworks, known = 0, set(), False
    for line, task in answers_file.read(file, path, suite, field):
        count += 1
        frameworks |= {task.framework} if task.excluded is None else set()
        known |= field in line
    if field is not None and not known:
        raise UsageError(
            f'no line in {path} has a field "{field}": set --verdict-field to the field with the published verdict'
        )
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
    tally = Tally(rules, field)
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
