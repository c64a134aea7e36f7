"""A rollout is an episode with external answers, whose feedback, verdicts and rewards are those of the loop."""

import dataclasses
from pathlib import Path

import pytest

import repair_bench
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment, Repair, Tools
from repair_bench.agent.training.rollout import POLICY, Rollout, Rollouts, StepResult
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts import feedback
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.feedback import PlaceboSource
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import ExecutorError, UsageError

RAISES = "```python\ndef Bell_State():\n    return missing\n```"
WRONG = "```python\nfrom qiskit import QuantumCircuit\n\n\ndef Bell_State():\n    return QuantumCircuit(2)\n```"
DONORS = tuple(
    PlaceboSource("aligned", "17", "qiskit", "GHZ", kind, kind, f"GHZ has {kind}.")
    for kind in ("exception", "wrong_answer", "no_code")
)


def right(task: Task) -> str:
    return f"```python\n{task.reference}```"


def answer_all(rollout: Rollout, *texts: str) -> list[StepResult]:
    async def go() -> list[StepResult]:
        return [await rollout.answer(text) for text in texts]

    return run_to_end(go())


def opened(task: Task, executor: object, donors: tuple[PlaceboSource, ...] = (), **condition: object) -> Rollout:
    return Rollout(PlannedEpisode(POLICY, task, "1", Condition(**condition), 0), executor, donors)


@pytest.mark.parametrize(
    "condition",
    [{}, {"history": "last"}, {"feedback": "none"}, {"feedback": "shuffled"}, {"assistant_prefill": True}],
    ids=str,
)
def test_rollout_has_the_messages_of_the_loop(
    condition: dict, task: Task, executor: LocalExecutor, tmp_path: Path
) -> None:
    episode = PlannedEpisode(POLICY, task, "1", Condition(max_attempts=3, **condition), 0)
    texts = [RAISES, WRONG, "I do not know.", right(task)]
    model = ScriptedModel(texts, name=POLICY)
    _, recorded, _ = drive(tmp_path / "run", [episode], [model], executor=executor, placebo_sources=DONORS)
    rollout = Rollout(episode, executor, DONORS)
    asked, answered = [], []
    for text in texts:
        asked.append(rollout.messages)
        answered += answer_all(rollout, text)
    assert asked == [attempt.messages for attempt in recorded]
    assert [a.verdict for a in answered] == [attempt.verdict.kind for attempt in recorded]
    assert [a.feedback for a in answered[:-1]] == [attempt.feedback.text for attempt in recorded[1:]]
    assert [a.id for a in rollout.attempts] == [attempt.id for attempt in recorded]
    assert [(a.reward, a.done) for a in answered] == [(0.0, False)] * 3 + [(1.0, True)]


@pytest.mark.parametrize(
    ("answers", "solved", "use"), [("r", 1, 1), ("wr", 1, 2 / 3), ("wwr", 1, 1 / 3), ("www", 0, 0), ("w", 0, 0)]
)
def test_failing_on_purpose_never_pays(
    answers: str, solved: float, use: float, task: Task, executor: LocalExecutor
) -> None:
    rollout = opened(task, executor, max_attempts=2)
    answer_all(rollout, *(right(task) if letter == "r" else WRONG for letter in answers))
    assert (rollout.solved, rollout.use_of_feedback) == (solved, pytest.approx(use))
    assert rollout.done == (answers != "w")


def test_completed_rollout_refuses_answers(task: Task, executor: LocalExecutor) -> None:
    rollout = opened(task, executor, max_attempts=0)
    assert answer_all(rollout, WRONG) == [StepResult("wrong_answer", 0.0, None, done=True)]
    assert rollout.messages == []
    with pytest.raises(ValueError, match="has ended"):
        answer_all(rollout, WRONG)


def test_truncated_answer_is_reported_in_the_feedback(task: Task, executor: LocalExecutor) -> None:
    rollout = opened(task, executor)
    told = run_to_end(rollout.answer("```python\ndef Bell_S", finish_reason="length"))
    assert "truncated" in told.feedback


def test_infrastructure_error_is_not_a_failure(task: Task, executor: LocalExecutor) -> None:
    class BreaksOnce:
        capacity = 1
        broken = True

        async def run(self, program: object) -> object:
            if self.broken:
                self.broken = False
                raise ExecutorError("no memory left")
            return await executor.run(program)

    rollout = opened(task, BreaksOnce())
    with pytest.raises(ExecutorError):
        answer_all(rollout, right(task))
    assert rollout.attempts == []
    assert answer_all(rollout, right(task))[0].reward == 1


def test_an_answer_whose_feedback_fails_is_not_counted(task: Task, executor: LocalExecutor) -> None:
    class BreaksOnce:
        broken = True

        def feedback(self, task: Task, failure: object) -> str:
            if self.broken:
                self.broken = False
                raise LookupError("no words for it")
            return "try again"

    with feedback.registered_policies({"breaks": BreaksOnce()}):
        rollout = opened(task, executor, feedback="breaks")
        asked = rollout.messages
        with pytest.raises(LookupError):
            answer_all(rollout, WRONG)
        assert (rollout.attempts, rollout.messages) == ([], asked)
        assert answer_all(rollout, WRONG)[0].feedback == "try again"


def test_rollout_keeps_no_outcomes(task: Task, executor: LocalExecutor) -> None:
    rollout = opened(task, executor)
    answer_all(rollout, WRONG)
    assert rollout.attempts[0].outcome is None


@pytest.fixture
def rollouts(suite: Suite, executor: LocalExecutor) -> Rollouts:
    small = dataclasses.replace(suite, tasks=tuple(task for task in suite.tasks if task.id in ("16", "17")))
    return Rollouts(Experiment(repair=Repair(feedback=("default", "verdict"))), [small], executor)


def test_rollout_is_opened_by_suite_task_and_framework(rollouts: Rollouts) -> None:
    assert {(task["task_id"], task["framework"]) for task in rollouts.tasks()} == {
        (number, name) for number in ("16", "17") for name in ("qiskit", "pennylane", "cirq")
    }
    assert all(task["sound"] for task in rollouts.tasks())
    rollout = rollouts.open("16", framework="cirq", condition="verdict", sample=3)
    assert (rollout.episode.task.id, rollout.episode.condition.feedback, rollout.episode.sample) == ("16", "verdict", 3)
    assert rollouts.open("16", framework="cirq").episode.condition.feedback == "default"
    with pytest.raises(UsageError, match="is ambiguous: set suite and framework"):
        rollouts.open("16")
    with pytest.raises(UsageError, match="no task with task_id '99'"):
        rollouts.open("99")


@pytest.mark.parametrize(
    ("experiment", "why"),
    [
        (Experiment(rule="paper"), "random shots"),
        (Experiment(tools=Tools(python=2)), "does not support tools.python"),
        (Experiment(tools=Tools(ask=[0, 2])), "does not support tools.ask"),
        (Experiment(repair=Repair(probe=True)), "does not support repair.probe"),
        (Experiment(repair=Repair(feedback=["default", "critic"])), "does not support the feedback policy critic"),
        (Experiment(repair=Repair(feedback="tool", command="ruff")), "does not support the feedback policy tool"),
        (Experiment(first_answers="answers.jsonl"), "does not support first_answers"),
    ],
    ids=["sampled", "tools", "questions", "probe", "critic", "tool", "first answers"],
)
def test_unsupported_experiment_is_refused(experiment: Experiment, why: str, suite: Suite) -> None:
    with pytest.raises(UsageError, match=why):
        Rollouts(experiment, [suite], None)


@pytest.mark.slow
def test_reward_agrees_with_grade(suite: Suite, executor: LocalExecutor) -> None:
    chosen = [task for task in suite.tasks if task.framework == "qiskit"][:6]
    pairs = [
        (task, text) for task in chosen for text in (right(task), f"```python\n{task.starter}    return 1\n```", "no")
    ]
    answers = [{"task_id": task.id, "framework": task.framework, "completion": text} for task, text in pairs]
    graded = repair_bench.grade(answers, "aligned")
    made = Rollouts(Experiment(frameworks=("qiskit",)), [suite], executor)
    rewards = [answer_all(made.open(task.id), text)[0].reward for task, text in pairs]
    assert rewards == [float(line["verdict"] == "pass") for line in graded]
    assert set(rewards) == {0.0, 1.0}
