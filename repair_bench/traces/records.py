"""The plain records that all rooms share, and their JSON form in `attempts.jsonl` (one object a line).

Field names are part of the format: `SCHEMA` changes when one changes its meaning.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = 1

OutcomeStatus = Literal[
    "returned",  # the entry point returned; `value` holds what was observed
    "exception",  # candidate code raised, SystemExit included; `exception` holds the traceback
    "no_entry",  # the code ran but does not define a callable entry point
    "cpu_timeout",  # used up its CPU seconds
    "wall_timeout",  # slept or was deadlocked beyond the wall-clock bound
    "memory",  # asked for more memory than its limit
    "output_limit",  # wrote or returned more than its limit
    "disk",  # filled its private directory
    "killed",  # died of a signal, or left (os._exit) before it returned anything
]

Sealed = Literal["data", "stub", "guarded"]
"""How grading was kept from the candidate: only data left its process, the test ran in another one and called it
there, or the test ran beside it under guards."""

VerdictKind = Literal["pass", "exception", "wrong_answer", "no_code", "limit"]


@dataclass(frozen=True)
class ExceptionInfo:
    """An exception raised by candidate code. `traceback` holds the candidate's own frames and no path of ours."""

    type: str
    message: str
    traceback: str


@dataclass(frozen=True)
class Outcome:
    """What the executor saw. Never an opinion.

    `value`: JSON data. For a `Program` that observes circuits, `{"cases": [observation, ...]}`, one observation a case
    (see `repair_bench.executors.program`). Seconds are None when they could not be measured.
    """

    status: OutcomeStatus
    value: Any = None
    exception: ExceptionInfo | None = None
    stdout: str = ""
    cpu_seconds: float | None = None
    wall_seconds: float | None = None
    sealed: Sealed | None = None
    """How a unit test was kept from the candidate; None where it was not, and where nothing was tested."""


@dataclass(frozen=True)
class Verdict:
    """A judgement and the evidence for it. Feedback and error types are derived from these two and nothing else.

    `evidence` by kind:
    wrong_answer: `cases` (a list of {`inputs`, `hidden`, `expected`, `got`, `distance`, `mismatch`}; `mismatch` is
    None, "shape" or "type"), and `problem`, one sentence; of a unit test also `assertion` and `test_traceback`, which
    may reveal what was expected;
    exception: `type`, `message`, `traceback`;
    no_code: `missing` ("code" or "entry_point"), `problem`;
    limit: `limit` (an outcome status), `problem`;
    pass: `distance` where one was measured.
    """

    kind: VerdictKind
    evidence: dict[str, Any] = field(default_factory=dict)
    rule: str = "exact"
    sealed: Sealed | None = "data"


@dataclass(frozen=True)
class Feedback:
    """What the model was told of its last attempt, and the policy that made it.

    `donor`: the id of the attempt whose feedback it really is, under the placebo policy.
    """

    policy: str
    text: str
    donor: str | None = None


@dataclass(frozen=True)
class Completion:
    """A model's answer. Unknown is None: usage and cost that a provider does not report are never 0.

    `usage`: the provider's own counts (`prompt_tokens`, `completion_tokens`, ...); `cost_source`: "provider" where it
    reported `cost_usd` itself, else the price table and its version; `params`: what was really sent;
    `cached`: whether it was read from the run's store instead of asked for; `latency_seconds`: of the request that
    brought it; `requests`: how many were sent for it, 1 when none had to be repeated; `finish_reason`: "length" tells
    an answer that was cut off; `served_by`: the model that the provider says answered.
    """

    text: str
    usage: dict[str, Any] | None = None
    cost_usd: float | None = None
    cost_source: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    cached: bool = False
    latency_seconds: float | None = None
    requests: int = 1
    finish_reason: str | None = None
    served_by: str | None = None


@dataclass(frozen=True)
class FaultRecord:
    """A fault on our side, as recorded. Its episode leaves every rate and is owed again on resume."""

    boundary: str
    message: str
    retries: int = 0


@dataclass(frozen=True)
class Attempt:
    """One turn of the loop. Holds a verdict or a fault, never both.

    The arms of an experiment share attempt 0: each arm's episode holds it as a line of its own with the same id.
    `off_policy`: made after the model was told of another verdict than the one that stands here (a regraded run); it
    enters no rate, and its episode is censored before it. `writer`: the model that wrote it, where the episode was
    forked from another model's and `model` only repairs.
    """

    id: str
    parent: str | None
    episode: str
    run: str
    model: str
    suite: str
    suite_version: str
    task_id: str
    framework: str
    category: str
    difficulty: str | None
    condition: str
    sample: int
    attempt: int
    feedback: Feedback | None
    messages: list[dict[str, str]]
    completion: Completion | None = None
    extraction: dict[str, Any] | None = None
    code: str | None = None
    outcome: Outcome | None = None
    verdict: Verdict | None = None
    fault: FaultRecord | None = None
    started_at: str | None = None
    finished_at: str | None = None
    off_policy: bool = False
    writer: str | None = None
    schema: int = SCHEMA

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.kind == "pass"

    @property
    def code_digest(self) -> str | None:
        """16 hexadecimal digits that are the same for the same code; None without code."""
        return code_digest(self.code)

    def to_json(self) -> dict[str, Any]:
        """The object of one line of `attempts.jsonl`."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Attempt:
        """The reverse of `to_json`. Fields this version does not know are left out. Raises KeyError or TypeError."""
        known = {f.name: data[f.name] for f in dataclasses.fields(cls) if f.name in data}
        for name, record in _NESTED.items():
            if known.get(name) is not None:
                known[name] = _read(record, known[name])
        return cls(**known)


def code_digest(code: str | None) -> str | None:
    """16 hexadecimal digits that are the same for the same code; None for none."""
    return None if code is None else hashlib.blake2b(code.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _read(record: type, data: dict[str, Any]) -> Any:
    fields = {f.name for f in dataclasses.fields(record)}
    data = {k: v for k, v in data.items() if k in fields}
    if record is Outcome and data.get("exception") is not None:
        data["exception"] = _read(ExceptionInfo, data["exception"])
    return record(**data)


_NESTED: dict[str, type] = {
    "feedback": Feedback,
    "completion": Completion,
    "outcome": Outcome,
    "verdict": Verdict,
    "fault": FaultRecord,
}
