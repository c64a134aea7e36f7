"""The choice of worked examples, and their messages."""

from dataclasses import replace
from pathlib import Path

import pytest

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import FEW_SHOT, Condition
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.few_shot import ALIGNED, POOLS, examples, pool
from repair_bench.suites import SUITES, qiskit_humaneval, quanbench_plus, quantum_katas
from repair_bench.suites.qiskit_humaneval import hard
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


def ids(tasks) -> list[str]:
    return [task.id for task in tasks]


@pytest.mark.parametrize("k", FEW_SHOT)
def test_every_task_has_the_given_number_of_examples(suite, k) -> None:
    for task in suite.tasks:
        chosen = examples(task, pool(suite), k)
        assert len(chosen) == k
        assert task.id not in ids(chosen)
        assert {one.framework for one in chosen} <= {task.framework}
        assert chosen == examples(task, pool(suite), k)


def test_fewer_examples_are_the_first_of_more(suite) -> None:
    for task in suite.tasks:
        assert examples(task, pool(suite), 5)[:3] == examples(task, pool(suite), 3)


def test_the_examples_are_introductory(suite) -> None:
    assert {task.difficulty for task in pool(suite)} == {"introductory"}
    assert {task.framework for task in pool(suite)} == set(FRAMEWORKS)


def test_the_task_itself_is_replaced_by_the_next(suite) -> None:
    task = next(one for one in suite.tasks if one.id == ALIGNED[1] and one.framework == "cirq")
    assert ids(examples(task, pool(suite), 3)) == [ALIGNED[0], ALIGNED[2], ALIGNED[3]]


def test_twins_in_another_suite_are_replaced(suite) -> None:
    task = next(one for one in suite.tasks if one.id == ALIGNED[0] and one.framework == "qiskit")
    twin = replace(task, suite="quanbench-plus", entry_point="bell_pair")
    renumbered = replace(task, suite="jsonl", id="mine")
    for other in (twin, renumbered):
        assert ALIGNED[0] not in ids(examples(other, pool(suite), 5))


def test_an_example_is_a_complete_task_with_its_answer(suite) -> None:
    task = suite.tasks[0]
    shown = examples(task, pool(suite), 3)
    condition = Condition(few_shot=3)
    messages = compose(task, condition, shown)
    assert [message["role"] for message in messages] == ["system", *["user", "assistant"] * 3, "user"]
    for one, asked, answered in zip(shown, messages[1::2], messages[2::2], strict=False):
        assert asked["content"] == compose(one, Condition())[-1]["content"]
        assert extract(answered["content"], entry_point=one.entry_point).code == one.reference
    assert messages[-1] == compose(task, Condition())[-1]


def test_a_pool_that_is_too_small_is_refused(suite) -> None:
    with pytest.raises(UsageError, match="the pool has only 0"):
        examples(suite.tasks[0], suite.tasks[:1], 1)


def test_a_suite_without_a_pool_uses_the_built_in_examples() -> None:
    assert set(ids(pool(Suite("mine", "1", "", ())))) == set(ALIGNED)
    assert set(POOLS) == {"qiskit-humaneval", "qiskit-humaneval-hard", "quantum-katas"} < set(SUITES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "folder"),
    [
        (quanbench_plus, "quanbench-plus"),
        (qiskit_humaneval, "qiskit-humaneval"),
        (hard, "qiskit-humaneval"),
        (quantum_katas, "quantum-katas"),
    ],
)
def test_the_published_suites_have_five_examples_for_every_task(module, folder, datasets: Path) -> None:
    published = module.load(data=datasets / folder)
    chosen = pool(published)
    for task in published.tasks:
        shown = examples(task, chosen, 5)
        assert len(shown) == 5
        assert all(one.reference for one in shown)
        assert task.entry_point not in {one.entry_point for one in shown}


@pytest.mark.slow
def test_examples_of_the_katas_are_those_of_the_paper(datasets: Path) -> None:
    published = quantum_katas.load(data=datasets / "quantum-katas")
    introductory = [t.id for t in published.tasks if t.id.split("/")[0] in {"BasicGates", "Superposition"}]
    chosen = pool(published)
    for task in published.tasks:
        for k in FEW_SHOT:
            assert ids(examples(task, chosen, k)) == [name for name in introductory if name != task.id][:k]
