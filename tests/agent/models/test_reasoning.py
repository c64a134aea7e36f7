"""A model's reasoning: recorded as received, and returned byte for byte if the arm requires it."""

import json
from pathlib import Path
from typing import Any

import pytest
from server.scripted import USAGE, ReceivedRequest, Reply, ScriptedServer, answer, anthropic, refused

from repair_bench.agent.experiment.file import Experiment, Prompt, Repair
from repair_bench.agent.models import create_all
from repair_bench.executors.local import LocalExecutor
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.traces.record.records import Attempt

WRONG = "```python\nraise ValueError('as planned')\n```"
ODD = 'First: \t«ψ⟩» \\n "quoted" \U0001f914 and a \u2028 line'
"""A text that an inexact copy would change."""
COUNTS = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 12}}


class Thinker:
    """Answers incorrectly with new reasoning, and rejects a conversation without its earlier reasoning."""

    def __init__(self, form: str, *, strict: bool) -> None:
        self.form, self.strict = form, strict
        self.asked: list[list[dict[str, Any]]] = []

    def __call__(self, asked: ReceivedRequest) -> Reply:
        turns = asked.body.get("input") or asked.body["messages"]
        self.asked.append(turns)
        answers = [turn for turn in turns if turn.get("role") == "assistant"]
        if self.strict and self.back(turns) != [self.thought(number) for number in range(len(answers))]:
            return refused(400, "the reasoning of the last turns must be passed back")
        return getattr(self, self.form)(self.thought(len(answers)))

    def thought(self, number: int) -> Any:
        text = f"{ODD} {number}"
        return {
            "chat": [text],
            "details": [text, [{"type": "reasoning.encrypted", "data": f"c2VhbGVk{number}==", "index": 0}]],
            "anthropic": [
                {"type": "thinking", "thinking": text, "signature": f"EqQB{number}+/=="},
                {"type": "redacted_thinking", "data": f"EmwK{number}"},
            ],
            "responses": [f"rs_{number}", f"gAAAA{number}==", [{"type": "summary_text", "text": text}]],
        }[self.form]

    def back(self, turns: list[dict[str, Any]]) -> list[Any]:
        """Return the reasoning that was sent back with each answer, in order."""
        answers = [turn for turn in turns if turn.get("role") == "assistant"]
        match self.form:
            case "chat":
                return [[turn.get("reasoning_content")] for turn in answers]
            case "details":
                return [[turn.get("reasoning"), turn.get("reasoning_details")] for turn in answers]
            case "anthropic":
                return [[part for part in turn["content"] if "thinking" in part["type"]] for turn in answers]
            case _:
                items = [turn for turn in turns if turn.get("type") == "reasoning"]
                return [[item.get("id"), item["encrypted_content"], item["summary"]] for item in items]

    def chat(self, thought: Any) -> Reply:
        return answer(WRONG, usage=COUNTS, reasoning_content=thought[0])

    def details(self, thought: Any) -> Reply:
        return answer(WRONG, usage=COUNTS, reasoning=thought[0], reasoning_details=thought[1])

    def anthropic(self, thought: Any) -> Reply:
        return anthropic(*thought, {"type": "text", "text": WRONG})

    def responses(self, thought: Any) -> Reply:
        text = {"type": "output_text", "text": WRONG, "annotations": []}
        output = [
            {"type": "reasoning", "id": thought[0], "encrypted_content": thought[1], "summary": thought[2]},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]},
        ]
        usage: dict[str, Any] = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
        usage["output_tokens_details"] = {"reasoning_tokens": 12}
        body = {"id": "resp_1", "object": "response", "created_at": 1, "model": "o4-mini", "status": "completed"}
        return Reply(
            json.dumps({**body, "output": output, "usage": usage, "tools": [], "tool_choice": "auto"}).encode()
        )


MODELS = {
    "chat": "openai/thinker",
    "details": "openai/thinker",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "responses": "openai/responses/o4-mini",
}


def repaired(
    thinker: Thinker, suite: Suite, directory: Path, executor: LocalExecutor, **settings: Any
) -> list[Attempt]:
    """Return the attempts of one task with five repairs."""
    with ScriptedServer(thinker) as server:
        planned = Experiment(
            models=(MODELS[thinker.form],),
            frameworks=("qiskit",),
            limit=1,
            max_attempts=5,
            api_base=server.url,
            **settings,
        )
        models = create_all(planned.models, planned.providers, api_base=planned.api_base)
        _, attempts, _ = drive(directory, planned.episodes([suite]), list(models.values()), executor=executor)
    return attempts


def holds(data: Any, text: str) -> bool:
    """Whether JSON data contains a text in one of its strings."""
    return json.dumps(text)[1:-1] in json.dumps(data)


@pytest.mark.slow
@pytest.mark.parametrize("form", MODELS)
def test_five_repairs_complete_with_required_reasoning(
    form: str, suite: Suite, tmp_path: Path, executor: LocalExecutor
) -> None:
    thinker = Thinker(form, strict=True)
    attempts = repaired(thinker, suite, tmp_path, executor, repair=Repair(reasoning="keep"))
    assert [a.fault and a.fault.message for a in attempts] == [None] * 6
    assert [a.attempt for a in attempts] == list(range(6))
    assert thinker.back(thinker.asked[-1]) == [thinker.thought(number) for number in range(5)]
    assert all(holds(a.completion.parts, ODD) for a in attempts)
    assert {a.completion.reply for a in attempts} == {"text"}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["chat", "anthropic"])
def test_arms_with_and_without_reasoning_share_first_answers(
    form: str, suite: Suite, tmp_path: Path, executor: LocalExecutor
) -> None:
    thinker = Thinker(form, strict=False)
    attempts = repaired(thinker, suite, tmp_path, executor, repair=Repair(reasoning=("keep", "drop")))
    kept, dropped = ([a for a in attempts if a.condition == f"{arm}-reasoning"] for arm in ("keep", "drop"))
    assert [len(kept), len(dropped)] == [6, 6]
    assert kept[0].id == dropped[0].id
    assert kept[1].id != dropped[1].id
    assert len(thinker.asked) == 11
    assert not holds([a.messages for a in dropped], ODD)
    assert holds(kept[1].messages, ODD)


def test_strict_provider_refuses_dropped_reasoning(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    attempts = repaired(Thinker("chat", strict=True), suite, tmp_path, executor)
    assert [a.fault is not None for a in attempts] == [False, True]


def test_effort_and_budget_reach_the_wire_and_make_conditions(
    suite: Suite, tmp_path: Path, executor: LocalExecutor
) -> None:
    with ScriptedServer([answer(WRONG, usage=COUNTS)]) as server:
        planned = Experiment(
            models=("openai/o4-mini",), frameworks=("qiskit",), limit=1, max_attempts=0, api_base=server.url,
            prompt=Prompt(reasoning_effort=("low", "high")),
        )  # fmt: skip
        models = create_all(planned.models, {}, api_base=server.url)
        _, attempts, _ = drive(tmp_path, planned.episodes([suite]), list(models.values()), executor=executor)
    assert sorted(asked.body["reasoning_effort"] for asked in server.asked) == ["high", "low"]
    assert {a.condition: a.completion.params["reasoning_effort"] for a in attempts} == {
        "effort-low": "low",
        "effort-high": "high",
    }
    assert {a.completion.usage["completion_tokens_details"]["reasoning_tokens"] for a in attempts} == {12}
