"""Arms of one experiment share the first attempt, then receive different feedback."""

from collections import Counter
from pathlib import Path

import pytest

from repair_bench.agent.experiment.file import Experiment, Repair
from repair_bench.agent.models.base import Request
from repair_bench.analysis.rates import metrics
from repair_bench.executors.local import LocalExecutor
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import ModelError

RAISES = "```python\nraise ValueError('as planned')\n```"


def experiment(**repair: object) -> Experiment:
    return Experiment(
        models=("scripted/test",),
        frameworks=("qiskit",),
        limit=3,
        max_attempts=2,
        repair=Repair(feedback=("default", "verdict", "none"), **repair),
    )


@pytest.mark.slow
def test_arms_share_one_first_attempt_and_request(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    model = ScriptedModel([RAISES])
    episodes = experiment(history=("whole", "last")).episodes([suite])
    assert len(episodes) == 3 * 6
    result, attempts, _ = drive(tmp_path, episodes, [model], executor=executor)
    assert (result.episodes, result.pending) == (18, 0)
    firsts = [a for a in attempts if a.attempt == 0]
    assert len(firsts) == 18
    assert {a.condition for a in firsts} == {
        f"{policy}+{history}" for policy in ("default", "verdict", "none") for history in ("whole", "last")
    }
    for task in {a.task_id for a in firsts}:
        same = {repr({**vars(a), "episode": None, "condition": None}) for a in firsts if a.task_id == task}
        assert len(same) == 1
    assert Counter(r.attempt for r in model.requests) == {0: 3, 1: 18, 2: 18}
    later = [a for a in attempts if a.attempt > 0]
    assert len({a.id for a in later}) == len(later)


@pytest.mark.slow
def test_independent_samples_are_new_requests(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    model = ScriptedModel([RAISES])
    drive(tmp_path, experiment().episodes([suite]), [model], executor=executor)
    fresh = [r for r in model.requests if r.condition == "none"]
    assert len(fresh) == 6
    assert all([m["role"] for m in r.messages] == ["system", "user"] for r in fresh)
    assert len({r.seed for r in fresh}) == 6


@pytest.mark.slow
def test_fault_of_the_shared_attempt_leaves_every_arm_pending(
    suite: Suite, tmp_path: Path, executor: LocalExecutor
) -> None:
    episodes = experiment().episodes([suite])
    down = ScriptedModel(lambda request: ModelError("down") if request.task.id == episodes[0].task.id else RAISES)
    result, attempts, _ = drive(tmp_path, episodes, [down], executor=executor)
    assert (result.pending, result.faults) == (3, 1)
    again = ScriptedModel([RAISES])
    result, attempts, _ = drive(tmp_path, episodes, [again], resume=True, executor=executor)
    assert result.pending == 0
    assert Counter(r.attempt for r in again.requests) == {0: 1, 1: 3, 2: 3}
    assert metrics.curve(metrics.episodes(attempts), 2).n == 9


@pytest.mark.slow
def test_added_arm_reuses_the_first_attempt(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    """After a kill between two arms, only one of them has the first attempt on disk."""
    episodes = experiment().episodes([suite])
    drive(
        tmp_path, [e for e in episodes if e.condition.name == "default"], [ScriptedModel([RAISES])], executor=executor
    )
    rest = ScriptedModel([RAISES])
    drive(tmp_path, episodes, [rest], resume=True, executor=executor)
    assert Counter(r.attempt for r in rest.requests) == {1: 6, 2: 6}


@pytest.mark.slow
def test_few_shot_examples_never_show_the_task_itself(suite: Suite, tmp_path: Path, executor: LocalExecutor) -> None:
    shown: list[Request] = []

    def answer(request: Request) -> str:
        shown.append(request)
        return RAISES

    asked = Experiment(
        models=("scripted/test",), frameworks=("cirq",), limit=4, max_attempts=0, prompt={"few_shot": [0, 3]}
    )
    episodes = asked.episodes([suite])
    drive(tmp_path, episodes, [ScriptedModel(answer)], executor=executor)
    by_name = {name: [r for r in shown if r.condition == name] for name in ("0-shot", "3-shot")}
    assert {len(r.messages) for r in by_name["0-shot"]} == {2}
    assert {len(r.messages) for r in by_name["3-shot"]} == {8}
    for request in by_name["3-shot"]:
        answers = [m["content"] for m in request.messages if m["role"] == "assistant"]
        assert all(f"def {request.task.entry_point}(" not in text for text in answers)
