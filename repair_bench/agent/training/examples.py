"""Training examples from the repairs of a run, in layouts that the `datasets` package can load.

A layout (`LAYOUTS`) is a function that converts a repair to a row. The selection of repairs does not depend on the
layout. Omitted episodes are counted by reason. A correct first answer is not a repair.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from repair_bench import suites
from repair_bench.agent.training.rollout import SEALED
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import SAMPLED_RULES
from repair_bench.coroutines import run_to_end
from repair_bench.grading.loading import recorded_tasks
from repair_bench.prompts.compose import prefill
from repair_bench.prompts.feedback import cases
from repair_bench.prompts.leaks import holds_test
from repair_bench.prompts.templates import render
from repair_bench.suites.fetch import SOURCES
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import is_unfinished, write_whole
from repair_bench.traces.record.lazy_attempt import TaskKey, task_key
from repair_bench.traces.record.printable import encodable, printable
from repair_bench.traces.record.records import Attempt, Verdict
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run

CANARY = "BENCHMARK DATA, made from tasks that are used to evaluate models. repair-bench canary GUID {}".format(
    "6f0c1b52-9d0e-4b1c-8a53-2f7f7d6c40e9"
)
"""A canary string in every row, so that the data can be excluded from training corpora (as in BIG-bench)."""

DATA, CARD = "train.jsonl", "README.md"

FIRST = "the first answer passed, so there is nothing to repair"
UNSOLVED = "never passed"
OFF_POLICY = "the feedback reported a verdict that has since changed (off-policy)"
SAMPLED = "the answer was graded by a rule with random shots"
DOUBTED = "the task is known to be defective (it has the label weak, wrong or underspecified)"
GUARDED = "a pass is weak evidence, because the test proves little or is not isolated from the program"
TOOLS = "the model ran programs before it answered"
REVEALED = "the feedback revealed an expected result, or contained test code that had to be removed"
NO_FEEDBACK = "the model received no feedback on the failure that it repaired"
NO_CODE = "the first answer has no code"
TEST = "the example contains text from the test or a hidden input"
TWICE = "duplicate"

_LAYOUT_NOTES = {
    "sft": "`prompt`: the conversation up to the last feedback, with the failed answers; `completion`: the answer that "
    "passed. Train only on the completion.",
    "dpo": "`prompt`: the first prompt; `rejected`: the failed code of the first answer; `chosen`: the code that "
    "passed after feedback.",
}
_FIELDS = (
    "`source` states the origin of an example: run, suite and its version, task, framework, model, condition, and the "
    "ids of the attempts. `canary` marks it."
)
_WARNING = (
    "The tasks come from benchmarks that are used to evaluate models. Do not report results on these suites for a "
    "model that was trained on this data, and use the GUID above to exclude the data from other corpora. The data "
    "contains prompts and answers. A search of the data found no test code."
)


@dataclass(frozen=True)
class Repair:
    """An episode up to the attempt that passed, with at least one failed attempt before it."""

    task: Task
    path: tuple[Attempt, ...]


Message = dict[str, str]
Row = dict[str, list[Message]]
Layout = Callable[[Repair], Row | str]
"""A function that returns the row for a repair, or the reason for omitting the repair."""


def sft(repair: Repair) -> Row | str:
    """Return a row with the conversation that the model saw (`prompt`) and the answer that passed (`completion`)."""
    last = repair.path[-1]
    start = prefill(last.messages)
    feedback = last.feedback.text if last.feedback is not None else ""
    messages = last.messages[:-1] if start else last.messages
    is_placebo = any(a.feedback and a.feedback.donor for a in repair.path)
    if not feedback or feedback not in messages[-1]["content"] or is_placebo:
        return NO_FEEDBACK
    assert last.completion is not None
    return {"prompt": _plain(messages), "completion": _answer(start + last.completion.text)}


def dpo(repair: Repair) -> Row | str:
    """Return a row with the first `prompt`, the code of the first answer (`rejected`) and the code that passed
    (`chosen`).

    The row contains only the code of the answers. The text around the code of a repair is omitted, because the text may
    mention feedback that is not in the prompt.
    """
    first, last = repair.path[0], repair.path[-1]
    if first.code is None or last.code is None:
        return NO_CODE
    messages = first.messages[:-1] if prefill(first.messages) else first.messages
    chosen, rejected = (_answer(render("answer", code=a.code.strip())) for a in (last, first) if a.code is not None)
    return {"prompt": _plain(messages), "chosen": chosen, "rejected": rejected}


LAYOUTS: dict[str, Layout] = {"sft": sft, "dpo": dpo}


class Origin(NamedTuple):
    suite: str
    suite_version: str
    model: str
    simulated: bool


@dataclass(frozen=True)
class ExportSummary:
    """A summary of the written training examples.

    `files`: the written files. `examples`: the number of examples. `simulated`: the number of examples that simulated
    models wrote. `left_out`: the number of omitted episodes for each reason.
    """

    files: tuple[Path, ...]
    examples: int
    simulated: int
    left_out: Mapping[str, int]


def write(run: Run, name: str, out: Path, data: Path | None) -> ExportSummary:
    """Write a run's examples and their dataset card to `out`.

    Raises UsageError if there are no examples, or if `out` contains other files.
    """
    _check_free(out)
    layout = LAYOUTS[name]
    tasks = run_to_end(_tasks(run.manifest, data))
    left_out: Counter[str] = Counter()
    origins: Counter[Origin] = Counter()

    def lines() -> Iterator[str]:
        for row in examples(run, tasks, layout, left_out):
            origins[Origin(**{field: row["source"][field] for field in Origin._fields})] += 1
            yield json.dumps(row, ensure_ascii=False) + "\n"
        if not origins:
            reasons = "; ".join(f"{number:,} {why}" for why, number in left_out.items())
            raise UsageError(f"the run has no training examples: {reasons or 'no attempts have been recorded yet'}")

    write_whole(out / DATA, lines())
    made = dict(left_out.most_common())
    write_whole(out / CARD, [card(name, origins, made)])
    simulated = sum(number for origin, number in origins.items() if origin.simulated)
    return ExportSummary((out / DATA, out / CARD), origins.total(), simulated, made)


def _check_free(out: Path) -> None:
    """Raise UsageError unless `out` is new, empty or an earlier export."""
    try:
        is_export = (out / CARD).exists() and CANARY in (out / CARD).read_text(encoding="utf-8", errors="replace")
        names = {path.name for path in out.iterdir() if not is_unfinished(path, DATA)}
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    if others := names - ({DATA, CARD} if is_export else set()):
        raise UsageError(f"{out} contains other files ({min(others)}): choose a new or empty --out")


def card(layout: str, origins: Mapping[Origin, int], left_out: Mapping[str, int]) -> str:
    """Return the README for `datasets`. `origins`: examples per origin. `left_out`: omitted episodes per reason."""
    total, simulated = sum(origins.values()), sum(n for origin, n in origins.items() if origin.simulated)
    lines = [
        "---",
        "configs:",
        "- config_name: default",
        f"  data_files: {DATA}",
        "task_categories: [text-generation]",
        "tags: [code, quantum-computing, self-repair, benchmark-derived]",
        "---",
        "",
        f"# {total:,} repairs of quantum programs ({layout})",
        "",
        f"Made by `repair-bench export --format {layout}`. In each row, the first answer failed and a repair passed.",
        "",
        f"{_LAYOUT_NOTES[layout]} {_FIELDS}",
        "",
        f"> {CANARY}",
        "",
        _WARNING,
        "",
        "| suite | version | licence of its tasks | model | examples |",
        "| --- | --- | --- | --- | --- |",
    ]
    for origin, number in sorted(origins.items()):
        source = SOURCES.get(origin.suite)
        licence = source.licence if source is not None else "see the suite"
        model = f"{origin.model} (simulated)" if origin.simulated else origin.model
        lines.append(f"| {origin.suite} | {origin.suite_version} | {licence} | {model} | {number:,} |")
    if simulated:
        lines += ["", f"SIMULATED: {simulated:,} of {total:,} examples come from simulated models."]
    if left_out:
        lines += ["", "Omitted episodes:", "", *(f"- {number:,}: {why}" for why, number in left_out.items())]
    return "".join(f"{printable(line)}\n" for line in lines)


def examples(
    run: Run, tasks: Mapping[TaskKey, Task], layout: Layout, left_out: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a run, one per suitable episode, and count the other episodes in `left_out`."""
    seen: set[bytes] = set()
    for episode in metrics.episodes(run.rows):
        found = _repair(episode, run.manifest, tasks)
        row = found if isinstance(found, str) else layout(found)
        if isinstance(found, str) or isinstance(row, str):
            left_out[str(row)] += 1
            continue
        texts = [message["content"] for messages in row.values() for message in messages]
        digest = hashlib.sha256(json.dumps(row).encode()).digest()
        if any(holds_test(text, found.task) for text in texts):
            left_out[TEST] += 1
        elif digest in seen:
            left_out[TWICE] += 1
        else:
            seen.add(digest)
            yield {**row, "canary": CANARY, "source": _source(found, run.manifest)}


def _repair(episode: Episode, manifest: Manifest, tasks: Mapping[TaskKey, Task]) -> Repair | str:
    if episode.solved_at == 0:
        return FIRST
    if episode.solved_at is None:
        return OFF_POLICY if episode.off_policy else UNSOLVED
    first, passed = episode.first, episode.known[episode.solved_at]
    task = tasks[task_key(first)]
    assert passed.verdict is not None
    if passed.verdict.rule in SAMPLED_RULES:
        return SAMPLED
    if not task.sound or (task.suite, task.id) in manifest.doubted:
        return DOUBTED
    if passed.verdict.sealed not in SEALED:
        return GUARDED
    path = tuple(row.with_texts() for row in episode.known[: episode.solved_at + 1])
    if "note" in (path[-1].verdict or passed.verdict).evidence:
        return GUARDED
    if any(attempt.steps for attempt in path):
        return TOOLS
    if _is_revealed(path):
        return REVEALED
    return Repair(task, path)


def _is_revealed(path: Sequence[Attempt]) -> bool:
    """Whether any feedback showed an expected value, or contained test code that had to be removed."""
    feedbacks = [attempt.feedback for attempt in path if attempt.feedback is not None]
    shown = "\n".join(feedback.text for feedback in feedbacks)
    expected = [text for attempt in path if attempt.verdict is not None for text in _expected(attempt.verdict)]
    return any(feedback.redacted for feedback in feedbacks) or any(text in shown for text in expected)


def _expected(verdict: Verdict) -> Iterator[str]:
    assertion = verdict.evidence.get("assertion", "")
    if ": " in assertion:  # otherwise it is only the name of an exception
        yield assertion
    yield from filter(None, (cases.show(case.get("expected")) for case in cases.shown(verdict)))


def _source(repair: Repair, manifest: Manifest) -> dict[str, Any]:
    first, last, task = repair.path[0], repair.path[-1], repair.task
    return {
        "run": last.run,
        "suite": task.suite,
        "suite_version": last.suite_version,
        "task_id": task.id,
        "framework": task.framework,
        "model": last.model,
        "failed_model": first.writer or first.model,
        "simulated": any(manifest.is_simulated(a.writer or a.model) for a in (first, last)),
        "condition": last.condition,
        "feedback": last.feedback.policy if last.feedback is not None else None,
        "rule": last.verdict.rule if last.verdict is not None else None,
        "episode": last.episode,
        "failed": first.id,
        "passed": last.id,
        "repairs": last.attempt,
    }


def _plain(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Return the messages with only the fields that trainers read, and without the model's reasoning."""
    return [{"role": message["role"], "content": encodable(message["content"])} for message in messages]


def _answer(text: str) -> list[Message]:
    return [{"role": "assistant", "content": encodable(text)}]


async def _tasks(manifest: Manifest, data: Path | None) -> dict[TaskKey, Task]:
    if not manifest.suite_contents:
        raise UsageError("the run does not record its suites, so its answers cannot be checked for test code")
    rule = manifest.experiment.get("rule", "exact")
    return await recorded_tasks(manifest, partial(suites.load, data=data, rule=rule))
