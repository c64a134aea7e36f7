"""An episode as text for a terminal."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from repair_bench.analysis.taxonomy import error_type
from repair_bench.report import readable
from repair_bench.text import count
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.records import Attempt, Verdict

_WIDTH = 78


def find(attempts: Sequence[Recorded], episode: str) -> list[Attempt]:
    """Return the attempts of the episode whose id starts with `episode`, oldest first.

    Raises UsageError if there is no such episode, if there are several, or if `episode` is the id of a task.
    """
    ids = sorted({a.episode for a in attempts if a.episode.startswith(episode)})
    if episode not in ids and any(a.task_id == episode for a in attempts):
        raise UsageError(f"{episode} is a task, not an episode. Use --task {episode} to list its episodes.")
    if len(ids) != 1:
        raise UsageError(
            f"{episode!r} must be the start of exactly one episode id, but is the start of {len(ids)} ids. Use --task "
            "and --framework to list ids."
        )
    return sorted((a.with_texts() for a in attempts if a.episode == ids[0]), key=lambda a: a.attempt)


def listing(attempts: Sequence[Recorded]) -> list[dict[str, Any]]:
    """Return one row per episode: id, task, framework, model, condition, sample, number of attempts, and ending.

    The rows are sorted by task, framework, model, condition and sample.
    """
    last: dict[str, Recorded] = {}
    for attempt in attempts:
        if attempt.attempt > last.setdefault(attempt.episode, attempt).attempt:
            last[attempt.episode] = attempt
    fields = ("episode", "task_id", "framework", "model", "condition", "sample")
    rows = [
        {
            **{field: getattr(end, field) for field in fields},
            "attempts": end.attempt + 1,
            "ending": "fault" if end.verdict is None else error_type(end.verdict),
        }
        for end in last.values()
    ]
    return sorted(rows, key=lambda row: [row[field] for field in fields[1:]])


def listed(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows of `listing` as lines of text that begin with the full id of the episode."""
    line = "{episode}  {task_id}, {framework}, {model}, {condition}, sample {sample}: {how_many}, {ending}"
    lines = (line.format(**row, how_many=count(row["attempts"], "attempt")) for row in rows)
    return printable("\n".join(lines), keep="\n")


def text(attempts: Sequence[Attempt]) -> str:
    """Return an episode as text: the prompt, and each attempt's feedback, code, changes, outcome and verdict.

    Unprintable characters, which the output of models may contain, are replaced.
    """
    first = attempts[0]
    task = f"{first.suite} {first.task_id} {first.framework}"
    parts = [f"{first.model}  {task}  condition {first.condition}  sample {first.sample}  {first.episode}"]
    for message in first.messages:
        parts.append(_rule(f"prompt ({message.get('role', '')})"))
        parts.append(str(message.get("content", "")))
    for before, attempt in zip([None, *attempts], attempts, strict=False):
        parts += _attempt(attempt, before)
    return printable("\n".join(parts), keep="\n\t")


def _attempt(attempt: Attempt, before: Attempt | None) -> Iterator[str]:
    yield _rule(f"attempt {attempt.attempt}")
    if attempt.off_policy:
        yield readable.OFF_POLICY
    if facts := readable.facts(attempt):
        yield ", ".join(f"{name} {value}" for name, value in facts.items())
    if (feedback := attempt.feedback) is not None:
        source = f", placebo from source task {feedback.donor}" if feedback.donor else ""
        leaks = f"; {readable.leaks(feedback)}" if feedback.redacted else ""
        yield f"\nfeedback ({feedback.policy}{source}{leaks}):\n{feedback.text}"
    if thought := readable.thought(attempt):
        yield f"\nreasoning:\n{thought}"
    for number, run in enumerate(readable.tried(attempt), 1):
        yield f"\ntool run {number}:\n{run['code'].rstrip()}\n\nresult:\n{run['shown']}"
    if attempt.code is None:
        yield "\n(no code)"
    elif before is not None and before.code == attempt.code:
        yield "\ncode unchanged"
    else:
        yield f"\ncode:\n{attempt.code.rstrip()}"
        if before is not None and before.code is not None:
            yield _changes(before.code, attempt.code)
    if attempt.outcome is not None and attempt.outcome.stdout:
        yield f"\nstandard output:\n{attempt.outcome.stdout}"
    if attempt.fault is not None:
        yield f"\ninfrastructure error ({attempt.fault.boundary}): {attempt.fault.message}"
    if attempt.verdict is not None:
        yield from _verdict(attempt.verdict)


def _changes(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return "\n".join(["\nchanges:", *list(lines)[2:]])  # the first two lines contain file names


def _verdict(verdict: Verdict) -> Iterator[str]:
    measured = readable.distance(verdict)
    yield f"\nverdict: {error_type(verdict)}" + (f" ({measured})" if measured else "")
    if verdict.evidence.get("problem"):
        yield str(verdict.evidence["problem"])
    for name in ("traceback", "assertion", "test_traceback"):
        if verdict.evidence.get(name):
            yield f"{name.replace('_', ' ')}:\n{verdict.evidence[name]}"
    for case in readable.cases(verdict):
        called = "case" if case["inputs"] is None else f"input ({case['inputs']})"
        hidden = ", hidden from the model" if case["hidden"] else ""
        yield f"{called}{hidden}" + (f": {case['notes']}" if case["notes"] else "")
        for name, value in (("expected", case["expected"]), ("returned", case["got"])):
            if value is not None:
                yield f"  {name}: {value}" if "\n" not in value else f"  {name}:\n{value}"
    yield f"rule {verdict.rule}. {readable.SEALED.get(verdict.sealed, '')}"


def _rule(title: str) -> str:
    return f"\n--- {title} " + "-" * (_WIDTH - len(title))
