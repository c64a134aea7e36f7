"""Worked examples: which are chosen, and what of them is shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import FEW_SHOT, Condition
from repair_bench.prompts.extract import extract
from repair_bench.prompts.few_shot import ALIGNED, POOLS, examples, pool
from repair_bench.suites import SUITES, qiskit_humaneval, quanbench_plus, quantum_katas
from repair_bench.suites.qiskit_humaneval import hard
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


def ids(tasks) -> list[str]:
    return [task.id for task in tasks]


@pytest.mark.parametrize("k", FEW_SHOT)
def test_every_task_has_as_many_examples_as_asked_for(suite, k) -> None:
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
    assert {task.framework for task in pool(suite)} == {"qiskit", "pennylane", "cirq"}


def test_the_task_itself_is_replaced_by_the_next(suite) -> None:
    task = next(one for one in suite.tasks if one.id == ALIGNED[1] and one.framework == "cirq")
    assert ids(examples(task, pool(suite), 3)) == [ALIGNED[0], ALIGNED[2], ALIGNED[3]]


def test_twins_in_another_suite_are_replaced(suite) -> None:
    task = next(one for one in suite.tasks if one.id == ALIGNED[0] and one.framework == "qiskit")
    twin = replace(task, suite="quanbench-plus", entry_point="bell_pair")
    renumbered = replace(task, suite="jsonl", id="mine")
    for other in (twin, renumbered):
        assert ALIGNED[0] not in ids(examples(other, pool(suite), 5))


def test_an_example_is_the_whole_task_with_its_whole_answer(suite) -> None:
    task = suite.tasks[0]
    shown = examples(task, pool(suite), 3)
    condition = Condition(few_shot=3)
    messages = compose(task, condition, shown)
    assert [message["role"] for message in messages] == ["system", *["user", "assistant"] * 3, "user"]
    for one, asked, answered in zip(shown, messages[1::2], messages[2::2], strict=False):
        assert asked["content"] == compose(one, Condition())[-1]["content"]
        assert extract(answered["content"], entry_point=one.entry_point).code == one.reference
    assert messages[-1] == compose(task, Condition())[-1]


def test_a_suite_names_its_own_pool(suite) -> None:
    named = replace(suite, notes={"few_shot": {"ids": ("17", "02")}})
    assert list(dict.fromkeys(ids(pool(named)))) == ["17", "02"]
    borrowed = Suite("mine", "1", "", (), {"few_shot": {"suite": "aligned", "ids": ("17",)}})
    assert set(ids(pool(borrowed))) == {"17"}


@pytest.mark.parametrize("named", [{"ids": ("16", "none")}, {"suite": "quantum-katas", "ids": ("16",)}])
def test_a_pool_that_is_not_there_is_refused(suite, named) -> None:
    with pytest.raises(UsageError, match="few-shot pool of aligned"):
        pool(replace(suite, notes={"few_shot": named}))


def test_a_pool_that_is_too_small_is_refused(suite) -> None:
    small = pool(replace(suite, notes={"few_shot": {"ids": ("17",)}}))
    task = next(one for one in suite.tasks if one.id == "17")
    with pytest.raises(UsageError, match="the pool holds 0 others"):
        examples(task, small, 1)


def test_a_suite_without_a_pool_takes_the_built_in_examples() -> None:
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
def test_the_examples_of_the_katas_are_the_papers_first_k_of_basic_gates_and_superposition(datasets: Path) -> None:
    """Version 0.1.0 (d96602b) showed others, and its protocol said that it followed the paper."""
    published = quantum_katas.load(data=datasets / "quantum-katas")
    introductory = [t.id for t in published.tasks if t.id.split("/")[0] in {"BasicGates", "Superposition"}]
    chosen = pool(published)
    for task in published.tasks:
        for k in FEW_SHOT:
            assert ids(examples(task, chosen, k)) == [name for name in introductory if name != task.id][:k]
