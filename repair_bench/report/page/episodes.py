"""The data of the task map and the trace viewer: an index of all episodes, and the texts of episodes in chunks.

Each block is compressed JSON in base64, so that no text can close the script element around the block.
`assets/data.js` reads the index, and unpacks a chunk when the user opens an episode in that chunk.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.feedback_use.ideal_observer import bits_left, members
from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.analysis.taxonomy import QUANBENCH_PLUS, QUANTUM_KATAS, error_class, error_type
from repair_bench.report import readable
from repair_bench.report.display_names import display_names
from repair_bench.report.page.facts import conditions
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.records import Attempt, TokenKind
from repair_bench.traces.run.manifest import Manifest

CHUNK = 50
"""Episodes per chunk."""
MAX_LENGTH = 50_000
"""The maximum number of characters per text on the page; the record contains the full text."""

_TOKENS: tuple[TokenKind, ...] = ("prompt_tokens", "completion_tokens")
_FIELDS = ("model", "framework", "condition", "suite", "category", "difficulty")


@dataclass(frozen=True)
class Trace:
    """All attempts of an episode, including off-policy ones. `state`: "counted", or the reason for exclusion."""

    attempts: tuple[Recorded, ...]
    solved_at: int | None
    state: str

    @property
    def first(self) -> Recorded:
        return self.attempts[0]


def blocks(
    manifest: Manifest, attempts: Sequence[Recorded], observed: Sequence[Observed] = (), texts: int | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each block: "index", then "chunk-0", "chunk-1", ...

    `observed`: the episodes as the ideal observer sees them. `texts`: the approximate number of episodes whose texts
    are included, or None to include the texts of all episodes. The included episodes are spread evenly over the run.
    """
    seen = {one.episode.first.episode: one for one in observed}
    repairs = repairs_of(attempts, manifest)
    listed = traces(attempts, repairs)
    yield "index", pack(index(listed, manifest, repairs))
    every = 1 if texts is None else math.ceil(len(listed) / max(texts, CHUNK))
    for number, start in enumerate(range(0, len(listed), CHUNK)):
        if number % every == 0:
            yield f"chunk-{number}", pack(chunk(listed[start : start + CHUNK], seen))


def traces(attempts: Sequence[Recorded], repairs: int) -> list[Trace]:
    """Return the episodes sorted by task ("2" before "10"), so that episodes with the same prompt are adjacent."""
    paths: dict[str, list[Recorded]] = {}
    for attempt in attempts:
        paths.setdefault(attempt.episode, []).append(attempt)
    rated = {e.first.episode: e for e in metrics.episodes(attempts)}
    listed = []
    for name, path in paths.items():
        path.sort(key=lambda a: (a.attempt, a.id))
        episode = rated.get(name)
        state: str = "incomplete" if episode is None else episode.state(repairs)
        if state == "incomplete" and any(a.off_policy for a in path):
            state = "off policy"
        listed.append(Trace(tuple(path), None if episode is None else episode.solved_at, state))
    return sorted(listed, key=_order)


def index(episodes: Sequence[Trace], manifest: Manifest, repairs: int) -> dict[str, Any]:
    """Return columns with one entry per episode, for the page's lists, filters and heatmap.

    Columns contain the index of a name in a list of names instead of the name itself. `kinds`: a list of the distinct
    pairs [error class, error type] that occur in attempts. `paths`: one list per episode, with one number per attempt.
    The number is the position in `kinds` of the attempt's pair [error class, error type]. `titles`: one title per task
    (None if unknown). `shown`: maps full names, such as those of models, to short names.
    """
    kinds, roots = _Names(), _Names()
    titles = {" ".join(task): title for task, title in manifest.titles.items()}
    answers = [metrics.completions(e.attempts) for e in episodes]
    fields: dict[str, dict[str, Any]] = {}
    short = display_names(manifest, (e.first for e in episodes))
    for field in (*_FIELDS, "task"):
        names = _Names()
        column = [names.number(_task(e) if field == "task" else getattr(e.first, field)) for e in episodes]
        fields[field] = {"names": names.all, "column": column}
        if field in short.by_kind:
            shown = {name: short.of(field, name) for name in names.all}
            fields[field]["shown"] = {name: other for name, other in shown.items() if other != name}
    return {
        "repairs": repairs,
        "chunk": CHUNK,
        "conditions": conditions(manifest),
        "fields": fields,
        "titles": [titles.get(name) for name in fields["task"]["names"]],
        "id": [e.first.episode for e in episodes],
        "sample": [e.first.sample for e in episodes],
        "root": [roots.number(e.first.id) for e in episodes],
        "state": [e.state for e in episodes],
        "solved": [e.solved_at for e in episodes],
        "paths": [[kinds.number(_kind(a)) for a in e.attempts] for e in episodes],
        "tokens": [_known(metrics.tokens(of_one, kind) for kind in _TOKENS) for of_one in answers],
        "cost": [metrics.cost(of_one).value for of_one in answers],
        "kinds": kinds.all,
    }


def chunk(episodes: Sequence[Trace], seen: Mapping[str, Observed]) -> dict[str, Any]:
    """Return the texts of the given episodes. A prompt that several episodes share is included only once. `seen`: the
    observations, keyed by episode id.
    """
    prompts = _Names()
    bodies = []
    for episode in episodes:
        attempts = [a if isinstance(a, Attempt) else a.with_texts() for a in episode.attempts]
        prompt = tuple((str(m.get("role", "")), _cut(str(m.get("content", "")))) for m in attempts[0].messages)
        made = [_body(a) for a in attempts]
        for body, left in zip(made, _left(seen.get(episode.first.episode)), strict=False):
            body["left"] = left
        bodies.append({"prompt": prompts.number(prompt), "attempts": made})
    return {"prompts": prompts.all, "episodes": bodies}


def pack(data: Any) -> str:
    """Return data as compressed JSON in base64. Equal data give equal text."""
    return base64.b64encode(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 6, mtime=0)).decode()


def _left(observed: Observed | None) -> list[dict[str, Any]]:
    """Return the hypotheses left after the feedback on each observed attempt, and log2 of their number, in bits."""
    if observed is None or observed.bits == 0:
        return []
    return [
        {"bits": round(bits_left(one.kept), 2), "open": [observed.names[h] for h in members(one.kept)]}
        for one in observed.seen
    ]


def _body(attempt: Attempt) -> dict[str, Any]:
    feedback, outcome, verdict, fault = attempt.feedback, attempt.outcome, attempt.verdict, attempt.fault
    body: dict[str, Any] = {
        "id": attempt.id,
        "number": attempt.attempt,
        "facts": readable.facts(attempt),
        "sent": len(attempt.messages),
        "code": _cut(attempt.code),
        "answer": _cut(attempt.completion.text) if attempt.completion is not None else None,
        "extraction": readable.extraction(attempt),
        "started": attempt.started_at,
        "thought": _cut(readable.thought(attempt)),
        "tried": [{name: _cut(text) for name, text in run.items()} for run in readable.tried(attempt)],
    }
    if feedback is not None:
        body["feedback"] = {
            "policy": feedback.policy,
            "text": _cut(feedback.text),
            "donor": feedback.donor,
            "leaks": readable.leaks(feedback),
        }
    if outcome is not None:
        body["outcome"] = {"status": outcome.status, "stdout": _cut(outcome.stdout)}
        if outcome.exception is not None:
            body["outcome"]["traceback"] = _cut(outcome.exception.traceback)
    if verdict is not None:
        evidence = verdict.evidence
        body["verdict"] = {
            "kind": verdict.kind,
            "class": error_class(verdict),
            "type": error_type(verdict),
            "rule": verdict.rule,
            "sealed": readable.SEALED.get(verdict.sealed, str(verdict.sealed)),
            "problem": _cut(str(evidence.get("problem") or "")),
            "note": _cut(str(evidence.get("note") or "")),
            "distance": readable.distance(verdict),
            "cases": [{key: _cut(value) for key, value in case.items()} for case in readable.cases(verdict)],
            "texts": {
                name.replace("_", " "): _cut(str(evidence[name]))
                for name in ("message", "traceback", "assertion", "test_traceback")
                if evidence.get(name)
            },
            "taxonomies": {t.name: t.of(verdict) for t in (QUANBENCH_PLUS, QUANTUM_KATAS)},
        }
    if fault is not None:
        body["fault"] = {"boundary": fault.boundary, "message": _cut(fault.message), "retries": fault.retries}
    if attempt.off_policy:
        body["off_policy"] = readable.OFF_POLICY
    return body


def _kind(attempt: Recorded) -> tuple[str, str]:
    if attempt.off_policy:
        return "off policy", "off policy"
    if attempt.fault is not None:
        return "fault", f"fault: {attempt.fault.boundary}"
    if attempt.verdict is None:
        return "unknown", "no verdict"
    return error_class(attempt.verdict), error_type(attempt.verdict)


def _cut(text: Any) -> Any:
    if not isinstance(text, str) or len(text) <= MAX_LENGTH:
        return text
    return f"{text[:MAX_LENGTH]}\n[cut here: {len(text) - MAX_LENGTH:,} more characters in attempts.jsonl]"


def _task(episode: Trace) -> str:
    return f"{episode.first.suite} {episode.first.task_id}"


def _order(trace: Trace) -> tuple[Any, ...]:
    first = trace.first
    parts = [part for part in re.split(r"([0-9]+)", first.task_id) if part]
    numbers = tuple((not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)
    return first.suite, numbers, first.framework, first.model, first.condition, first.sample, first.episode


def _known(totals: Iterable[metrics.Total]) -> float | None:
    values = [total.value for total in totals]
    return None if None in values else sum(v for v in values if v is not None)


class _Names:
    """A list of distinct values, in order of first use, that returns the index of each value."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def all(self) -> list[Any]:
        return list(self._numbers)
