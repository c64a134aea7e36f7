"""Grading stored answers: the loop's own path from a completion to a verdict, without a model."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.agent.identity import execution_seed
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.executors.program import Executor
from repair_bench.prompts.extract import extract
from repair_bench.suites.checks.fidelity import Fidelities
from repair_bench.suites.checks.rules import rule as check_rule
from repair_bench.suites.task import Suite, Task, no_code
from repair_bench.traces.faults import Fault, UsageError
from repair_bench.traces.records import Verdict
from repair_bench.traces.taxonomy import error_type

IN_FLIGHT = 64


def grade_file(
    solutions: Path,
    suite_name: str,
    out: Path,
    *,
    data: Path | None,
    executor: ExecutorOptions,
    rules: Sequence[str] = (),
    fidelity: bool = False,
) -> dict[str, Any]:
    """Grade each line of `solutions` into the same line of `out`, with `verdict`, `error_type`, `detail`, `seconds`.

    `rules`: every answer is executed once and judged under each; `verdict` is that of the first, and `verdicts` holds
    one for each where there are several. `fidelity`: adds `process_fidelity`, at the cost of one more execution.
    Returns the counts by verdict, also by rule, the tasks whose verdict depends on the rule, the number of faults and
    which lines could not be judged for them, and by framework the versions that were executed with.
    Raises UsageError, having written nothing, when a line cannot be read.
    """
    if out.exists():
        raise UsageError(f"{out} exists: remove it or choose another --out")
    return asyncio.run(_grade_file(solutions, suite_name, out, data, executor, tuple(dict.fromkeys(rules)), fidelity))


async def _grade_file(
    solutions: Path,
    suite_name: str,
    out: Path,
    data: Path | None,
    options: ExecutorOptions,
    rules: tuple[str, ...],
    fidelity: bool,
) -> dict[str, Any]:
    executor = options.open()
    tally = _Tally(rules or ("exact",))
    part = out.with_name(out.name + ".part")
    try:
        by_rule = await load_by_rule(suite_name, data, tally.rules, executor)
        fidelities = Fidelities(executor.run) if fidelity else None
        lines = list(read_solutions(solutions, by_rule[tally.rules[0]]))
        tasks = {rule: {(t.id, t.framework): t for t in suite.tasks} for rule, suite in by_rule.items()}
        out.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            window: deque[asyncio.Task[dict[str, Any]]] = deque()
            for line, task in lines:
                under = {rule: tasks[rule][task.id, task.framework] for rule in tally.rules}
                window.append(asyncio.create_task(_grade(line, under, executor, fidelities)))
                if len(window) >= IN_FLIGHT:
                    _write(file, await window.popleft(), tally)
            while window:
                _write(file, await window.popleft(), tally)
        part.replace(out)
        graded = {task.framework for _, task in lines}
        versions = {name: found for name, found in executor.running_versions().items() if name in graded}
    finally:
        part.unlink(missing_ok=True)
        await executor.close()
    return {"solutions": len(lines), **tally.figures(), "versions": versions}


async def load_by_rule(name: str, data: Path | None, rules: Iterable[str], executor: Backend) -> dict[str, Suite]:
    """The same suite under each rule: its checks differ, the programs that they run do not. Raises UsageError."""
    for rule in rules:
        check_rule(rule)
    return {
        rule: await suites.load(name, data=data, run=executor.run, rule=rule, import_path=executor.import_path)
        for rule in rules
    }


class _Tally:
    """What is counted of the graded lines."""

    def __init__(self, rules: tuple[str, ...]) -> None:
        self.rules = rules
        self._counts: dict[str, Counter[str]] = {rule: Counter() for rule in rules}
        self._dependent: dict[tuple[str, str], int] = {}
        self._faults: list[dict[str, str]] = []

    def add(self, line: dict[str, Any]) -> None:
        if line["error_type"] == "fault":
            self._faults.append({name: line[name] for name in ("task_id", "framework", "detail")})
            return
        verdicts = line.get("verdicts", {self.rules[0]: line["verdict"]})
        for rule, verdict in verdicts.items():
            self._counts[rule][verdict or "excluded"] += 1
        if len(set(verdicts.values())) > 1:
            task = (line["task_id"], line["framework"])
            self._dependent[task] = self._dependent.get(task, 0) + 1

    def figures(self) -> dict[str, Any]:
        dependent = [
            {"task_id": task_id, "framework": framework, "answers": answers}
            for (task_id, framework), answers in self._dependent.items()
        ]
        by_rule = {rule: dict(counts) for rule, counts in self._counts.items()}
        more: dict[str, Any] = {"rules": by_rule, "rule_dependent": dependent} if len(self.rules) > 1 else {}
        told = {"not_judged": self._faults} if self._faults else {}
        return {"verdicts": by_rule[self.rules[0]], **more, "faults": len(self._faults), **told}


def read_solutions(path: Path, suite: Suite) -> Iterator[tuple[dict[str, Any], Task]]:
    """The lines of a solutions file, each with its task. Raises UsageError naming the line that is wrong."""
    tasks = {(task.id, task.framework): task for task in suite.tasks}
    frameworks = sorted({task.framework for task in suite.tasks})
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        where = f"{path}:{number}"
        try:
            line = json.loads(row)
        except ValueError as error:
            raise UsageError(f"{where}: not JSON ({error})") from None
        if not isinstance(line, dict) or not isinstance(line.get("code", line.get("completion")), str):
            raise UsageError(f'{where}: expected an object with "task_id", "framework" and "code" or "completion"')
        if "framework" not in line and len(frameworks) == 1:
            line["framework"] = frameworks[0]
        task = tasks.get((line.get("task_id"), line.get("framework")))  # type: ignore[arg-type]
        if task is None:
            raise UsageError(
                f"{where}: {suite.name} has no task {line.get('task_id')!r} in framework {line.get('framework')!r}"
            )
        yield line, task


async def _grade(
    line: dict[str, Any], under: dict[str, Task], executor: Executor, fidelities: Fidelities | None
) -> dict[str, Any]:
    """`under`: the task by rule; the first is the one that `verdict` follows."""
    task = next(iter(under.values()))
    if all(one.excluded is not None for one in under.values()):
        return {**line, "verdict": None, "error_type": "excluded", "detail": task.excluded, "seconds": None}
    code = line.get("code")
    if code is None:
        code = extract(line["completion"], entry_point=task.entry_point, starter=task.starter).code
    if code is None:
        return {**line, **_judged({rule: no_code(one) for rule, one in under.items()}, None)}
    try:
        outcome = await executor.run(task.check.program(task, code, seed=execution_seed(task)))
        more = {"process_fidelity": await fidelities.of(task, code)} if fidelities is not None else {}
    except Fault as fault:
        return {**line, "verdict": None, "error_type": "fault", "detail": f"{fault.boundary}: {fault}", "seconds": None}
    verdicts = {rule: one.check.judge(one, outcome) if one.excluded is None else None for rule, one in under.items()}
    return {**line, **_judged(verdicts, outcome.cpu_seconds, task.excluded), **more}


def _judged(verdicts: dict[str, Verdict | None], seconds: float | None, excluded: str | None = None) -> dict[str, Any]:
    """`excluded`: why there is no verdict under the first rule, where there is none."""
    first = next(iter(verdicts.values()))
    told: dict[str, Any] = {"verdict": None, "error_type": "excluded", "detail": excluded}
    if first is not None:
        evidence = first.evidence
        detail = evidence.get("problem") or (f"{evidence['type']}: {evidence['message']}" if "type" in evidence else "")
        told = {"verdict": first.kind, "error_type": error_type(first), "detail": detail}
    if len(verdicts) > 1:
        told["verdicts"] = {rule: one.kind if one else None for rule, one in verdicts.items()}
    return {**told, "seconds": seconds}


def _write(file: Any, line: dict[str, Any], tally: _Tally) -> None:
    file.write(json.dumps(line, ensure_ascii=False) + "\n")
    file.flush()
    tally.add(line)
