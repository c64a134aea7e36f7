"""One episode as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Attempt


def find(attempts: Sequence[Attempt], episode: str) -> list[Attempt]:
    """The attempts of the one episode whose id starts with `episode`, oldest first. Raises UsageError else."""
    ids = sorted({a.episode for a in attempts if a.episode.startswith(episode)})
    if len(ids) != 1:
        what = "no episode" if not ids else f"{len(ids)} episodes"
        raise UsageError(f"{what} of this run start with {episode!r}; the ids stand in attempts.jsonl")
    return sorted((a for a in attempts if a.episode == ids[0]), key=lambda a: a.attempt)


def text(attempts: Sequence[Attempt]) -> str:
    """Feedback, code and verdict of each attempt. What came from a model is stripped of control characters."""
    first = attempts[0]
    parts = [f"{first.model}  {first.suite} {first.task_id} {first.framework}  sample {first.sample}  {first.episode}"]
    for attempt in attempts:
        parts.append(f"\n--- attempt {attempt.attempt} " + "-" * 60)
        if attempt.feedback is not None:
            parts.append(f"feedback ({attempt.feedback.policy}):\n{attempt.feedback.text}\n")
        parts.append(attempt.code if attempt.code is not None else "(no code)")
        if attempt.fault is not None:
            parts.append(f"fault ({attempt.fault.boundary}): {attempt.fault.message}")
        elif attempt.verdict is not None:
            parts.append(f"verdict: {attempt.verdict.kind}  {attempt.verdict.evidence.get('problem', '')}")
    return _safe("\n".join(parts))


def _safe(string: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in string)
