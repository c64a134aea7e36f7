"""The tool that a model may use before its answer: how it is offered and called, and the results of its runs.

A model without native tool calls reads a note instead, and calls the tool with a code block that begins with ```try.
The output of a run is truncated, to limit the length of the conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.prompts.templates import render
from repair_bench.traces.record.reasoning import reasoning_of
from repair_bench.traces.record.records import Completion, Outcome

TOOL = "run_python"
MAX_SHOWN = 4_000
"""Maximum number of characters of a program's output."""
STOPPED = {
    "cpu_timeout": "CPU time limit exceeded.",
    "wall_timeout": "Time limit exceeded.",
    "memory": "Memory limit exceeded.",
    "output_limit": "Output limit exceeded.",
    "disk": "Disk limit exceeded.",
    "killed": "The process terminated unexpectedly, by os._exit or a crash.",
}
NO_CODE = "The call has no `code` argument; nothing was run."
NONE_LEFT = "No runs left; the program was not run. Give your final answer."

_OPENS = re.compile(r"^```try[ \t]*+\n", re.MULTILINE)
_CLOSES = re.compile(r"^```[ \t]*+$", re.MULTILINE)


@dataclass(frozen=True)
class ToolCall:
    """A program that a model asks to run. `id`: the provider's id of the call; None for a code block.

    `code`: None if the call contains no code.
    """

    id: str | None
    code: str | None


def offer(runs: int, framework: str) -> list[dict[str, Any]]:
    """Return the tool's definition for chat completions. `runs`: programs per turn."""
    schema = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    description = render("tool_offer", runs=runs, framework=FRAMEWORKS[framework].title)
    return [{"type": "function", "function": {"name": TOOL, "description": description, "parameters": schema}}]


def with_note(messages: Sequence[Mapping[str, Any]], runs: int, framework: str) -> list[dict[str, Any]]:
    """Add a note about the tool to the first message, for a model without native tool calls."""
    first, *others = (dict(message) for message in messages)
    note = render("tool_note", runs=runs, framework=FRAMEWORKS[framework].title)
    if note not in first["content"]:  # the messages before a repair contain it
        first["content"] = f"{first['content']}\n\n{note}"
    return [first, *others]


def calls_of(completion: Completion, *, native: bool) -> list[ToolCall]:
    """Return the programs that a reply asks to run; none for an answer. `native`: whether the model has tool calls."""
    if not native:
        opening = _OPENS.search(completion.text)
        closing = opening and _CLOSES.search(completion.text, opening.end())
        return [ToolCall(None, completion.text[opening.end() : closing.start()])] if opening and closing else []
    return [_call(call) for call in (completion.parts or {}).get("tool_calls") or () if isinstance(call, dict)]


def shown(outcome: Outcome, left: int) -> str:
    """Return the message to the model about a run. `left`: the number of runs left in this turn."""
    printed = outcome.stdout.rstrip()
    if len(printed) > MAX_SHOWN:
        printed = f"{printed[: MAX_SHOWN // 2]}\n... ({len(printed) - MAX_SHOWN:,} characters omitted)\n"
        printed += outcome.stdout.rstrip()[-MAX_SHOWN // 2 :]
    traceback = outcome.exception.traceback if outcome.exception is not None else ""
    problem = STOPPED.get(outcome.status, "" if outcome.status in ("returned", "exception") else STOPPED["killed"])
    return render("tool_result", printed=printed, traceback=traceback, problem=problem, left=left)


def exchange(steps: Iterable[Mapping[str, Any]], *, reasoning: bool) -> list[dict[str, Any]]:
    """Return the messages of a turn's steps: the model's calls and their results.

    `reasoning`: whether the model's reasoning is sent with its calls.
    """
    messages: list[dict[str, Any]] = []
    for step in steps:
        completion = step["completion"]
        thought = reasoning_of(completion["parts"]) if reasoning else {}
        calls = [run["call"] for run in step["runs"]]
        message = {"role": "assistant", "content": completion["text"], **thought}
        if None in calls:
            messages += [message, {"role": "user", "content": step["runs"][0]["shown"]}]
            continue
        messages.append({**message, "tool_calls": completion["parts"]["tool_calls"]})
        messages += [{"role": "tool", "tool_call_id": run["call"], "content": run["shown"]} for run in step["runs"]]
    return messages


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "")
    except (TypeError, ValueError, RecursionError):
        arguments = None
    code = arguments.get("code") if isinstance(arguments, dict) and function.get("name") == TOOL else None
    return ToolCall(str(call.get("id") or ""), code if isinstance(code, str) and code.strip() else None)
