"""A turn in which the model runs programs before it answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer

from repair_bench.agent.experiment.file import Experiment, Repair, Tools
from repair_bench.agent.models import ProviderSettings, create_all
from repair_bench.agent.models.base import Model, Request
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts import tools
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import ContextFull
from repair_bench.traces.record.records import Attempt, Completion, Outcome

RAISES = "```python\nraise ValueError('as planned')\n```"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def experiment(runs: int, **settings: Any) -> Experiment:
    return Experiment(
        **{
            "models": ("scripted/test",),
            "frameworks": ("qiskit",),
            "limit": 1,
            "max_attempts": 0,
            "tools": Tools(python=(runs,)),
            **settings,
        }
    )


def calling(*codes: str | None, thought: str | None = None, raw: str | None = None) -> Reply:
    """Return a completion that calls the tool once with each code."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "run_python", "arguments": raw if code is None else json.dumps({"code": code})},
        }
        for number, code in enumerate(codes)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
    if thought:
        message["reasoning_content"] = thought
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    data = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}
    return Reply(json.dumps(data).encode())


def asked_of(
    script: list[Reply],
    suite: Suite,
    directory: Path,
    executor: LocalExecutor,
    *,
    native: bool = True,
    **settings: Any,
) -> tuple[list[Attempt], list[ReceivedRequest]]:
    """Run one task through the loop against a server that follows the script."""
    with ScriptedServer(script) as server:
        provider = ProviderSettings(api_base=server.url, tool_calling=native)
        planned = experiment(**{"runs": 2, "models": ("openai/m",), "providers": {"openai": provider}, **settings})
        models = create_all(planned.models, planned.providers)
        _, attempts, _ = drive(directory, planned.episodes([suite]), list(models.values()), executor=executor)
    return attempts, server.asked


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-tinkerers")


@pytest.mark.slow
def test_a_model_sees_what_its_programs_print_and_raise(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    script = [calling("print('seen', 6 * 7)", thought="let me look"), calling("1 / 0"), answer(RAISES)]
    (attempt,), asked = asked_of(script, suite, tmp_path, executor)
    assert [a.body["tools"][0]["function"]["name"] for a in asked] == ["run_python"] * 3
    assert "2 times before the final answer" in asked[0].body["tools"][0]["function"]["description"]
    call, result = asked[1].messages[-2:]
    assert call["reasoning_content"] == "let me look"
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_0")
    assert "seen 42" in result["content"]
    assert "Runs left: 1." in result["content"]
    assert "ZeroDivisionError" in asked[2].messages[-1]["content"]
    assert "Runs left: 0. Give your final answer." in asked[2].messages[-1]["content"]
    assert asked[2].messages[: len(asked[1].messages)] == asked[1].messages
    assert attempt.executions == 2
    assert attempt.verdict.evidence["type"] == "ValueError"
    assert [step["runs"][0]["outcome"]["status"] for step in attempt.steps] == ["returned", "exception"]
    assert attempt.messages == asked[0].messages


@pytest.mark.slow
def test_every_request_of_a_turn_is_counted(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    (attempt,), _ = asked_of([calling("1"), calling("2"), answer(RAISES)], suite, tmp_path, executor)
    assert attempt.completion.usage["total_tokens"] == 360
    assert attempt.completion.requests == 3
    assert [step["completion"]["usage"]["total_tokens"] for step in attempt.steps] == [120, 120]


def test_unknown_cost_of_a_reply_makes_the_turn_unknown(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    (attempt,), _ = asked_of([calling("1"), answer(RAISES, usage=None)], suite, tmp_path, executor)
    assert attempt.completion.usage is None


def test_call_after_the_last_run_ends_the_turn(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    (attempt,), asked = asked_of([calling("print(1)", "print(2)", "print(3)")], suite, tmp_path, executor)
    assert attempt.executions == 2
    assert [m["content"] for m in asked[1].messages[-3:]][2] == tools.TOOLS["python"].beyond
    assert len(asked) == 2
    assert (attempt.completion.reply, attempt.verdict.kind) == ("tool_calls", "no_code")


@pytest.mark.parametrize("raw", ["", "{", '{"code": 3}', '["print(1)"]', '{"source": "print(1)"}', "[" * 50])
def test_call_without_code_counts_as_a_run(raw: str, suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    (attempt,), asked = asked_of([calling(None, raw=raw), answer(RAISES)], suite, tmp_path, executor, runs=1)
    assert asked[1].messages[-1]["content"] == tools.TOOLS["python"].without
    assert (attempt.executions, attempt.verdict.kind) == (1, "exception")


def test_model_without_tools_uses_code_blocks(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    script = [answer("Let me see.\n\n```try\nprint('seen', 6 * 7)\n```\n"), answer(RAISES)]
    (attempt,), asked = asked_of(script, suite, tmp_path, executor, native=False)
    assert "tools" not in asked[0].body
    assert "starts with ```try" in asked[0].messages[0]["content"]
    assert asked[1].messages[-2] == {
        "role": "assistant",
        "content": "Let me see.\n\n```try\nprint('seen', 6 * 7)\n```\n",
    }
    assert asked[1].messages[-1]["role"] == "user"
    assert "seen 42" in asked[1].messages[-1]["content"]
    assert (attempt.executions, attempt.verdict.evidence["type"]) == (1, "ValueError")


@pytest.mark.parametrize("native", [True, False])
def test_repair_sees_the_earlier_runs(native: bool, suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    call = calling("print('seen')") if native else answer("```try\nprint('seen')\n```")
    script = [call, answer(RAISES), call, answer(RAISES)]
    attempts, asked = asked_of(script, suite, tmp_path, executor, native=native, max_attempts=1)
    assert [a.executions for a in attempts] == [1, 1]
    assert asked[2].messages[: len(asked[1].messages)] == asked[1].messages
    assert [m["role"] for m in asked[2].messages[-2:]] == ["assistant", "user"]
    assert json.dumps(asked[3].messages).count("Runs left: 1.") == 2
    assert json.dumps(asked[3].messages).count("starts with ```try") == (0 if native else 1)


def test_reasoning_within_a_turn_is_always_returned(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    script = [calling("1", thought="within"), answer(RAISES), answer(RAISES)]
    _, asked = asked_of(script, suite, tmp_path, executor, max_attempts=1, repair=Repair(reasoning="drop"))
    assert "within" in json.dumps(asked[1].messages)
    assert "within" not in json.dumps(asked[2].messages)


def test_tool_runs_cannot_access_the_task(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    """The tool's program receives neither the task's check nor its inputs nor its reference."""
    seen: list[Any] = []

    class Watching:
        capacity = 1

        async def run(self, program: Any) -> Outcome:
            seen.append(program)
            return await executor.run(program)

    model = ScriptedModel(lambda request: "```try\nprint(1)\n```" if len(request.messages) < 3 else RAISES)
    drive(tmp_path, experiment(1).episodes([suite]), [model], executor=Watching())
    (run, judged) = seen
    assert vars(run.call) == {}
    assert run.source == "print(1)\n"
    assert run.limits == judged.limits


def test_full_context_within_a_turn_keeps_its_cost(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    class Filling:
        name, simulated, supports_prefill, supports_tools = "scripted/test", True, False, False

        async def complete(self, request: Request) -> Completion:
            if len(request.messages) > 2:
                raise ContextFull("full")
            return Completion("```try\nprint(1)\n```", usage=USAGE, cost_usd=0.5)

        async def close(self) -> None: ...

    models: list[Model] = [Filling()]
    _, (attempt,), _ = drive(tmp_path, experiment(3).episodes([suite]), models, executor=executor)
    assert (attempt.verdict.kind, attempt.executions, attempt.completion.cost_usd) == ("context", 1, 0.5)


def test_shown_output_is_truncated() -> None:
    long = Outcome("returned", stdout="a" * 50_000 + "the end")
    assert len(tools.shown(long, 1)) < tools.MAX_SHOWN + 200
    assert "the end" in tools.shown(long, 1)
    assert "os._exit" in tools.shown(Outcome("killed"), 0)


def test_tools_exclude_prefill() -> None:
    with pytest.raises(Exception, match="cannot be combined"):
        experiment(2, prompt={"assistant_prefill": True})


@pytest.mark.slow
def test_known_effects_of_tools_and_feedback_are_found(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    """First answers: 1 - (1 - P) (1 - T)^n. With one more repair: 1 - (1 - first) (1 - Q) (1 - T)^n."""
    name = "sim/tinkerer?tries=2&first=0.3&trial=0.25&repair=0.2"
    planned = Experiment(
        models=(name,), frameworks=("qiskit",), limit=10, samples=6, max_attempts=1, temperature={"first": 0.8},
        tools=Tools(python=(0, 2)),
    )  # fmt: skip
    models = create_all(planned.models, {})
    _, attempts, _ = drive(tmp_path, planned.episodes([suite]), list(models.values()), executor=executor)
    for runs in (0, 2):
        left = 0.75**runs
        arm = [a for a in attempts if a.condition == f"{runs}-tries"]
        first = [a.passed for a in arm if a.attempt == 0]
        solved = sum(a.passed for a in arm)
        assert len(first) == 60
        for found, true in (
            (sum(first) / len(first), 1 - 0.7 * left),
            (solved / len(first), 1 - 0.7 * left * 0.8 * left),
        ):
            assert abs(found - true) < 3 * (true * (1 - true) / len(first)) ** 0.5
