"""Simulated models make and fix mistakes at known rates, and every answer states that it is simulated."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from scipy.stats import binomtest

import repair_bench.suites
from repair_bench.agent.models import Request, create
from repair_bench.agent.models.sim.feedback import Cue, read_feedback
from repair_bench.agent.models.sim.mistakes import MARKED, labels, last_mark, mark, planted_source
from repair_bench.agent.models.sim.profiles import PROFILES
from repair_bench.coroutines import run_to_end
from repair_bench.prompts.compose import compose, compose_repair
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Completion, Verdict

FOLDER = Path(repair_bench.suites.__file__).parent / "aligned" / "tasks" / "09_phase_estimation_x"
CONDITION = Condition()


def make_task(framework="qiskit", **changes) -> Task:
    task = Task(
        suite="aligned",
        id="09",
        framework=framework,
        entry_point="qpe_x_gate",
        prompt="Estimate the phase. The expected outcome is 100 and the function returned it with probability 1.0.",
        starter="from qiskit import QuantumCircuit\n\n\ndef qpe_x_gate(power, eigenstate):\n",
        check=None,  # nothing is judged in these tests
        category="algorithm",
        difficulty="intermediate",
        reference=(FOLDER / f"solution_{framework}.py").read_text(),
    )
    return replace(task, **changes)


TASK = make_task()


def first(task=TASK, seed=0, temperature=0.8) -> Request:
    return Request(compose(task, CONDITION), temperature, None, seed, task, 0, 0)


def repair(planted, verdict=None, policy="verdict", *, task=TASK, seed=0, temperature=0.8, donor=None, **fields):
    """Return the request after an answer with the planted mistakes and this verdict."""
    code = f"{planted_source(task, planted)}\n# {mark(planted)}\n"
    verdict = verdict or Verdict("limit", {"limit": "memory", "problem": "the program asked for more memory"})
    condition = replace(CONDITION, feedback=policy, **fields)
    asked = compose(task, condition)
    last = Attempt(
        **dict.fromkeys(("id", "episode", "run", "model", "suite", "suite_version", "task_id", "framework"), "x"),
        **dict.fromkeys(("parent", "difficulty"), None),
        **dict.fromkeys(("category", "condition"), ""),
        **dict.fromkeys(("sample", "attempt"), 0),
        feedback=None,
        messages=asked,
        completion=Completion(f"```python\n{code}```\n"),
        code=code,
        verdict=verdict,
    )
    feedback = make_feedback(policy, task, verdict, code=code, donor=donor).text
    messages = compose_repair(task, condition, [last], feedback)
    return Request(messages, temperature, None, seed, task, 0, 1, last=last)


def answers(name: str, requests) -> list[str]:
    model = create(name)

    async def ask() -> list[str]:
        return [(await model.complete(request)).text for request in requests]

    return run_to_end(ask())


def planted_in(answer: str) -> list[str]:
    found, _ = last_mark([{"content": answer}], MARKED)
    return labels(found)


def is_right(answer: str) -> bool:
    return planted_in(answer) == []


def mended(name, planted, verdict=None, policy="verdict", count=300, **options) -> int:
    """Return how many of `count` repairs are correct."""
    requests = (repair(planted, verdict, policy, seed=seed, **options) for seed in range(count))
    return sum(map(is_right, answers(name, requests)))


def raised(entry_point=TASK.entry_point, name="final_circuit") -> Verdict:
    """Return the exception of a program with `undefined_name:0`."""
    message = f"name '{name}' is not defined"
    traceback = (
        "Traceback (most recent call last):\n"
        f'  File "candidate.py", line 25, in {entry_point}\n    return {name}\n'
        f"           ^^^^^^^^^^^^^\nNameError: {message}"
    )
    return Verdict("exception", {"type": "NameError", "message": message, "traceback": traceback})


def wrong(got=("000", "111"), expected=("001",), **case) -> Verdict:
    """Return the verdict on an incorrect distribution, which may be uniform over some outcomes."""
    got, expected = ({"probabilities": {x: 1 / len(keys) for x in keys}} for keys in (got, expected))
    shown = {"inputs": [0.5, "-"], "hidden": False, "got": got, "expected": expected, "distance": {"tv": 1.0}, **case}
    problem = "the outcome probabilities are incorrect (total variation distance 1)"
    return Verdict("wrong_answer", {"cases": [shown], "problem": problem})


def missing(what="entry_point") -> Verdict:
    return Verdict("no_code", {"missing": what})


def placebo(verdict: Verdict, entry_point="Bell_State") -> PlaceboSource:
    """Return the default feedback on another task's failure."""
    other = make_task(entry_point=entry_point)
    text = make_feedback("default", other, verdict).text
    return PlaceboSource("aligned", "16", "qiskit", entry_point, verdict.kind, verdict.kind, text)


def told(verdict: Verdict, policy: str, donor=None) -> set[str]:
    """Return the cues that the simulated model finds in a policy's feedback on a verdict."""
    text = make_feedback(policy, TASK, verdict, code="the program", donor=donor).text
    return read_feedback(text, verdict, TASK.entry_point)


@pytest.mark.parametrize(
    ("policy", "of_exception", "of_wrong_answer", "of_no_code"),
    [
        ("default", {"traceback"}, {"output"}, {"missing"}),
        ("function", {"traceback"}, set(), {"missing"}),
        ("verdict", set(), set(), set()),
        ("output", {"message"}, {"output"}, {"missing"}),
        ("distance", {"traceback"}, set(), {"missing"}),
        ("support", {"traceback"}, set(), {"missing"}),
        ("expected", {"traceback"}, {"output", "expected"}, {"missing"}),
        ("none", set(), set(), set()),
    ],
)
def test_each_policy_shows_its_evidence(policy, of_exception, of_wrong_answer, of_no_code):
    assert told(raised(), policy) == of_exception
    assert told(wrong(), policy) == of_wrong_answer
    assert told(missing(), policy) == of_no_code
    assert told(missing("code"), policy) == of_no_code


@pytest.mark.parametrize("verdict", [raised(), wrong(), missing(), missing("code")])
def test_failure_of_another_program_shows_nothing(verdict):
    """Even if it is similar."""
    others = {
        "exception": [raised("Bell_State"), raised("<module>"), raised("Bell_State", "qc")],
        "wrong_answer": [wrong(("111",)), wrong(("00", "11")), wrong(("0", "1"))],
        "no_code": [missing(), missing("code")],
    }
    for other in others[verdict.kind]:
        assert told(verdict, "shuffled", placebo(other)) == set()


def test_same_message_at_another_line_is_another_failure():
    """The traceback of a failed import contains no function name."""
    message = "cannot import name 'Aer' from 'qiskit'"
    lines = [f'  File "candidate.py", line {n}, in <module>\n    from qiskit import Aer' for n in (1, 2)]
    own, other = (
        Verdict(
            "exception",
            {
                "type": "ImportError",
                "message": message,
                "traceback": f"Traceback (most recent call last):\n{line}\nImportError: {message}",
            },
        )
        for line in lines
    )
    assert told(own, "default") == {"traceback"}
    assert told(own, "shuffled", placebo(other)) == set()


def test_only_the_complete_values_count_as_its_own():
    case = wrong().evidence["cases"][0]
    both = wrong()
    both.evidence["cases"].append({**case, "got": {"probabilities": {"010": 1.0}}})
    assert told(both, "default") == {"output"}
    assert told(both, "shuffled", placebo(wrong())) == set()


def test_state_is_not_matched_inside_another():
    own, other = (
        Verdict("wrong_answer", {"cases": [{"got": ket}], "problem": "the state is incorrect (fidelity 0)"})
        for ket in ("|11>", "0.7071|00> + 0.7071|11>")
    )
    assert told(own, "default") == {"output"}
    assert told(own, "shuffled", placebo(other)) == set()


@pytest.mark.parametrize("policy", ["default", "function", "distance", "support", "expected"])
def test_wrong_shape_or_type_is_shown(policy):
    verdict = wrong(mismatch="shape")
    verdict = replace(verdict, evidence={**verdict.evidence, "problem": "expected outcomes of 3 bits, got 2 bits"})
    assert "mismatch" in told(verdict, policy)
    typed = {"cases": [{"got": {"type": "NoneType"}, "mismatch": "type"}], "problem": "a Circuit was expected"}
    assert "mismatch" in told(Verdict("wrong_answer", typed), policy)
    assert told(Verdict("wrong_answer", typed), "verdict") == set()


def test_assertion_of_a_unit_test_counts_as_expected():
    evidence = {"problem": "A unit test found it wrong.", "cases": [], "assertion": "AssertionError: 3 != 2"}
    assert told(Verdict("wrong_answer", evidence), "expected") == {"expected", "mismatch"}
    assert told(Verdict("wrong_answer", evidence), "default") == {"mismatch"}


def test_killed_process_leaves_no_traceback():
    message = "the process terminated before returning a result"
    died = Verdict("exception", {"type": "ProcessDied", "message": message, "traceback": ""})
    assert told(died, "default") == {"message"}
    assert told(died, "shuffled", placebo(raised("Bell_State"))) == set()


def test_no_evidence_without_a_last_attempt():
    text = make_feedback("expected", TASK, wrong()).text
    assert read_feedback(text, None, TASK.entry_point) == set()


def test_limit_shows_only_the_failure():
    verdict = Verdict("limit", {"limit": "cpu_timeout", "problem": "the program used up its CPU time"})
    for policy in ("default", "verdict", "expected"):
        assert told(verdict, policy) == set()


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["qiskit", "pennylane", "cirq"])
@pytest.mark.parametrize("name", ["sim/novice", "sim/journeyman", "sim/expert", "sim/bernoulli?first=0.5&repair=0.5"])
def test_every_answer_states_that_it_is_simulated(name, framework):
    task = make_task(framework)
    for answer in answers(name, [first(task, seed) for seed in range(40)]):
        planted = planted_in(answer)
        code = extract(answer, entry_point=task.entry_point, starter=task.starter).code
        if any(label.startswith("prose") for label in planted):
            assert code is None
        else:
            assert mark(planted) in code
            assert (code.startswith(task.reference)) == (planted == [])


def test_same_request_gets_the_same_answer():
    requests = [first(seed=seed) for seed in range(20)]
    assert answers("sim/journeyman", requests) == answers("sim/journeyman", requests)
    assert len(set(answers("sim/journeyman", requests))) > 5


def test_seed_has_no_effect_at_temperature_zero():
    assert len(set(answers("sim/novice", [first(seed=seed, temperature=0.0) for seed in range(10)]))) == 1


def test_unknown_cost_and_latency_are_null():
    completion = run_to_end(create("sim").complete(first(seed=7)))
    assert completion.cost_usd is None
    assert completion.latency_seconds is None
    assert completion.params == {"temperature": 0.8, "seed": 7}
    assert completion.usage["completion_tokens"] == -(-len(completion.text) // 4)
    assert completion.usage["total_tokens"] == completion.usage["prompt_tokens"] + completion.usage["completion_tokens"]


@pytest.mark.slow
def test_profiles_consist_of_probabilities_and_improve():
    novice, journeyman, expert = (PROFILES[name] for name in ("novice", "journeyman", "expert"))
    for worse, better in ((novice, journeyman), (journeyman, expert)):
        assert worse.right.keys() == better.right.keys()
        assert worse.repair.keys() == better.repair.keys() == set(get_args(Cue))
        rising = [(worse.right[key], better.right[key]) for key in worse.right]
        rising += [(worse.repair[cue], better.repair[cue]) for cue in worse.repair]
        rising += [(worse.unaided, better.unaided), (better.raising, worse.raising)]
        rising += [(better.another, worse.another), (better.slip, worse.slip)]
        for low, high in rising:
            assert 0 < low < high < 1
    assert all(profile.unaided <= min(profile.repair.values()) for profile in PROFILES.values())


@pytest.mark.slow
def test_better_profiles_are_right_more_often():
    requests = [first(seed=seed) for seed in range(400)]
    novice, journeyman, expert = (
        sum(map(is_right, answers(f"sim/{name}", requests))) / 400 for name in ("novice", "journeyman", "expert")
    )
    assert 0.05 < novice < 0.25 < journeyman < 0.55 < expert < 0.85


@pytest.mark.slow
def test_easier_tasks_are_solved_more_often():
    easy, hard = (make_task(difficulty=difficulty) for difficulty in ("introductory", "advanced"))
    solved = [sum(map(is_right, answers("sim", [first(task, seed) for seed in range(300)]))) for task in (easy, hard)]
    assert solved[0] > solved[1] + 60


def test_mutations_are_planted_together():
    source = planted_source(TASK, ["gate_dropped:0", "angle_negated:0", "bits_reversed:0"])
    mutated = [planted_source(TASK, [label]) for label in ("gate_dropped:0", "angle_negated:0", "bits_reversed:0")]
    assert source not in mutated
    assert "-angle" in source
    assert "[2, 1, 0])\n" in source


@pytest.mark.slow
def test_a_traceback_helps_more_than_a_verdict():
    planted = ["undefined_name:0"]
    assert mended("sim", planted, raised(), "default") > mended("sim", planted, raised(), "verdict") + 100


@pytest.mark.slow
def test_own_output_helps_and_expected_output_helps_more():
    counts = [mended("sim", ["gate_dropped:3"], wrong(), policy) for policy in ("verdict", "default", "expected")]
    assert counts[0] + 30 < counts[1]
    assert counts[1] + 20 < counts[2]


def test_missing_entry_point_is_usually_repaired():
    assert mended("sim", ["wrong_entry_point:1"], missing(), "default") > 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "own", "other"),
    [
        ("undefined_name:0", raised(), raised("Bell_State")),
        ("gate_dropped:3", wrong(), wrong(("00",))),
        ("wrong_entry_point:1", missing(), missing()),
    ],
)
def test_placebo_helps_no_more_than_a_verdict(planted, own, other):
    requests = [
        [repair([planted], own, policy, donor=placebo(other), seed=seed) for seed in range(100)]
        for policy in ("shuffled", "verdict")
    ]
    assert answers("sim", requests[0]) == answers("sim", requests[1])


@pytest.mark.slow
def test_a_mistake_behind_another_stays_hidden():
    planted = ["gate_dropped:3", "undefined_name:0"]
    given = answers("sim", [repair(planted, raised(), "default", seed=seed) for seed in range(200)])
    left = [planted_in(answer) for answer in given]
    assert sum("undefined_name:0" in labels for labels in left) < 80
    assert sum("gate_dropped:3" in labels for labels in left) > 160


@pytest.mark.slow
@pytest.mark.parametrize("history", ["whole", "last"])
@pytest.mark.parametrize("prefilled", [False, True])
def test_the_last_answer_is_found_in_either_history(history, prefilled):
    """Even if an assistant prefill follows it."""
    planted, options = ["undefined_name:0"], {"history": history, "assistant_prefill": prefilled}
    assert mended("sim", planted, raised(), "verdict", 100, **options) < 40
    assert mended("sim", planted, raised(), "default", 100, **options) > 50


def test_prefill_shows_nothing():
    plain, begun = (
        [repair(["gate_dropped:3"], wrong(), "default", seed=seed, assistant_prefill=on) for seed in range(50)]
        for on in (False, True)
    )
    assert begun[0].messages[-1]["role"] == "assistant"
    assert answers("sim", plain) == answers("sim", begun)


def test_repair_sometimes_adds_a_mistake():
    requests = [repair(["gate_dropped:3"], wrong(), "default", seed=seed) for seed in range(200)]
    new = [answer for answer in answers("sim/novice", requests) if set(planted_in(answer)) - {"gate_dropped:3"}]
    assert 5 < len(new) < 60


@pytest.mark.slow
def test_answer_without_history_is_a_new_draw():
    requests = [replace(first(seed=seed), attempt=2) for seed in range(300)]
    assert 80 < sum(map(is_right, answers("sim", requests))) < 160


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.0, 0.03, 0.4])
def test_bernoulli_is_right_with_its_probabilities(p):
    name = f"sim/bernoulli?first={p}&repair={1 - p}"
    at_first = sum(map(is_right, answers(name, (first(seed=seed) for seed in range(1000)))))
    requests = [replace(repair(["undefined_global:0"]), seed=seed) for seed in range(1000)]
    at_repair = sum(map(is_right, answers(name, requests)))
    for count, probability in ((at_first, p), (at_repair, 1 - p)):
        interval = binomtest(count, 1000).proportion_ci(0.999, method="exact")
        assert interval.low <= probability <= interval.high


def test_bernoulli_ignores_feedback():
    name = "sim/bernoulli?first=0.5&repair=0.5"
    planted = ["undefined_name:0"]
    given = [
        answers(name, [repair(planted, raised(), policy, seed=seed) for seed in range(50)])
        for policy in ("default", "verdict")
    ]
    assert given[0] == given[1]


def test_wrong_bernoulli_answers_always_raise():
    for answer in answers("sim/bernoulli?first=0&repair=0", [first(seed=seed) for seed in range(60)]):
        code = extract(answer, entry_point=TASK.entry_point, starter=TASK.starter).code
        if code is not None:
            with pytest.raises((ImportError, NameError, SyntaxError)):
                exec(compile(code, "candidate", "exec"), {})


@pytest.mark.parametrize(
    "name",
    [
        "sim/genius",
        "sim/novice?first=1",
        "sim/bernoulli",
        "sim/bernoulli?first=0.5",
        "sim/bernoulli?first=0.5&repair=1.5",
        "sim/bernoulli?first=nan&repair=0.5",
        "sim/bernoulli?first=often&repair=0.5",
        "sim/bernoulli?first=0.5&repair=0.5&again=0.5",
        "sim/bernoulli?first=0.5&first=0.5&repair=0.5",
    ],
)
def test_unknown_name_is_refused_in_one_line(name):
    with pytest.raises(UsageError) as refused:
        create(name)
    assert "\n" not in str(refused.value)
    assert name in str(refused.value)


def test_a_model_keeps_the_name_it_was_given():
    assert create("sim").name == "sim"
    assert create("sim/bernoulli?first=0.5&repair=0.25").name == "sim/bernoulli?first=0.5&repair=0.25"
    assert create("sim/expert").simulated


@pytest.mark.parametrize("name", ["sim/expert", "sim/bernoulli?first=1&repair=1"])
@pytest.mark.parametrize("framework", ["qiskit", "pennylane", "cirq"])
@pytest.mark.parametrize("reference", [None, "def qpe_x_gate(:\n"])
def test_task_without_a_reference_is_stated_as_unsolvable(name, reference, framework):
    task = make_task(framework, reference=reference)
    given = answers(name, [first(task, seed) for seed in range(30)])
    assert len(set(given)) > 2
    for answer in given:
        assert f"no reference solution in {framework}: the simulated model cannot solve this task" in answer.lower()
        compile(extract(answer, entry_point=task.entry_point).code, "candidate", "exec")
