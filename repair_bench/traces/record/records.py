"""The records shared by all packages, and their JSON form in `attempts.jsonl` (one object per line).

Field names are part of the format. `SCHEMA` changes if the meaning of a field changes. Rows,
`schema/attempt.schema.json` and the columns of exports are derived from these declarations.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import msgspec

from repair_bench.traces.record.declaration import OnDisk, fields_of, missing_fields
from repair_bench.traces.record.packing import packed, unpacked

SCHEMA = 2
"""The version number of the current format; lines in any other format are rejected."""

OutcomeStatus = Literal[
    "returned",  # the entry point returned; `value` contains the observations
    "exception",  # candidate code raised, including SystemExit; `exception` contains the traceback
    "no_entry",  # the code ran but does not define a callable entry point
    "cpu_timeout",  # CPU time limit exceeded
    "wall_timeout",  # time limit exceeded, for example by sleep or deadlock
    "memory",  # memory limit exceeded
    "output_limit",  # limit on printed or returned data exceeded
    "disk",  # private directory full
    "killed",  # ended by a signal or os._exit before it sent a result
    "malformed",  # sent an unreadable result
]

Sealed = Literal["data", "stub", "guarded"]
"""Isolation mode of grading. In mode "data", only data leaves the candidate's process. In mode "stub", the test calls
the candidate from a separate process. In mode "guarded", the test shares the candidate's process, with guards."""

VerdictKind = Literal["pass", "exception", "wrong_answer", "no_code", "limit", "context"]
"""`context`: the conversation fills the model's context window, so no answer is possible."""


@dataclass(frozen=True)
class ExceptionInfo:
    """An exception raised by a candidate."""

    type: str
    """Qualified name of the exception's class."""
    message: str
    """The exception's message."""
    traceback: str
    """The traceback, reduced to frames in the candidate's code."""


@dataclass(frozen=True)
class Outcome:
    """The result of executing a candidate, before any judgement."""

    status: OutcomeStatus
    """How the program ended."""
    value: OnDisk[Any] = None
    """The returned JSON data. For observed circuits: {"cases": [observation, ...]}, one per case. On disk, the
    `amplitudes` of a state and the `matrix` of a unitary are little-endian float64 numbers, row by row, in which real
    and imaginary parts alternate. The `operations` of a circuit are JSON text. Each of these values is compressed with
    zlib and written as a base64 string."""
    exception: OnDisk[ExceptionInfo | None] = None
    """The raised exception, if `status` is "exception"."""
    stdout: OnDisk[str] = ""
    """The printed output, truncated at a limit."""
    cpu_seconds: float | None = None
    """CPU time in seconds; null if not measured."""
    wall_seconds: float | None = None
    """Elapsed time in seconds; null if not measured."""
    sealed: OnDisk[Sealed | None] = None
    """Isolation mode of the unit test; null if there is no test or no isolation."""


@dataclass(frozen=True)
class Verdict:
    """The judgement of an attempt and its evidence, from which feedback and error types are derived."""

    kind: VerdictKind
    """The kind of verdict."""
    evidence: dict[str, Any] = field(default_factory=dict)
    """The evidence, an object whose keys depend on the kind of verdict. For a wrong answer, the evidence has `problem`
    (one sentence) and `cases`, a list of objects with the keys `inputs`, `hidden`, `expected`, `got`, `distance` and
    `mismatch` (null, "shape" or "type"). For a wrong answer in a unit test, the evidence also has `assertion` and
    `test_traceback`. For an exception, the evidence has `type`, `message` and `traceback`. For an answer without
    code, the evidence has `missing` ("code" or "entry_point") and `problem`. If a limit was exceeded, the evidence
    has `limit` (the status of the outcome) and `problem`. For a full context window, the evidence has `problem`. For
    a pass, the evidence has `distance`, if measured. Under the rule "budget", the evidence also has `instances`, a
    list with one object per instance, hidden instances last. The keys of each object are `size`, `hidden`, `planted`
    (cost of the hidden circuit), `budget`, `cost` (null without a correct circuit), `bound` (lower bound on the
    cost), `cpu` (normalised CPU seconds) and `problem` (null if solved)."""
    rule: str = "exact"
    """The grading rule."""
    sealed: Sealed | None = "data"
    """Isolation mode of grading; null if there is no isolation."""
    published: VerdictKind | None = None
    """The verdict of the published test, if an oracle of this project has replaced this test; otherwise null."""


@dataclass(frozen=True)
class Query:
    """A request for something other than an answer to the task: a query to a critic, or a decoding probe."""

    model: str
    """The model that was queried."""
    messages: OnDisk[list[dict[str, Any]]]
    """The messages as sent."""
    completion: Completion | None
    """The model's reply; null if the messages left no room for a reply."""


@dataclass(frozen=True)
class Feedback:
    """Feedback on the previous attempt."""

    policy: str
    """The feedback policy."""
    text: OnDisk[str]
    """The text shown to the model."""
    donor: str | None = None
    """With the placebo policy: the task that the feedback is about, as "suite/id"."""
    redacted: int = 0
    """Number of redacted pieces of text from a test, a reference or a hidden input."""
    critic: Query | None = None
    """The query sent to a critic, whose reply is part of `text`; null if the policy has no critic."""
    ran: OnDisk[Outcome | None] = None
    """The result of the program that the policy ran, such as a linter; null if no program was run."""


ReplyKind = Literal[
    "text",
    "cut",  # text truncated at the maximum length
    "cut_in_reasoning",  # truncated before any text
    "reasoning_only",  # reasoning without text
    "empty",  # no text, no reasoning
    "refusal",  # the model declined to answer
    "filtered",  # the provider withheld all or part of the answer
    "tool_calls",  # a tool call instead of an answer
]


TokenKind = Literal["prompt_tokens", "completion_tokens", "cached_tokens", "cache_creation_tokens", "reasoning_tokens"]
"""Counts in `Completion.usage`. Prompt tokens include cached tokens; completion tokens include reasoning tokens."""
TOKEN_DETAILS: dict[TokenKind, str] = {
    "cached_tokens": "prompt_tokens_details",
    "cache_creation_tokens": "prompt_tokens_details",
    "reasoning_tokens": "completion_tokens_details",
}
"""For each detailed token count, the object in `Completion.usage` that contains the count. All other counts are
top-level fields of `usage`."""


@dataclass(frozen=True)
class Completion:
    """A model's answer. Unknown usage and cost are null, never 0.

    If the model ran programs before it answered, usage, cost, time and requests are sums over all of its replies in the
    attempt.
    """

    text: OnDisk[str]
    """The text of the answer as received."""
    usage: dict[str, Any] | None = None
    """The provider's counts: `prompt_tokens`, `completion_tokens`, ..."""
    cost_usd: float | None = None
    """Cost in US dollars."""
    cost_source: OnDisk[str | None] = None
    """Source of `cost_usd`: "provider" if reported, otherwise the price table and its version."""
    params: OnDisk[dict[str, Any]] = field(default_factory=dict)
    """The parameters as sent."""
    cached: bool = False
    """Whether the answer was read from the run's files instead of being requested."""
    latency_seconds: float | None = None
    """Duration of the successful request, in seconds."""
    requests: int = 1
    """Number of requests sent, including repeats."""
    finish_reason: str | None = None
    """Reason why the answer ended; "length" means that it was truncated."""
    served_by: OnDisk[str | None] = None
    """The model that answered, as reported by the provider."""
    parts: OnDisk[dict[str, Any] | None] = None
    """Parts of the reply other than its text, as received: `reasoning_content`, signed `thinking_blocks`, encrypted
    `reasoning_items`, `tool_calls`, `refusal`, and provider-specific fields; null if there are none."""
    reply: ReplyKind | None = None
    """The kind of reply; null for models without a provider."""
    dropped: list[str] | None = None
    """Parameters (`temperature`, `seed`, `max_tokens`) that were not sent because the model rejects them, or null."""

    def tokens(self, kind: TokenKind) -> int | None:
        """Return a count from the provider, or None if it was not reported."""
        counts = self.usage or {}
        count: int | None = (counts.get(TOKEN_DETAILS[kind]) or {} if kind in TOKEN_DETAILS else counts).get(kind)
        return count


@dataclass(frozen=True)
class FaultRecord:
    """An infrastructure error. The episode stays pending until the run is resumed."""

    boundary: str
    """Origin of the error: "model", "executor", "suite", "trace" or "internal"."""
    message: str
    """The error message."""
    retries: int = 0
    """Number of retries."""


@dataclass(frozen=True)
class Attempt:
    """One attempt, which has either a verdict or a fault.

    The arms of an experiment share attempt 0: the episode of each arm has a line for attempt 0, with the same id.
    """

    id: str
    """Id of the attempt. Every attempt has a different id; an attempt 0 that several episodes share has one id."""
    parent: str | None
    """Id of the previous attempt; null for attempt 0."""
    episode: str
    """Id of the episode (one model, task, condition and sample)."""
    run: OnDisk[str]
    """Name of the run."""
    model: str
    """Name of the model."""
    suite: str
    """Name of the suite."""
    suite_version: str
    """Version of the suite."""
    task_id: str
    """Id of the task in the suite's dataset."""
    framework: str
    """Framework of the program: qiskit, pennylane, cirq, openqasm3, or a framework from a plug-in."""
    category: str
    """Category of the task."""
    difficulty: str | None
    """Difficulty of the task according to the suite; null if not stated."""
    condition: str
    """Name of the condition, as defined in the manifest."""
    sample: int
    """Zero-based index of this independent sample of the task."""
    attempt: int
    """0 for the first answer, 1..N for repairs."""
    feedback: Feedback | None
    """Feedback shown before this attempt; null for attempt 0."""
    messages: OnDisk[list[dict[str, Any]]]
    """The conversation as sent: `role` and `content` of each message, and the reasoning from earlier answers."""
    completion: Completion | None = None
    """The model's answer; null if there is none."""
    extraction: OnDisk[dict[str, Any] | None] = None
    """How the code was located in the answer."""
    code: OnDisk[str | None] = None
    """The program in the answer; null if there is none."""
    outcome: Outcome | None = None
    """The result of executing the program; null if nothing was executed."""
    verdict: Verdict | None = None
    """The judgement of the answer; null after a fault."""
    fault: FaultRecord | None = None
    """The infrastructure error, if any; otherwise null."""
    started_at: OnDisk[str | None] = None
    """Start time, UTC in ISO 8601."""
    finished_at: OnDisk[str | None] = None
    """Time of the judgement, UTC in ISO 8601."""
    off_policy: bool = False
    """Whether earlier feedback in the episode reported a verdict that regrading changed. Off-policy attempts are
    excluded from all rates. Statistics treat an episode as ended (censored) before its first off-policy attempt."""
    writer: str | None = None
    """The model that wrote this answer, if `model` repairs an answer of another model (in a fork); otherwise null."""
    stoppable: bool = False
    """Whether adaptive stopping (`repair.stop = "value"`) could end the episode early. Rates exclude such episodes."""
    executions: int = 0
    """Number of programs that the model ran before it answered."""
    questions: int = 0
    """Number of inputs for which the model asked for the correct output before it answered."""
    steps: OnDisk[list[dict[str, Any]]] = field(default_factory=list)
    """The replies in which the model ran programs before it answered. Each reply is an object with the fields
    `completion` (in the format of `Attempt.completion`) and `runs`. Each run is an object with the fields `call`,
    `tool`, `code`, `outcome` and `shown`. `call` is the id of the tool call (null for a code block). `tool` is "python"
    or "ask". `code` is the program, or the input for which the model asked. `outcome` is null if nothing was run.
    `shown` is the text shown to the model."""
    probe: Query | None = None
    """The decoding probe before this attempt: a query about what the model assumes for each convention that the task
    leaves open; null if there was no probe."""
    schema: int = SCHEMA
    """Version of this format."""

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.kind == "pass"

    @property
    def filled_context(self) -> bool:
        return self.verdict is not None and self.verdict.kind == "context"

    @property
    def code_digest(self) -> str | None:
        return code_digest(self.code)

    def with_texts(self) -> Attempt:
        """Return this attempt, which already has its texts. The same method of a `Row` reads the attempt from disk."""
        return self

    def replaced(self, **fields: Any) -> Self:
        return dataclasses.replace(self, **fields)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object for a line of `attempts.jsonl`, without copying the values of its fields."""
        return _plain(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Attempt:
        """Reverse `to_json`, ignoring unknown fields. Raises KeyError or ValueError."""
        if missing := next(missing_fields(cls, data), None):
            raise ValueError(f"it has no field `{missing}`")
        return msgspec.convert(data, cls).restored()

    def restored(self) -> Attempt:
        """Return the attempt, with the value of its outcome converted from the compact form on disk.

        Raises KeyError or ValueError.
        """
        for message in self.messages:
            message["content"]
        if self.outcome is None or (value := unpacked(self.outcome.value)) is self.outcome.value:
            return self
        return self.replaced(outcome=dataclasses.replace(self.outcome, value=value))


def code_digest(code: str | None) -> str | None:
    """Return a digest of the code (16 hexadecimal digits), or None if there is no code."""
    return None if code is None else hashlib.blake2b(code.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _plain(record: object) -> dict[str, Any]:
    """Return a record as a dictionary; unlike `dataclasses.asdict`, without copying values."""
    kind: type = type(record)
    values = ((field.name, getattr(record, field.name)) for field in fields_of(kind))
    plain = {name: _plain(value) if dataclasses.is_dataclass(value) else value for name, value in values}
    return {**plain, "value": packed(plain["value"])} if isinstance(record, Outcome) else plain
