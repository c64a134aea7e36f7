"""The choice of the placebo source among failures of other tasks."""

from dataclasses import replace

from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.prompts.feedback.donors import choose
from repair_bench.suites import aligned
from repair_bench.suites.task import no_code
from repair_bench.traces.record.records import Verdict

RAISED = Verdict("exception", {"type": "NameError", "message": "", "traceback": "a traceback"})
WRONG = Verdict("wrong_answer", {"cases": [], "problem": "it is wrong"})


def donor(task_id: str, kind: str = "exception", form: str = "", *, framework: str = "cirq") -> PlaceboSource:
    return PlaceboSource("aligned", task_id, framework, f"entry_{task_id}", kind, form or kind, f"{kind} of {task_id}")


def task_of(suite, task_id: str, framework: str = "cirq"):
    return next(task for task in suite.tasks if task.id == task_id and task.framework == framework)


def test_a_source_is_a_failure_of_another_task_of_the_framework(suite) -> None:
    pool = [
        donor("16"),
        donor("17"),
        donor("19"),
        donor("20", framework="qiskit"),
        donor("27", "wrong_answer", "wrong_answer StateCheck"),
        replace(donor("99"), entry_point="Bell_State"),
    ]
    task = task_of(suite, "16")
    chosen = {choose(pool, task, RAISED, f"attempt {n}").task_id for n in range(50)}
    assert chosen == {"17", "19"}


def test_the_source_depends_only_on_the_id_of_the_attempt(suite) -> None:
    pool = [donor(f"{n:02}") for n in range(20, 40)]
    task = task_of(suite, "16")
    first = [choose(pool, task, RAISED, f"attempt {n}") for n in range(30)]
    again = [choose(list(pool), task, RAISED, f"attempt {n}") for n in reversed(range(30))]
    assert first == again[::-1]
    assert len({one.task_id for one in first}) > 10


def test_one_of_the_same_form_is_preferred(suite) -> None:
    pool = [
        donor("17", "wrong_answer", "wrong_answer UnitaryCheck"),
        donor("19", "wrong_answer", "wrong_answer StateCheck"),
    ]
    task = task_of(suite, "16")
    assert {choose(pool, task, WRONG, str(n)).task_id for n in range(20)} == {"19"}
    assert choose(pool[:1], task, WRONG, "1").task_id == "17"


def test_the_feedback_on_the_attempt_itself_is_not_a_placebo(suite) -> None:
    task = task_of(suite, "16")
    own = make_feedback("default", task, RAISED).text
    pool = [replace(donor("17"), text=own), donor("19")]
    assert {choose(pool, task, RAISED, str(n)).task_id for n in range(20)} == {"19"}


def test_feedback_that_all_tasks_share_has_a_source() -> None:
    task, other, *_ = aligned.load(frameworks=["openqasm3"]).tasks
    own, others = (make_feedback("default", t, no_code(t)).text for t in (task, other))
    assert own == others
    pool = [replace(donor(other.id, "no_code", "no_code program", framework="openqasm3"), text=others)]
    assert choose(pool, task, no_code(task), "1") == pool[0]


def test_a_limit_needs_no_donor_and_an_empty_pool_has_none(suite) -> None:
    task = task_of(suite, "16")
    limit = Verdict("limit", {"limit": "memory", "problem": "the program asked for more memory than it may use"})
    assert choose([donor("17")], task, limit, "1") is None
    assert choose([], task, RAISED, "1") is None
