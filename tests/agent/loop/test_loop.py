"""The loop with a scripted model, the real executor and a real run directory."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from rich.console import Console
from timeless import timeless

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.loop.graph import build, run_episode
from repair_bench.agent.loop.state import Context
from repair_bench.agent.models.base import Request
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.prompts.condition import Condition
from repair_bench.report.progress import RunProgress
from repair_bench.suites.task import Task
from repair_bench.testing.driving import drive
from repair_bench.testing.made_up_runs import load_run
from repair_bench.testing.scripted_model import Answer, ScriptedModel
from repair_bench.traces.faults import ContextFull, ExecutorError, ModelError, UsageError
from repair_bench.traces.record.records import Attempt, Completion, Outcome
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

RAISES = "```python\ndef Bell_State():\n    return missing\n```"
WRONG = "```python\nfrom qiskit import QuantumCircuit\n\n\ndef Bell_State():\n    return QuantumCircuit(2)\n```"


@pytest.fixture
def loop(task: Task, tmp_path: Path, executor: LocalExecutor) -> Callable[..., list[Attempt]]:
    """Run the task through the loop in a new run, or resume the existing one."""

    def run(model: ScriptedModel, *, attempts: Sequence[Attempt] = (), other: object = None, **condition: object):
        async def go() -> list[Attempt]:
            manifest = Manifest.from_json({"experiment": {}})
            open_ = RunStore.resume if (tmp_path / "run.json").exists() else RunStore.create
            store = open_(tmp_path, manifest)
            context = Context(
                "test",
                7,
                model,
                other or executor,
                store,
                Asker(store, SpendingLimits(None, None, store.spending)),
                RunProgress(1, Console(quiet=True), repairs=0, spending=store.spending),
            )
            episode = PlannedEpisode(model.name, task, "1", Condition(**condition), 0)
            try:
                return await run_episode(episode, context, list(attempts))
            finally:
                await store.close()

        return run_to_end(go())

    return run


def right(task: Task) -> str:
    return f"```python\n{task.reference}```"


def test_a_right_first_answer_ends_the_episode(loop, task, tmp_path) -> None:
    attempts = loop(ScriptedModel([right(task)]))
    assert [a.verdict.kind for a in attempts] == ["pass"]
    assert load_run(tmp_path)[1] == attempts


def test_next_attempt_answers_the_feedback_on_a_failure(loop, task) -> None:
    model = ScriptedModel([RAISES, "I would rather not.", WRONG, right(task)])
    attempts = loop(model)
    assert [a.verdict.kind for a in attempts] == ["exception", "no_code", "wrong_answer", "pass"]
    assert attempts[0].feedback is None
    assert "NameError" in attempts[1].feedback.text
    assert "No program was found" in attempts[2].feedback.text
    assert "Output:" in attempts[3].feedback.text
    assert [a.parent for a in attempts] == [None, *(a.id for a in attempts[:-1])]
    assert [r.temperature for r in model.requests] == [0.0, 0.8, 0.8, 0.8]
    roles = [m["role"] for m in attempts[3].messages]
    assert roles == ["system", "user", *["assistant", "user"] * 3]


def test_history_can_be_the_last_attempt_only(loop, task) -> None:
    model = ScriptedModel([RAISES, WRONG, right(task)])
    attempts = loop(model, history="last")
    assert [len(a.messages) for a in attempts] == [2, 2, 2]
    assert "return missing" in attempts[1].messages[1]["content"]
    assert "return missing" not in attempts[2].messages[1]["content"]


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_attempts_are_bounded(loop, repairs) -> None:
    attempts = loop(ScriptedModel([RAISES]), max_attempts=repairs)
    assert [a.attempt for a in attempts] == list(range(repairs + 1))


def test_model_fault_ends_the_episode_without_a_verdict(loop) -> None:
    attempts = loop(ScriptedModel([RAISES, ModelError("the server is down", retries=4)]))
    assert attempts[0].verdict.kind == "exception"
    assert attempts[1].verdict is None
    assert dataclasses.astuple(attempts[1].fault) == ("model", "the server is down", 4)
    assert attempts[1].messages[-1]["content"] == attempts[1].feedback.text


def test_a_full_context_window_ends_the_episode_as_an_outcome(loop, task, tmp_path) -> None:
    model = ScriptedModel([RAISES, ContextFull("8192 tokens at most"), right(task)])
    attempts = loop(model)
    assert [a.verdict.kind for a in attempts] == ["exception", "context"]
    assert attempts[1].verdict.evidence["problem"] == "8192 tokens at most"
    assert (attempts[1].fault, attempts[1].completion, attempts[1].outcome) == (None, None, None)
    assert load_run(tmp_path)[1] == attempts
    assert loop(model, attempts=attempts) == attempts, "nothing is owed"
    assert len(model.requests) == 2


def test_an_executor_fault_is_never_fed_back(loop, task) -> None:
    class Broken:
        async def run(self, program: Program) -> Outcome:
            raise ExecutorError("the fork server died twice")

        async def close(self) -> None: ...

    model = ScriptedModel([right(task)])
    attempts = loop(model, other=Broken())
    assert [a.fault.boundary for a in attempts] == ["executor"]
    # the answer is paid for, so a resumed episode does not request it again
    again = loop(model)
    assert [a.verdict.kind for a in again] == ["pass"]
    assert len(model.requests) == 1


def test_a_usage_error_stops_the_run(loop) -> None:
    with pytest.raises(UsageError, match="key"):
        loop(ScriptedModel([UsageError("the key was refused")]))


def test_stopped_episode_resumes_where_it_was(loop, task, tmp_path) -> None:
    whole = loop(ScriptedModel([RAISES, WRONG, right(task)]))
    for kept in range(len(whole)):
        model = ScriptedModel([RAISES, WRONG, right(task)])
        lines = (tmp_path / "attempts.jsonl").read_text().splitlines()[:kept]
        (tmp_path / "attempts.jsonl").write_text("".join(line + "\n" for line in lines))
        attempts = loop(model, attempts=whole[:kept])
        assert timeless([a.to_json() for a in attempts]) == timeless([a.to_json() for a in whole])
        assert model.requests == []  # all answers had arrived before


def test_answers_are_on_disk_before_they_are_read(task, tmp_path) -> None:
    """The answer is on disk when the candidate starts to run."""
    seen = []

    class Watching:
        async def run(self, program: Program) -> Outcome:
            seen.append((tmp_path / "completions.jsonl").read_text())
            return Outcome("killed")

        async def close(self) -> None: ...

    async def go() -> None:
        store = RunStore.create(tmp_path, Manifest.from_json({"experiment": {}}))
        context = Context(
            "test",
            0,
            ScriptedModel([RAISES]),
            Watching(),
            store,
            Asker(store, SpendingLimits(None, None, store.spending)),
            RunProgress(1, Console(quiet=True), repairs=0, spending=store.spending),
        )
        await run_episode(PlannedEpisode("m", task, "1", Condition(max_attempts=0), 0), context, [])
        await store.close()

    run_to_end(go())
    assert "return missing" in seen[0]


def test_the_graph_has_four_nodes_and_one_router() -> None:
    nodes = set(build().get_graph().nodes)
    assert nodes == {"__start__", "generate", "execute", "classify", "feedback", "__end__"}


def test_attempt_0_does_not_depend_on_the_arm(task) -> None:
    arms = [
        PlannedEpisode("m", task, "1", Condition(feedback=f, history=h, max_attempts=n), 0)
        for f in ("default", "none")
        for h in ("whole", "last")
        for n in (0, 5)
    ]
    assert len({e.attempt_id(0) for e in arms}) == 1
    assert len({e.seed(3, 0) for e in arms}) == 1
    assert len({e.id for e in arms}) == 4
    assert len({e.attempt_id(1) for e in arms}) == 4
    others = [dataclasses.replace(arms[0], sample=1), dataclasses.replace(arms[0], condition=Condition(starter=False))]
    assert len({e.attempt_id(0) for e in [arms[0], *others]}) == 3


def test_scripted_answers_may_depend_on_the_request(loop, task) -> None:
    def answer(request: Request) -> Answer:
        return right(request.task) if request.attempt == 2 else RAISES

    assert [a.passed for a in loop(ScriptedModel(answer))] == [False, False, True]


def test_only_truncated_answers_are_reported_as_truncated(loop, task) -> None:
    class Cut(ScriptedModel):
        async def complete(self, request: Request) -> Completion:
            answer = await super().complete(request)
            return dataclasses.replace(answer, finish_reason="length" if request.attempt == 0 else "stop")

    attempts = loop(Cut([RAISES, RAISES, right(task)]))
    told = [attempt.feedback.text for attempt in attempts[1:]]
    assert told[0].startswith("Your previous answer was truncated because")
    assert "NameError" in told[0]
    assert "cut off" not in told[1]


def test_only_pending_episodes_need_a_key_on_resume(task, tmp_path, executor) -> None:
    class Locked(ScriptedModel):
        def needed_keys(self) -> list[str]:
            return ["REPAIR_BENCH_NO_SUCH_KEY"]

    first, second = (PlannedEpisode("scripted/test", task, "1", Condition(max_attempts=0), n) for n in range(2))
    drive(tmp_path, [first], [ScriptedModel([RAISES])], executor=executor)
    result, attempts, _ = drive(tmp_path, [first], [Locked([RAISES])], executor=executor, resume=True)
    assert (result.pending, len(attempts)) == (0, 1)
    with pytest.raises(UsageError, match="REPAIR_BENCH_NO_SUCH_KEY"):
        drive(tmp_path, [first, second], [Locked([RAISES])], executor=executor, resume=True)
