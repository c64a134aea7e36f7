"""The environment, driven by `verifiers`: a real conversation with our feedback and rewards."""

import asyncio
import importlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

import repair_bench
from repair_bench import suites
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError

vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed: pip install 'repair-bench[verifiers]'")
import verifiers_side as side  # noqa: E402

from repair_bench.agent.training.environment import RepairTasksetConfig  # noqa: E402

RAISES = "```python\ndef Bell_State():\n    return missing\n```"
OVERRIDE = ["suites=['aligned']", "frameworks=['qiskit']", "limit=20", "max_attempts=2"]
BELL = ("aligned", "16", "qiskit")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, source in side.SOURCES.items():
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(side.KEY, "none")
    importlib.invalidate_caches()
    return side.PLUGIN


def played(answers: list[str], cut_off: frozenset[str] = frozenset()) -> tuple[Any, list[list[dict[str, Any]]]]:
    provider = side.Provider([answers], cut_off)
    (episode,) = asyncio.run(side.play(provider, [BELL], {"override": OVERRIDE}))
    return episode, provider.asked[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("plugin")
def test_episode_has_the_feedback_and_rewards_of_the_loop(task: Task) -> None:
    right = f"```python\n{task.reference}```"
    episode, asked = played([RAISES, right])
    assert episode.errors == []
    (trace,) = episode.traces
    rewards = {name: (reward.score, reward.weight) for name, reward in trace.rewards.items()}
    assert rewards == {"solved": (1.0, 1.0), "use_of_feedback": (pytest.approx(2 / 3), 0.5)}
    assert "NameError" in asked[1][-1]["content"]
    assert [message["role"] for message in asked[1]] == ["system", "user", "assistant", "user"]
    episode, asked = played(["no"] * 3)
    assert [reward.score for reward in episode.traces[0].rewards.values()] == [0.0, 0.0]
    assert len(asked) == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("plugin")
def test_truncated_answer_is_reported_in_the_feedback(task: Task) -> None:
    half = "```python\ndef Bell_S"
    episode, asked = played([half, RAISES, f"```python\n{task.reference}```"], frozenset([half]))
    assert episode.errors == []
    assert ["cut off" in messages[-1]["content"] for messages in asked[1:]] == [True, False]
    assert episode.traces[0].rewards["use_of_feedback"].score == pytest.approx(1 / 3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_reward_of_a_published_answer_agrees_with_grade(
    plugin: str, answers: list[dict[str, Any]], datasets: Path
) -> None:
    override = ["suites=['qiskit-humaneval']", "frameworks=['qiskit']", "limit=12", "max_attempts=0"]
    taskset = vf.load_taskset(RepairTasksetConfig(id=plugin, override=override, data=datasets))
    asked = {task.data.task_id for task in taskset}
    chosen = random.Random(0).sample([answer for answer in answers if answer["task_id"] in asked], 10)
    lines = [{name: answer[name] for name in ("task_id", "framework", "completion")} for answer in chosen]
    graded = repair_bench.grade(lines, "qiskit-humaneval", data=datasets)
    tasks = [("qiskit-humaneval", answer["task_id"], "qiskit") for answer in chosen]
    provider = side.Provider([[answer["completion"]] for answer in chosen])
    episodes = asyncio.run(side.play(provider, tasks, {"override": override, "data": str(datasets)}))
    assert [episode.errors for episode in episodes] == [[]] * len(chosen)
    rewards = [episode.traces[0].rewards["solved"].score for episode in episodes]
    assert rewards == [float(line["verdict"] == "pass") for line in graded]
    assert set(rewards) == {0.0, 1.0}


def test_task_data_is_json(plugin: str) -> None:
    taskset = vf.load_taskset(RepairTasksetConfig(id=plugin, override=["limit=3", "frameworks=['cirq']"]))
    tasks = list(taskset)
    assert [task.data.framework for task in tasks] == ["cirq"] * 3
    assert json.dumps(tasks[0].data.model_dump(mode="json"))


@pytest.mark.slow
def test_only_sound_sealed_tasks_are_loaded(plugin: str, datasets: Path) -> None:
    override = ["suites=['qiskit-humaneval']", "frameworks=['qiskit']"]
    taskset = vf.load_taskset(RepairTasksetConfig(id=plugin, override=override, data=datasets))
    suite = asyncio.run(suites.load("qiskit-humaneval", data=datasets))
    sound = [task for task in suite.tasks if task.sound]
    assert {task.data.task_id for task in taskset} == {task.id for task in sound if task.sealed == "stub"}
    assert {task.sealed for task in sound} == {"stub", "guarded"}


@pytest.mark.parametrize(
    "field", ["repair.history=last", "repair.feedback=none", "repair.feedback=['default','verdict']"]
)
def test_experiment_without_a_conversation_is_refused(field: str) -> None:
    with pytest.raises(UsageError, match=r"conversation|one condition"):
        RepairTasksetConfig(override=[field]).settled()
