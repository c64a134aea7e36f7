"""The tools that a model may use before its answer: how they are offered and called, and their results.

`python` runs a program; `ask` returns the correct output for an input. A model without native tool calls receives a
note about the tools in its first message, and calls a tool by replying with a code block that begins with ```try or
```ask. The output of a run is truncated, so that no conversation grows without bound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from repair_bench.executors.program import Program, Script
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.prompts.extraction import prose
from repair_bench.prompts.feedback import cases
from repair_bench.prompts.templates import render
from repair_bench.suites.checks import CircuitCheck, questions
from repair_bench.suites.checks.judge import LIMITS
from repair_bench.suites.task import Task
from repair_bench.text import shortened
from repair_bench.traces.record.reasoning import reasoning_of
from repair_bench.traces.record.records import Completion, Outcome

if TYPE_CHECKING:
    from repair_bench.prompts.condition import Condition


@dataclass(frozen=True)
class Tool:
    """A tool: the name and the argument of its function, and the language tag of a code block that calls the tool.

    `offer`, `note`: the templates that explain the tool to models with and without native tool calls. `without`: the
    reply to a call that lacks the argument. `beyond`: the reply to a call after the maximum number of calls.
    """

    function: str
    argument: str
    fence: str
    offer: str
    note: str
    without: str
    beyond: str


TOOLS = {
    "python": Tool(
        *("run_python", "code", "try", "tool_offer", "tool_note"),
        without="The call has no `code` argument; nothing was run.",
        beyond="No runs left; the program was not run. Give your final answer.",
    ),
    "ask": Tool(
        *("correct_output", "inputs", "ask", "ask_offer", "ask_note"),
        without="The call has no `inputs` argument; no output was computed.",
        beyond="No questions left. Give your final answer.",
    ),
}
MAX_SHOWN = 4_000
"""Maximum number of characters of a program's output."""
_KILLED = "The process terminated unexpectedly, through os._exit or a crash."

_OPENS = re.compile(r"^(?P<indent>[ \t]*+)```[ \t]*+(?P<fence>try|ask)(?:[ \t]++\w++)?+[ \t]*+\n", re.MULTILINE)
_CLOSES = re.compile(r"^[ \t]*+```[ \t]*+$", re.MULTILINE)


@dataclass(frozen=True)
class ToolCall:
    """A tool call. `id`: the provider's id for the call; None for a code block.

    `code`: the program to run, or the input that the question is about; None if the call has no argument.
    """

    id: str | None
    tool: str
    code: str | None


def limits_of(condition: Condition, task: Task) -> dict[str, int]:
    """Return how many times a model may call each available tool before it answers a task."""
    limits = {"python": condition.tools, "ask": condition.ask if questions.can_ask(task) else 0}
    return {name: limit for name, limit in limits.items() if limit}


def offer(limits: Mapping[str, int], task: Task) -> list[dict[str, Any]]:
    """Return the tools in the chat completions format. `limits`: calls per turn."""
    offered = []
    for name, limit in limits.items():
        tool = TOOLS[name]
        schema = {"type": "object", "properties": {tool.argument: {"type": "string"}}, "required": [tool.argument]}
        text = _explained(tool.offer, limit, task)
        function = {"name": tool.function, "description": text, "parameters": schema}
        offered.append({"type": "function", "function": function})
    return offered


def with_note(messages: Sequence[Mapping[str, Any]], limits: Mapping[str, int], task: Task) -> list[dict[str, Any]]:
    """Add a note about each tool to the first message; used for a model without native tool calls."""
    first, *others = (dict(message) for message in messages)
    for name, limit in limits.items():
        note = _explained(TOOLS[name].note, limit, task)
        if note not in first["content"]:  # the messages before a repair contain it
            first["content"] = f"{first['content']}\n\n{note}"
    return [first, *others]


def _explained(template: str, limit: int, task: Task) -> str:
    args = task.check.cases[0].args if isinstance(task.check, CircuitCheck) else ()
    return render(template, runs=limit, framework=FRAMEWORKS[task.framework].title, example=questions.written(args))


def calls_of(completion: Completion, limits: Mapping[str, int], *, native: bool) -> list[ToolCall]:
    """Return the tool calls in a reply. An answer contains no tool calls. `native`: whether the model calls tools."""
    if native:
        calls = (completion.parts or {}).get("tool_calls") or ()
        return [_call(call, limits) for call in calls if isinstance(call, dict)]
    text = prose.without_reasoning(prose.without_chat_tokens(prose.plain(completion.text)))
    opening = _OPENS.search(text)
    closing = opening and _CLOSES.search(text, opening.end())
    called = [name for name in limits if opening and opening["fence"] == TOOLS[name].fence]
    if not opening or not closing or not called:
        return []
    code = re.sub(rf"^{opening['indent']}", "", text[opening.end() : closing.start()], flags=re.MULTILINE)
    return [ToolCall(None, called[0], code)]


def program(task: Task, call: ToolCall, left: int) -> Program | str:
    """Return the program that a tool call runs, or the text that answers the call if the call runs no program.

    `left`: the calls left in this turn.
    """
    tool = TOOLS[call.tool]
    if left <= 0 or call.code is None:
        return tool.beyond if left <= 0 else tool.without
    if call.tool == "python":
        return replace(task.check.program(task, call.code), call=Script())
    asked = questions.question(task, call.code)
    return answered(task, call.code, None, left - 1, refused=asked) if isinstance(asked, str) else asked


def result(task: Task, call: ToolCall, outcome: Outcome, left: int) -> str:
    """Return the reply to a call. `outcome`: its program's outcome. `left`: see `program`."""
    if call.tool == "python":
        return shown(outcome, left - 1)
    expected = questions.answer(task, outcome)
    refused = questions.NO_OUTPUT if expected is None else ""
    return answered(task, call.code or "", expected, left - 1, refused=refused)


def answered(task: Task, inputs: str, expected: Any, left: int, *, refused: str = "") -> str:
    """Return the reply to a question that the model asked with the tool `ask`.

    `expected`: the correct output, in the format in which a verdict's evidence stores outputs. `refused`: the reason
    why the question is refused, or "" if the question is answered.
    """
    shown = cases.show(expected)
    return render("ask_result", task.language, problem=refused, inputs=inputs.strip(), expected=shown, left=left)


def shown(outcome: Outcome, left: int) -> str:
    """Return the text that shows the outcome of a program to the model that ran the program. `left`: the number of
    program runs that remain in this turn.
    """
    printed = shortened(outcome.stdout.rstrip(), MAX_SHOWN)
    traceback = outcome.exception.traceback if outcome.exception is not None else ""
    limit = LIMITS.get(outcome.status)
    ended = "" if outcome.status in ("returned", "exception") else _KILLED
    problem = ended if limit is None else f"{limit[0].upper()}{limit[1:]}."
    return render("tool_result", printed=printed, traceback=traceback, problem=problem, left=left)


def exchange(steps: Iterable[Mapping[str, Any]], *, reasoning: bool) -> list[dict[str, Any]]:
    """Return the messages of a turn: the model's tool calls and their results.

    `reasoning`: whether the messages also contain the model's reasoning.
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


def _call(call: Mapping[str, Any], limits: Mapping[str, int]) -> ToolCall:
    function = call.get("function") or {}
    # a call of an unknown function needs a reply too
    name = next((name for name in limits if TOOLS[name].function == function.get("name")), None)
    try:
        arguments = json.loads(function.get("arguments") or "")
    except (TypeError, ValueError, RecursionError):
        arguments = None
    code = arguments.get(TOOLS[name].argument) if name is not None and isinstance(arguments, dict) else None
    written = code if isinstance(code, str) and (code.strip() or name == "ask") else None
    return ToolCall(str(call.get("id") or ""), name or next(iter(limits)), written)
