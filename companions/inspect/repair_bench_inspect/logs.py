"""Convert a run of repair-bench to logs of Inspect, one per model, condition and suite, and one sample per episode.

A sample contains the conversation of the last attempt. Each attempt is a span of events: feedback, model call, outcome
and verdict. Values that the run does not state are omitted: a score that an infrastructure error leaves unknown, and
the tokens of a sample unless every answer reports them. Attempts after a changed verdict (off-policy) are omitted.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from inspect_ai.event import Event, InfoEvent, ModelEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalSample,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, GenerateConfig, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import notices, repairs_of
from repair_bench.analysis.taxonomy import error_type
from repair_bench.report.exports.values import plain
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.record.spending import known_cost, known_usage
from repair_bench.traces.run.run_reader import Run, load_rows
from repair_bench_inspect.tasks import MESSAGES

_METRICS = [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr", "options": {"cluster": "task_id"}}]
_STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter", "tool_calls": "tool_calls"}
_CONFIG = ("temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty", "presence_penalty")


def convert(run: Run, log_dir: Path) -> list[Path]:
    """Write the logs of a run, and return their paths."""
    log_dir.mkdir(parents=True, exist_ok=True)
    repairs, written = repairs_of(run.rows, run.manifest), []
    groups = metrics.group(metrics.episodes(run.rows), "model", "condition", "suite")
    for (model, condition, suite), episodes in groups.items():
        log = _log(run, episodes, repairs)
        recompute_metrics(log)
        written.append(log_dir / f"{_safe(f'{suite}_{model}_{condition}')}.eval")
        write_eval_log(log, written[-1])
    return written


def _log(run: Run, episodes: Sequence[Episode], repairs: int) -> EvalLog:
    first, samples = episodes[0].first, [_sample(episode, repairs) for episode in episodes]
    times = [t for e in episodes for a in e.attempts for t in (a.started_at, a.finished_at) if t is not None]
    ids = sorted({str(sample.id) for sample in samples})
    spec = EvalSpec(
        eval_id=f"{first.run}.{first.model}.{first.condition}.{first.suite}",
        run_id=first.run,
        created=min(times, default=datetime.now(UTC).isoformat(timespec="seconds")),
        task=first.suite,
        task_id=first.suite,
        task_version=first.suite_version,
        dataset=EvalDataset(name=first.suite, samples=len(ids), sample_ids=ids),
        model=first.model,
        config=EvalConfig(epochs=1 + max(e.first.sample for e in episodes)),
        tags=[first.condition],
        scorers=[{"name": "graded", "metrics": {"*": _METRICS}}],
        metadata=plain({
            "settings": run.manifest.conditions.get(first.condition, {}),
            "notices": notices(episodes, run.manifest),
        }),
    )  # fmt: skip
    return EvalLog(
        status="success",
        eval=spec,
        plan=EvalPlan(steps=[EvalPlanStep(solver="repair_loop", params={"repairs": repairs})]),
        stats=EvalStats(
            started_at=min(times, default=""),
            completed_at=max(times, default=""),
            model_usage=_total([sample.model_usage.get(first.model) for sample in samples], first.model),
        ),
        samples=samples,
    )


def _sample(episode: Episode, repairs: int) -> EvalSample:
    attempts = [attempt.with_texts() for attempt in episode.attempts]
    first, last = attempts[0], attempts[-1]
    faults = [attempt.fault for attempt in attempts if attempt.fault is not None]
    output = _output(last)
    replies = [choice.message for choice in output.choices]
    solved = {"first_answer": first, "repaired": last}
    known = {name for name, k in (("first_answer", 0), ("repaired", repairs)) if episode.state(k) == "counted"}
    value = {name: float(attempt.passed) if name in known else math.nan for name, attempt in solved.items()}
    names = ("episode", "suite", "task_id", "framework", "category", "difficulty")
    return EvalSample(
        id=_safe(f"{first.task_id} {first.framework}", "/"),
        epoch=first.sample + 1,
        input=_messages(first),
        target="",
        messages=[*_messages(last), *replies],
        output=output,
        scores={"graded": _score(last, value)} if known else {},
        metadata=plain({name: getattr(first, name) for name in names} | {"attempts": len(attempts)}),
        events=[event for attempt in attempts for event in _events(attempt)],
        model_usage=_total([_usage(a) for a in attempts if a.completion is not None], first.model),
        error=EvalError(message=plain(f"infrastructure error ({faults[0].boundary}): {faults[0].message}"),
                        traceback="", traceback_ansi="") if faults else None,
    )  # fmt: skip


def _events(attempt: Attempt) -> Iterator[Event]:
    span = f"attempt-{attempt.attempt}"
    at: dict[str, Any] = {"span_id": span, "working_start": 0.0}
    if attempt.started_at is not None:
        at["timestamp"] = attempt.started_at
    record = plain(attempt.to_json())
    yield SpanBeginEvent(id=span, name=f"attempt {attempt.attempt}", **at)
    if attempt.feedback is not None:
        yield InfoEvent(source="feedback", data=record["feedback"], **at)
    if attempt.completion is not None:
        yield ModelEvent(
            model=attempt.model, input=_messages(attempt), tools=[], tool_choice="none",
            config=_config(attempt), output=_output(attempt), **at,
        )  # fmt: skip
    seen = ("code", "outcome", "verdict", "fault", "off_policy")
    yield InfoEvent(source="attempt", data={name: record[name] for name in seen}, **at)
    if attempt.verdict is not None:
        yield ScoreEvent(score=_score(attempt, float(attempt.passed)), intermediate=True, **at)
    yield SpanEndEvent(id=span, **at)


def _score(attempt: Attempt, value: Any) -> Score:
    verdict = attempt.verdict
    kind = "unknown" if verdict is None else error_type(verdict)
    problem = None if verdict is None else verdict.evidence.get("problem") or verdict.evidence.get("message")
    explanation = f"{kind}: {problem}" if problem else kind
    shown = {"attempt": attempt.attempt, "verdict": verdict and verdict.kind, "rule": verdict and verdict.rule}
    return Score(value=value, answer=plain(attempt.code), explanation=plain(explanation), metadata=shown)


def _messages(attempt: Attempt) -> list[Any]:
    return [MESSAGES[message["role"]](content=plain(message["content"]) or "") for message in attempt.messages]


def _output(attempt: Attempt) -> ModelOutput:
    completion = attempt.completion
    if completion is None:
        return ModelOutput(model=attempt.model)
    reply = ChatMessageAssistant(content=plain(completion.text))
    stop = _STOPS.get(str(completion.finish_reason), "unknown")
    return ModelOutput(
        model=completion.served_by or attempt.model,
        choices=[ChatCompletionChoice(message=reply, stop_reason=stop)],
        usage=_usage(attempt),
        time=completion.latency_seconds,
    )


def _usage(attempt: Attempt) -> ModelUsage | None:
    """Return the tokens of an answer, or None unless the provider reports prompt and completion tokens."""
    counts = known_usage(attempt.completion.usage) or {}
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if read is None or written is None:
        return None
    details = counts.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    cost = known_cost(attempt.completion.cost_usd)
    return ModelUsage(
        input_tokens=read, output_tokens=written, total_tokens=read + written,
        reasoning_tokens=reasoning, total_cost=cost,
    )  # fmt: skip


def _total(usages: Sequence[ModelUsage | None], model: str) -> dict[str, ModelUsage]:
    """Add token counts; if an answer does not report a count, the sum of this count is unknown."""
    if not usages or None in usages:
        return {}
    total = reduce(add, usages)
    unknown = {name: None for name in ("reasoning_tokens", "total_cost") if None in [getattr(u, name) for u in usages]}
    return {model: total.model_copy(update=unknown)}


def _config(attempt: Attempt) -> GenerateConfig:
    params = dict(attempt.completion.params)
    params.setdefault("max_tokens", params.get("max_completion_tokens"))
    numbers = {name: params.get(name) for name in _CONFIG}
    return GenerateConfig(**{k: v for k, v in numbers.items() if isinstance(v, int | float) and v is not True})


def _safe(name: str, allowed: str = "") -> str:
    """Return a name for a file; a digest replaces characters that might leave the folder, and long ends."""
    safe = re.sub(rf"[^\w .+{allowed}-]|\.\.|^/", "-", name, flags=re.ASCII)[:100]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Convert a run of repair-bench to logs for `inspect view`.")
    parser.add_argument("run_dir", type=Path, help="directory of the run")
    parser.add_argument("--log-dir", type=Path, default=Path("logs"), help="folder of the logs [logs]")
    given = parser.parse_args()
    try:
        written = convert(load_rows(given.run_dir), given.log_dir)
    except (UsageError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(*written or ["No attempts have been recorded yet."], sep="\n")  # noqa: T201
