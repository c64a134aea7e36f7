"""Convert a run of repair-bench to logs of Inspect, one per model, condition and suite, and one sample per episode.

A sample contains the conversation of the last attempt. Each attempt is a span of events: model call, record, score. A
score that an infrastructure error leaves unknown is NaN, and token counts are omitted unless every answer reports them.
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

from inspect_ai import log as inspect_log
from inspect_ai.event import Event, InfoEvent, ModelEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, GenerateConfig, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from repair_bench.analysis.rates import metrics
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
        inspect_log.recompute_metrics(log)
        written.append(log_dir / f"{_safe(f'{suite}_{model}_{condition}')}.eval")
        inspect_log.write_eval_log(log, written[-1])
    return written


def _log(run: Run, episodes: Sequence[metrics.Episode], repairs: int) -> inspect_log.EvalLog:
    first, samples = episodes[0].first, [_sample(episode, repairs) for episode in episodes]
    times = sorted(t for e in episodes for a in e.attempts for t in (a.started_at, a.finished_at) if t is not None)
    ids = sorted({str(sample.id) for sample in samples})
    about = {"settings": run.manifest.conditions.get(first.condition, {}), "notices": notices(episodes, run.manifest)}
    spec = inspect_log.EvalSpec(
        run_id=first.run,
        created=times[0] if times else datetime.now(UTC).isoformat(timespec="seconds"),
        task=first.suite,
        task_version=first.suite_version,
        dataset=inspect_log.EvalDataset(name=first.suite, samples=len(ids), sample_ids=ids),
        model=first.model,
        config=inspect_log.EvalConfig(epochs=1 + max(e.first.sample for e in episodes)),
        tags=[first.condition],
        scorers=[{"name": "graded", "metrics": {"*": _METRICS}}],
        metadata=plain(about),
    )
    usage = _total([sample.model_usage.get(first.model) for sample in samples], first.model)
    begin, end = (times[0], times[-1]) if times else ("", "")
    return inspect_log.EvalLog(
        status="success",
        eval=spec,
        plan=inspect_log.EvalPlan(steps=[{"solver": "repair_loop", "params": {"repairs": repairs}}]),
        stats=inspect_log.EvalStats(started_at=begin, completed_at=end, model_usage=usage),
        samples=samples,
    )


def _sample(episode: metrics.Episode, repairs: int) -> inspect_log.EvalSample:
    attempts = [attempt.with_texts() for attempt in episode.attempts]
    first, last = attempts[0], attempts[-1]
    solved = {"first_answer": (first, 0), "repaired": (last, repairs)}
    value = {n: float(a.passed) if episode.state(k) == "counted" else math.nan for n, (a, k) in solved.items()}
    known = not all(map(math.isnan, value.values()))
    fault = next((f"infrastructure error ({a.fault.boundary}): {a.fault.message}" for a in attempts if a.fault), None)
    names = ("episode", "suite", "task_id", "framework", "category", "difficulty")
    return inspect_log.EvalSample(
        id=_safe(f"{first.task_id} {first.framework}", "/"),
        epoch=first.sample + 1,
        input=_messages(first),
        target="",
        messages=[*_messages(last), *(choice.message for choice in _output(last).choices)],
        output=_output(last),
        scores={"graded": _score(last, value)} if known else {},
        metadata=plain({name: getattr(first, name) for name in names} | {"attempts": len(attempts)}),
        events=[event for attempt in attempts for event in _events(attempt)],
        model_usage=_total([_usage(attempt) for attempt in attempts if attempt.completion is not None], first.model),
        error=fault and inspect_log.EvalError(message=plain(fault), traceback="", traceback_ansi=""),
    )


def _events(attempt: Attempt) -> Iterator[Event]:
    span = f"attempt-{attempt.attempt}"
    at = {"span_id": span, "working_start": 0.0, "timestamp": attempt.started_at}
    at = {name: value for name, value in at.items() if value is not None}
    yield SpanBeginEvent(id=span, name=f"attempt {attempt.attempt}", **at)
    if (completion := attempt.completion) is not None:
        params = {"max_tokens": completion.params.get("max_completion_tokens"), **completion.params}
        config = GenerateConfig(**{n: params[n] for n in _CONFIG if isinstance(params.get(n), int | float)})
        call = {"input": _messages(attempt), "output": _output(attempt), "config": config}
        yield ModelEvent(model=attempt.model, tools=[], tool_choice="none", **call, **at)
    record = plain(attempt.to_json())
    seen = ("feedback", "code", "outcome", "verdict", "fault")
    yield InfoEvent(source="repair-bench", data={name: record[name] for name in seen}, **at)
    if attempt.verdict is not None:
        yield ScoreEvent(score=_score(attempt, float(attempt.passed)), intermediate=True, **at)
    yield SpanEndEvent(id=span, **at)


def _score(attempt: Attempt, value: Any) -> Score:
    explanation = "no verdict"
    if (verdict := attempt.verdict) is not None:
        problem = verdict.evidence.get("problem") or verdict.evidence.get("message")
        explanation = f"{error_type(verdict)}: {problem}" if problem else error_type(verdict)
    return Score(value=value, answer=plain(attempt.code), explanation=plain(explanation))


def _messages(attempt: Attempt) -> list[Any]:
    return [MESSAGES[message["role"]](content=plain(message["content"]) or "") for message in attempt.messages]


def _output(attempt: Attempt) -> ModelOutput:
    if (completion := attempt.completion) is None:
        return ModelOutput(model=attempt.model)
    reply = ChatMessageAssistant(content=plain(completion.text))
    choice = ChatCompletionChoice(message=reply, stop_reason=_STOPS.get(str(completion.finish_reason), "unknown"))
    timed = {"usage": _usage(attempt), "time": completion.latency_seconds}
    return ModelOutput(model=completion.served_by or attempt.model, choices=[choice], **timed)


def _usage(attempt: Attempt) -> ModelUsage | None:
    """Return the tokens of an answer, or None unless the provider reports prompt and completion tokens."""
    counts = known_usage(attempt.completion.usage) or {}
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if read is None or written is None:
        return None
    details = counts.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    more = {"reasoning_tokens": reasoning, "total_cost": known_cost(attempt.completion.cost_usd)}
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written, **more)


def _total(usages: Sequence[ModelUsage | None], model: str) -> dict[str, ModelUsage]:
    """Add token counts; if an answer does not report a count, the sum of this count is unknown."""
    if not usages or None in usages:
        return {}
    unknown = {name: None for name in ("reasoning_tokens", "total_cost") if None in [getattr(u, name) for u in usages]}
    return {model: reduce(add, usages).model_copy(update=unknown)}


def _safe(name: str, allowed: str = "") -> str:
    """Return a safe name for a file. A digest replaces a long end, and characters that might leave the folder."""
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
