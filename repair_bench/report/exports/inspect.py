"""Logs for `inspect view`, with one log per model, condition and suite, and one sample per episode.

An `.eval` file is a zip archive of JSON (inspect-ai, log schema 2): a header, summaries, and a member for each sample.
An episode's sample contains the messages that the model received and sent in the last attempt. Each attempt is a span
of events: feedback, model call, outcome and verdict. The log's configuration contains the parameters that all first
answers share. Token counts are summed if every answer reports them. The scores are `first_answer` (Pass@1) and
`repaired`; a score is omitted if an infrastructure error leaves it unknown. Off-policy attempts are omitted.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import notices, repairs_of
from repair_bench.analysis.taxonomy import error_type
from repair_bench.report.exports.values import plain
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.record.spending import known_cost, known_usage
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run

_LOG_SCHEMA = 2
_SCORES = ("first_answer", "repaired")
_SUMMARY = ("id", "epoch", "input", "target", "metadata", "scores", "model_usage")
"""The fields of a sample that are repeated in the sample's summary."""
_PARAMETERS = {
    **{name: name for name in ("temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty")},
    "presence_penalty": "presence_penalty",
    "max_completion_tokens": "max_tokens",
    "n": "num_choices",
}
"""Numeric request parameters, and their names in Inspect."""


def write(run: Run, out: Path) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    repairs = repairs_of(run.rows, run.manifest)
    written: list[Path] = []
    for (model, condition, suite), episodes in metrics.group(
        metrics.episodes(run.rows), "model", "condition", "suite"
    ).items():
        name = "_".join(re.sub(r"[^\w.-]+", "-", part) for part in (suite, model, condition))
        path = out / f"{_cut(name)}.eval"
        if path in written:  # names that differ only in characters not allowed in file names
            path = out / f"{_cut(name)}-{_digest(suite, model, condition)}.eval"
        written.append(path)
        _log(written[-1], episodes, repairs, run.manifest)
    return written


def _log(path: Path, episodes: Sequence[Episode], repairs: int, manifest: Manifest) -> None:
    times: list[str] = []
    summaries = []
    usages: list[dict[str, Any] | None] = []
    configs: list[dict[str, Any]] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:

        def put(name: str, data: Any) -> None:
            archive.writestr(zipfile.ZipInfo(name), json.dumps(plain(data)), zipfile.ZIP_DEFLATED)

        for episode in episodes:
            attempts = [a.with_texts() for a in episode.attempts]
            times += [t for a in attempts for t in (a.started_at, a.finished_at) if t is not None]
            usages += [_usage(a.completion) for a in attempts if a.completion is not None]
            configs += [_config(a.completion) for a in attempts[:1] if a.completion is not None]
            sample = _sample(attempts, [episode.state(k) for k in (0, repairs)])
            put(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            brief = {name: sample[name] for name in _SUMMARY}
            error = sample["error"]
            summaries.append({**brief, "error": error and error["message"], "completed": True})
        config = {
            name: value
            for name, value in (configs[0] if configs else {}).items()
            if all(other.get(name) == value for other in configs)
        }
        spec = _spec(episodes[0].first.with_texts(), episodes, manifest, min(times, default=None))
        steps = [{"solver": "repair_loop", "params": {"max_attempts": repairs}}]
        start = {
            "version": _LOG_SCHEMA,
            "eval": {**spec, "model_generate_config": config},
            "plan": {"name": "plan", "steps": steps, "config": config},
        }
        stats = {
            "started_at": min(times, default=""),
            "completed_at": max(times, default=""),
            "model_usage": _model_usage(spec["model"], usages),
        }
        put("_journal/start.json", start)
        put("summaries.json", summaries)
        results = _results(episodes, repairs)
        header = {"version": _LOG_SCHEMA, "status": "success", **start, "results": results, "stats": stats}
        put("header.json", header)


def _spec(first: Attempt, episodes: Sequence[Episode], manifest: Manifest, began: str | None) -> dict[str, Any]:
    samples = {_sample_id(e.first) for e in episodes}
    return {
        "eval_id": f"{first.run}.{first.model}.{first.condition}.{first.suite}",
        "run_id": first.run,
        "created": began or datetime.now(UTC).isoformat(timespec="seconds"),
        "task": first.suite,
        "task_id": first.suite,
        "task_version": first.suite_version,
        "solver": "repair_loop",
        "dataset": {"name": first.suite, "samples": len(samples), "sample_ids": sorted(samples)},
        "model": first.model,
        "config": {"epochs": 1 + max(e.first.sample for e in episodes)},
        "tags": [first.condition],
        "scorers": [{"name": name, "metrics": [{"name": "accuracy"}]} for name in _SCORES],
        "metadata": {
            "condition": first.condition,
            "settings": manifest.conditions.get(first.condition, {}),
            "notices": notices(episodes, manifest),
        },
    }


def _results(episodes: Sequence[Episode], repairs: int) -> dict[str, Any]:
    return {
        "total_samples": len(episodes),
        "completed_samples": len(metrics.counted(episodes, repairs)),
        "scores": [
            {
                "name": name,
                "scorer": name,
                "scored_samples": point.n,
                "unscored_samples": len(episodes) - point.n,
                "metrics": {"accuracy": {"name": "accuracy", "value": point.estimate}},
            }
            for name, k in zip(_SCORES, (0, repairs), strict=True)
            if (point := rate(episodes, k)).estimate is not None
        ],
    }


def _sample_id(first: Recorded) -> str:
    """Return the id of a sample. The id is part of the name of the file that stores the sample in the exported archive.

    A name that is unprintable, or that would be unpacked outside the target folder, is changed, and a digest is
    appended to the name.
    """
    name = f"{first.task_id} {first.framework}"
    parts = [part if part.strip(". ") else "_" for part in re.split(r"[/\\]", printable(name))]
    safe = _cut("/".join(parts))
    return safe if safe == name else f"{safe}-{_digest(name)}"


def _cut(name: str) -> str:
    """Truncate a name to 200 bytes; a digest is appended to each truncated name."""
    encoded = name.encode(errors="replace")
    short = encoded[:200].decode(errors="ignore")
    return short if len(encoded) <= 200 else f"{short}-{_digest(name)}"


def _digest(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode(errors="surrogatepass")).hexdigest()[:8]


def _sample(attempts: Sequence[Attempt], states: Sequence[str]) -> dict[str, Any]:
    first, last = attempts[0], attempts[-1]
    reply = [] if last.completion is None else [{"role": "assistant", "content": last.completion.text}]
    metadata = {
        "episode": first.episode,
        "framework": first.framework,
        "category": first.category,
        "difficulty": first.difficulty,
        "attempts": len(attempts),
        "solved_at": next((a.attempt for a in attempts if a.passed), None),
        "state": states[-1],
        "verdicts": [a.verdict.kind if a.verdict is not None else "fault" for a in attempts],
    }
    fault = next((a.fault for a in attempts if a.fault is not None), None)
    error = None
    if fault is not None:
        message = f"infrastructure error ({fault.boundary}): {fault.message}"
        error = {"message": message, "traceback": "", "traceback_ansi": ""}
    return {
        "id": _sample_id(first),
        "epoch": first.sample + 1,
        "input": _messages(first),
        "target": "",
        "messages": [*_messages(last), *reply],
        "output": _output(last) if last.completion is not None else {"model": last.model, "choices": []},
        "scores": {
            name: _score(attempt)
            for name, attempt, state in zip(_SCORES, (first, last), states, strict=True)
            if state == "counted"
        },
        "metadata": metadata,
        "events": [event for a in attempts for event in _events(a)],
        "model_usage": _model_usage(first.model, [_usage(a.completion) for a in attempts if a.completion is not None]),
        "error": error,
    }


def _events(attempt: Attempt) -> list[dict[str, Any]]:
    span = f"attempt-{attempt.attempt}"
    stamp = {"timestamp": attempt.started_at, "working_start": 0, "span_id": span}
    if attempt.started_at is None:
        del stamp["timestamp"]
    events: list[dict[str, Any]] = [{"event": "span_begin", "id": span, "name": f"attempt {attempt.attempt}", **stamp}]
    if attempt.feedback is not None:
        feedback = attempt.feedback
        data = {"policy": feedback.policy, "text": feedback.text, "redacted": feedback.redacted}
        events.append({"event": "info", "source": "feedback", "data": data, **stamp})
    if attempt.completion is not None:
        events.append({
            "event": "model",
            "model": attempt.model,
            "input": _messages(attempt),
            "tools": [],
            "tool_choice": "none",
            "config": _config(attempt.completion),
            "output": _output(attempt),
            **stamp,
        })  # fmt: skip
    record = attempt.to_json()
    seen = {name: record[name] for name in ("code", "outcome", "verdict", "fault", "off_policy")}
    events.append({"event": "info", "source": "attempt", "data": seen, **stamp})
    if attempt.verdict is not None:
        events.append({"event": "score", "score": _score(attempt), "intermediate": True, **stamp})
    return [*events, {"event": "span_end", "id": span, **stamp}]


def _score(attempt: Attempt) -> dict[str, Any]:
    verdict = attempt.verdict
    assert verdict is not None
    problem = verdict.evidence.get("problem") or verdict.evidence.get("message")
    kind = error_type(verdict)
    return {
        "value": "C" if attempt.passed else "I",
        "answer": attempt.code,
        "explanation": f"{kind}: {problem}" if problem else kind,
        "metadata": {"kind": verdict.kind, "error_type": kind, "rule": verdict.rule, "attempt": attempt.attempt},
    }


def _messages(attempt: Attempt) -> list[dict[str, Any]]:
    return [{"role": message["role"], "content": message["content"]} for message in attempt.messages]


def _output(attempt: Attempt) -> dict[str, Any]:
    completion = attempt.completion
    assert completion is not None
    stop = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter", "tool_calls": "tool_calls"}
    choice = {
        "message": {"role": "assistant", "content": completion.text},
        "stop_reason": stop.get(str(completion.finish_reason), "unknown"),
    }
    output = {
        "model": completion.served_by or attempt.model,
        "choices": [choice],
        "completion": completion.text,
        "time": completion.latency_seconds,
    }
    return output | ({"usage": usage} if (usage := _usage(completion)) is not None else {})


def _usage(completion: Completion) -> dict[str, Any] | None:
    """Return token counts under Inspect's names, or None unless the provider reports both prompt and completion tokens.

    Completion tokens include reasoning tokens, as in OpenAI's API.
    """
    counts = known_usage(completion.usage) or {}
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if read is None or written is None:
        return None
    usage = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    details = counts.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    cost = known_cost(completion.cost_usd)
    more = {"reasoning_tokens": reasoning, "total_cost": cost}
    return usage | {name: value for name, value in more.items() if value is not None}


def _model_usage(model: str, usages: Sequence[dict[str, Any] | None]) -> dict[str, dict[str, Any]]:
    """Sum each count, such as the number of input tokens, over all answers.

    A count that is missing from one or more answers is omitted. If any answer reports no counts, the result is {}.
    """
    known = [usage for usage in usages if usage is not None]
    if not known or len(known) < len(usages):
        return {}
    names = [name for name in known[0] if all(name in usage for usage in known)]
    return {model: {name: sum(usage[name] for usage in known) for name in names}}


def _config(completion: Completion) -> dict[str, Any]:
    """Return the request parameters, named as in Inspect. The dict `extra_body` contains parameters that Inspect does
    not support.
    """
    config: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in completion.params.items():
        if name == "stop" and isinstance(value, str | list):
            config["stop_seqs"] = [value] if isinstance(value, str) else value
        elif name in _PARAMETERS and isinstance(value, int | float) and not isinstance(value, bool):
            config[_PARAMETERS[name]] = value
        elif name != "model":
            others[name] = value
    return config | ({"extra_body": others} if others else {})
