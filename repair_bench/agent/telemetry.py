"""Send spans of attempts to an OpenTelemetry collector.

Telemetry is off by default and requires the extra `repair-bench[telemetry]`. The names follow the semantic conventions
for generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans); values that the conventions do not
cover are named `repair_bench.*`. Each episode is a trace, and the episode's span is the parent of its attempts' spans
in every session. Spans contain numbers, ids and names, but no prompts, answers, error messages or keys. A slow or
missing collector does not delay the run: spans that do not fit into the queue are dropped and reported once.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from repair_bench._version import __version__
from repair_bench.analysis.rates.metrics import reply
from repair_bench.log import log
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExportResult

_MAX_QUEUE = 4096  # spans; beyond it the oldest are dropped
_SENT_EVERY_MS = 1000
_TIMEOUT_SECONDS = 3.0  # of one request
_FLUSH_SECONDS = 5.0  # of the queue at the end of a run
_MAX_CHARACTERS = 256  # of a value
_PARAMS = {name: name for name in ("temperature", "max_tokens", "seed", "top_p")} | {
    "max_completion_tokens": "max_tokens"
}
"""Numeric parameters of a request, with their names in the semantic conventions."""


def check_installed() -> None:
    if importlib.util.find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        raise UsageError('telemetry requires OpenTelemetry: pip install "repair-bench[telemetry]"')


class Telemetry:
    """Sends the spans of one session from a single thread. `otlp`: the collector's address, http://HOST:PORT."""

    def __init__(self, otlp: str, run: str, max_attempts: int) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON

        self.otlp = otlp
        self._run = run
        self._max_attempts = max_attempts
        self._starts: dict[str, int | None] = {}
        self._made = 0
        self._ids = _ids()
        self._sent = _counting_exporter(f"{otlp.rstrip('/')}/v1/traces")
        self._provider = TracerProvider(
            sampler=ALWAYS_ON,
            resource=Resource.create({"service.name": "repair-bench", "service.version": __version__}),
            id_generator=self._ids,
            span_limits=SpanLimits(max_attribute_length=_MAX_CHARACTERS),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(self._sent, max_queue_size=_MAX_QUEUE, schedule_delay_millis=_SENT_EVERY_MS)
        )
        self._tracer = self._provider.get_tracer("repair_bench", __version__)
        self._logger = logging.getLogger("opentelemetry")
        self._level = self._logger.level
        self._logger.setLevel(logging.CRITICAL)  # it prints a line per failed request

    def attempt(self, attempt: Attempt) -> None:
        """Queue the span of a recorded attempt and, after the last attempt, the span of its episode."""
        from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags, set_span_in_context

        episode = f"{self._run} {attempt.episode}"
        trace, root = _digest(f"trace {episode}", 16), _digest(f"episode {episode}", 8)
        start = self._starts.setdefault(attempt.episode, _nanoseconds(attempt.started_at))
        values = {**_request_and_reply(attempt), **self._names(attempt), **_outcome(attempt)}
        parent = SpanContext(trace, root, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
        self._span(
            f"chat {_model(attempt)}",
            _digest(f"attempt {episode} {attempt.attempt}", 8),
            _nanoseconds(attempt.started_at),
            attempt,
            {name: value for name, value in values.items() if value is not None},
            kind=SpanKind.CLIENT,
            context=set_span_in_context(NonRecordingSpan(parent)),
        )
        if attempt.fault is not None:  # pending: another session makes its last attempt
            del self._starts[attempt.episode]
        elif attempt.passed or attempt.filled_context or attempt.attempt >= self._max_attempts:
            del self._starts[attempt.episode]
            self._ids.trace = trace
            ended = {"repair_bench.attempts": attempt.attempt + 1, "repair_bench.solved": attempt.passed}
            self._span("episode", root, start, attempt, {**self._names(attempt), **ended})

    def close(self) -> str | None:
        """Spend at most a few seconds sending the queued spans.

        Return a warning if any spans were not delivered.
        """
        flush = threading.Thread(target=self._provider.shutdown, daemon=True)
        flush.start()
        flush.join(_FLUSH_SECONDS)
        self._logger.setLevel(self._level)
        lost = self._made - self._sent.taken
        if not lost:
            return None
        log.warning("telemetry", spans=self._made, lost=lost)
        return f"telemetry: {self.otlp} did not accept {lost:,} of {self._made:,} spans; the run's record is complete"

    def _span(
        self, name: str, number: int, start: int | None, attempt: Attempt, values: dict[str, Any], **more: Any
    ) -> None:
        from opentelemetry.trace import StatusCode

        self._ids.span = number
        span = self._tracer.start_span(name, start_time=start, attributes=values, **more)
        if attempt.fault is not None:
            span.set_status(StatusCode.ERROR)
        span.end(_nanoseconds(attempt.finished_at))
        self._made += 1

    def _names(self, attempt: Attempt) -> dict[str, Any]:
        names = ("episode", "model", "suite", "framework", "condition", "sample")
        return {
            "repair_bench.run": self._run,
            "repair_bench.task": attempt.task_id,
            **{f"repair_bench.{name}": getattr(attempt, name) for name in names},
        }


def _request_and_reply(attempt: Attempt) -> dict[str, Any]:
    provider, slash, _ = attempt.model.partition("/")
    values: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": _model(attempt)}
    values["gen_ai.provider.name"] = provider if slash else None
    if (completion := attempt.completion) is not None:
        usage = completion.usage or {}
        sent = {called: completion.params.get(name) for name, called in _PARAMS.items() if name in completion.params}
        values |= {f"gen_ai.request.{name}": value for name, value in sent.items() if isinstance(value, int | float)}
        values |= {
            "gen_ai.response.model": completion.served_by,
            "gen_ai.response.finish_reasons": completion.finish_reason and [completion.finish_reason],
            "gen_ai.usage.input_tokens": usage.get("prompt_tokens"),
            "gen_ai.usage.output_tokens": usage.get("completion_tokens"),
            "gen_ai.usage.cache_read.input_tokens": (usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
            "gen_ai.usage.reasoning.output_tokens": (usage.get("completion_tokens_details") or {}).get(
                "reasoning_tokens"
            ),
            "repair_bench.cost_usd": completion.cost_usd,
        }
    return values


def _outcome(attempt: Attempt) -> dict[str, Any]:
    return {
        "repair_bench.attempt": attempt.attempt,
        "repair_bench.attempt_id": attempt.id,
        "repair_bench.feedback": attempt.feedback and attempt.feedback.policy,
        "repair_bench.critic_cost_usd": (critic := reply(attempt, "critic")) and critic.cost_usd,
        "repair_bench.execution_seconds": attempt.outcome and attempt.outcome.wall_seconds,
        "repair_bench.verdict": attempt.verdict and attempt.verdict.kind,
        "error.type": attempt.fault and attempt.fault.boundary,
    }


def _model(attempt: Attempt) -> str:
    return attempt.model.partition("/")[2] or attempt.model


def _digest(name: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:size], "big") or 1


def _nanoseconds(time: str | None) -> int | None:
    return None if time is None else round(datetime.fromisoformat(time).timestamp() * 1e9)


def _ids() -> Any:
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class SetIds(IdGenerator):
        trace = span = 1

        def generate_trace_id(self) -> int:
            return self.trace

        def generate_span_id(self) -> int:
            return self.span

    return SetIds()


def _counting_exporter(address: str) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SpanExportResult

    class CountingExporter(OTLPSpanExporter):
        taken = 0

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result = super().export(spans)
            if result is SpanExportResult.SUCCESS:
                self.taken += len(spans)
            return result

    return CountingExporter(address, timeout=_TIMEOUT_SECONDS)
