"""The plain records that all rooms share, and their JSON form in `attempts.jsonl` (one object a line).

Field names are part of the format: `SCHEMA` changes when one changes its meaning. A field is declared here and nowhere
else: rows, `schema/attempt.schema.json` and the columns of exports are made from the declaration.
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
"""The number of today's format; a line of another one is refused."""

OutcomeStatus = Literal[
    "returned",  # the entry point returned; `value` holds what was observed
    "exception",  # candidate code raised, SystemExit included; `exception` holds the traceback
    "no_entry",  # the code ran but does not define a callable entry point
    "cpu_timeout",  # used up its CPU seconds
    "wall_timeout",  # slept or was deadlocked beyond the wall-clock bound
    "memory",  # asked for more memory than its limit
    "output_limit",  # wrote or returned more than its limit
    "disk",  # filled its private directory
    "killed",  # died of a signal, or left (os._exit) before it sent anything
    "malformed",  # sent something that cannot be read as a result
]

Sealed = Literal["data", "stub", "guarded"]
"""How grading was kept from the candidate: only data left its process, the test ran in another one and called it
there, or the test ran beside it under guards."""

VerdictKind = Literal["pass", "exception", "wrong_answer", "no_code", "limit", "context"]
"""`context`: the conversation fills the model's context window, so that no answer can come: the condition's outcome."""


@dataclass(frozen=True)
class ExceptionInfo:
    """An exception raised by candidate code."""

    type: str
    """The qualified name of its class."""
    message: str
    """What it says."""
    traceback: str
    """The candidate's own frames; no path of ours."""


@dataclass(frozen=True)
class Outcome:
    """What the executor saw. Never an opinion."""

    status: OutcomeStatus
    """How the program ended."""
    value: OnDisk[Any] = None
    """JSON data that was returned. For a program that observes circuits, {"cases": [observation, ...]}, one a case. On
    the disk the `amplitudes` of a state and the `matrix` of a unitary are a text each: base64 of zlib of little-endian
    float64, real and imaginary part in turn, row by row."""
    exception: OnDisk[ExceptionInfo | None] = None
    """What it raised, where `status` is "exception"."""
    stdout: OnDisk[str] = ""
    """What it printed, cut to a limit."""
    cpu_seconds: float | None = None
    """CPU time it used; null where it could not be measured."""
    wall_seconds: float | None = None
    """Time that passed; null where it could not be measured."""
    sealed: OnDisk[Sealed | None] = None
    """How a unit test was kept from the candidate; null where it was not, and where nothing was tested."""


@dataclass(frozen=True)
class Verdict:
    """A judgement and the evidence for it. Feedback and error types are derived from these two and nothing else."""

    kind: VerdictKind
    """What it comes to."""
    evidence: dict[str, Any] = field(default_factory=dict)
    """What it rests on. Of a wrong answer: `cases` (a list of {`inputs`, `hidden`, `expected`, `got`, `distance`,
    `mismatch`}; `mismatch` is null, "shape" or "type"), `problem`, one sentence, and of a unit test `assertion` and
    `test_traceback`. Of an exception: `type`, `message`, `traceback`. Of no code: `missing` ("code" or "entry_point"),
    `problem`. Of a limit: `limit` (an outcome's status), `problem`. Of a full context window: `problem`.
    Of a pass: `distance` where one was measured."""
    rule: str = "exact"
    """The grading rule."""
    sealed: Sealed | None = "data"
    """How grading was kept from the candidate; null where it was not."""
    published: VerdictKind | None = None
    """What the published test makes of it, where an oracle of ours decided instead; null elsewhere."""


@dataclass(frozen=True)
class Feedback:
    """What the model was told of its last attempt."""

    policy: str
    """The feedback policy that made it."""
    text: OnDisk[str]
    """What the model read."""
    donor: str | None = None
    """The task whose feedback it really is, "suite/id", under the placebo policy."""
    redacted: int = 0
    """How many pieces of text of a test, a reference or a hidden input were taken out of what the model would have read
    otherwise."""


ReplyKind = Literal[
    "text",
    "cut",  # its text ended at the longest completion that was allowed
    "cut_in_reasoning",  # that was used up before there was any text
    "reasoning_only",  # the model reasoned and said nothing
    "empty",  # no text, no reasoning
    "refusal",  # the model declined to answer
    "filtered",  # the provider withheld the answer, or the rest of it
    "tool_calls",  # a call of a tool stands in place of the answer
]


TokenKind = Literal["prompt_tokens", "completion_tokens", "cached_tokens", "cache_creation_tokens", "reasoning_tokens"]
"""Counts in `Completion.usage`. Tokens cached or kept are some of the prompts', reasoning's of the answers'."""
TOKEN_DETAILS: dict[TokenKind, str] = {
    "cached_tokens": "prompt_tokens_details",
    "cache_creation_tokens": "prompt_tokens_details",
    "reasoning_tokens": "completion_tokens_details",
}
"""The part of `usage` that a count stands in, where it is not `usage` itself."""


@dataclass(frozen=True)
class Completion:
    """A model's answer. Unknown is null: usage and cost that a provider does not report are never 0."""

    text: OnDisk[str]
    """The text of the answer as it arrived."""
    usage: dict[str, Any] | None = None
    """The provider's own counts: `prompt_tokens`, `completion_tokens`, ... Those of an attempt, and its cost, time and
    requests, are sums over all requests of the turn where the model ran programs before it answered."""
    cost_usd: float | None = None
    """What it cost in US dollars."""
    cost_source: OnDisk[str | None] = None
    """Where `cost_usd` comes from: "provider" where it was reported, else the price table and its version."""
    params: OnDisk[dict[str, Any]] = field(default_factory=dict)
    """The parameters that were really sent."""
    cached: bool = False
    """Whether it was read from the run's store instead of asked for."""
    latency_seconds: float | None = None
    """How long the request that brought it took."""
    requests: int = 1
    """How many requests were sent for it; 1 when none had to be repeated."""
    finish_reason: str | None = None
    """Why the model stopped; "length" tells an answer that was cut off."""
    served_by: OnDisk[str | None] = None
    """The model that the provider says answered."""
    parts: OnDisk[dict[str, Any] | None] = None
    """What the reply held besides its text, as it arrived: `reasoning_content`, `thinking_blocks` with signatures,
    encrypted `reasoning_items`, `tool_calls`, `refusal`, and fields of the provider's own; null for none."""
    reply: ReplyKind | None = None
    """What kind of reply it was; null for models that are asked without a provider."""
    dropped: list[str] | None = None
    """Parameters that were asked for (`temperature`, `seed`, `max_tokens`) and not sent, since the model refuses them;
    null where there is none."""

    def tokens(self, kind: TokenKind) -> int | None:
        """A count of the provider's; None where it did not report it."""
        counts = self.usage or {}
        count: int | None = (counts.get(TOKEN_DETAILS[kind]) or {} if kind in TOKEN_DETAILS else counts).get(kind)
        return count


@dataclass(frozen=True)
class FaultRecord:
    """A fault on our side, as recorded. Its episode is cut short there and is owed again on resume."""

    boundary: str
    """Where it was crossed: "model", "executor", "suite", "trace" or "internal"."""
    message: str
    """What went wrong."""
    retries: int = 0
    """How often it was tried again."""


@dataclass(frozen=True)
class Attempt:
    """One turn of the loop. Holds a verdict or a fault, never both.

    The arms of an experiment share attempt 0: each arm's episode holds it as a line of its own with the same id.
    """

    id: str
    """Its name; two lines have the same one only where episodes share the attempt."""
    parent: str | None
    """The id of the attempt before it; null for attempt 0."""
    episode: str
    """The episode that it belongs to: one model, task, condition and sample."""
    run: OnDisk[str]
    """The name of the run."""
    model: str
    """The model that was asked."""
    suite: str
    """The suite of the task."""
    suite_version: str
    """The version of the suite."""
    task_id: str
    """The task, by the name that its dataset gives it."""
    framework: str
    """What the program is written for: qiskit, pennylane or cirq."""
    category: str
    """The kind of task."""
    difficulty: str | None
    """How hard the suite says the task is; null where it says nothing."""
    condition: str
    """The name of the condition under which the model was asked; the manifest says what it is."""
    sample: int
    """Which of the independent episodes of a task this is, from 0."""
    attempt: int
    """0 for the first answer, 1..N for repairs."""
    feedback: Feedback | None
    """What the model was told before this attempt; null for attempt 0."""
    messages: OnDisk[list[dict[str, Any]]]
    """The conversation that was sent: `role` and `content` of each message, and the reasoning that was handed back."""
    completion: Completion | None = None
    """What the model answered; null where no answer came."""
    extraction: OnDisk[dict[str, Any] | None] = None
    """How the code was found in the answer."""
    code: OnDisk[str | None] = None
    """The program taken from the answer; null where there was none."""
    outcome: Outcome | None = None
    """What came of running it; null where nothing was run."""
    verdict: Verdict | None = None
    """The judgement, also of an answer that could not come for want of room; null where a fault stands in its place."""
    fault: FaultRecord | None = None
    """What broke on our side; null where nothing did."""
    started_at: OnDisk[str | None] = None
    """When the attempt began, in UTC, ISO 8601."""
    finished_at: OnDisk[str | None] = None
    """When it was judged, in UTC, ISO 8601."""
    off_policy: bool = False
    """Made after the model was told of another verdict than the one that stands now (a regraded run): it enters no
    rate, and its episode is censored before it."""
    writer: str | None = None
    """The model that wrote it, where the episode was forked from another model's and `model` only repairs."""
    stoppable: bool = False
    """Of an episode that the run could end early, where another attempt was worth more (`repair.stop = value`): it
    enters no rate."""
    executions: int = 0
    """How many programs of its own the model ran before it answered."""
    steps: OnDisk[list[dict[str, Any]]] = field(default_factory=list)
    """What the model did before it answered, one object for each of its replies that asked to run programs:
    `completion`, as that of the attempt, and `runs`, each with `call` (the id of the tool call, null for a code block),
    `code`, `outcome` (null where nothing was run) and `shown`, what the model was told of it."""
    schema: int = SCHEMA
    """The version of this format."""

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.kind == "pass"

    @property
    def code_digest(self) -> str | None:
        """16 hexadecimal digits that are the same for the same code; None without code."""
        return code_digest(self.code)

    def with_texts(self) -> Attempt:
        """Itself; a `Row` is read from the disk."""
        return self

    def replaced(self, **fields: Any) -> Self:
        """The attempt with other values in some fields."""
        return dataclasses.replace(self, **fields)

    def to_json(self) -> dict[str, Any]:
        """The object of one line of `attempts.jsonl`. What it holds below its fields is the attempt's own, no copy."""
        return _plain(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Attempt:
        """The reverse of `to_json`. Fields this version does not know are left out. Raises KeyError or ValueError."""
        if missing := next(missing_fields(cls, data), None):
            raise ValueError(f"it has no field `{missing}`")
        return msgspec.convert(data, cls).restored()

    def restored(self) -> Attempt:
        """The attempt that was written, of one whose fields are those of a line. Raises KeyError or ValueError."""
        for message in self.messages:
            message["content"]
        if self.outcome is None or (value := unpacked(self.outcome.value)) is self.outcome.value:
            return self
        return self.replaced(outcome=dataclasses.replace(self.outcome, value=value))


def code_digest(code: str | None) -> str | None:
    """16 hexadecimal digits that are the same for the same code; None for none."""
    return None if code is None else hashlib.blake2b(code.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _plain(record: object) -> dict[str, Any]:
    """Unlike `dataclasses.asdict` it leaves data alone: a state of ten qubits need not be copied to be written."""
    kind: type = type(record)
    values = ((field.name, getattr(record, field.name)) for field in fields_of(kind))
    plain = {name: _plain(value) if dataclasses.is_dataclass(value) else value for name, value in values}
    return {**plain, "value": packed(plain["value"])} if isinstance(record, Outcome) else plain
