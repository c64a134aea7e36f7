"""The simulated model errs and mends in measurable ways, and every answer says that it is simulated."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import binomtest

import repair_bench.suites
from repair_bench.agent.models import Request, create
from repair_bench.agent.models.sim_faults import mark, planted_source, read_mark
from repair_bench.agent.models.sim_feedback import Told, read_feedback
from repair_bench.prompts.compose import compose, compose_repair
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.extract import extract
from repair_bench.prompts.feedback import make_feedback
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Attempt, Completion, Verdict

FOLDER = Path(repair_bench.suites.__file__).parent / "aligned" / "tasks" / "09_phase_estimation_x"
CONDITION = Condition()
FAILED = "Your program failed. Answer with the whole program in one Python code block."


def make_task(framework="qiskit", **changes) -> Task:
    task = Task(
        suite="aligned",
        id="09",
        framework=framework,
        entry_point="qpe_x_gate",
        prompt="Estimate the phase. The expected outcome is 100 and the function returned it with probability 1.0.",
        starter="from qiskit import QuantumCircuit\n\n\ndef qpe_x_gate(power, eigenstate):\n",
        check=None,  # type: ignore[arg-type] - nothing is judged here
        category="algorithm",
        difficulty="intermediate",
        reference=(FOLDER / f"solution_{framework}.py").read_text(),
    )
    return replace(task, **changes)


TASK = make_task()


def first(task=TASK, seed=0, temperature=0.8) -> Request:
    return Request(compose(task, CONDITION), temperature, None, seed, task, 0, 0)


def repair(planted, feedback, *, task=TASK, seed=0, temperature=0.8, history="whole") -> Request:
    """The request after an answer that held the planted mistakes."""
    code = f"{planted_source(task, planted)}\n# {mark(planted)}\n"
    asked = compose(task, CONDITION)
    last = Attempt(
        **dict.fromkeys(("id", "episode", "run", "model", "suite", "suite_version", "task_id", "framework"), "x"),
        **dict.fromkeys(("parent", "difficulty"), None),
        **dict.fromkeys(("category", "condition"), ""),
        **dict.fromkeys(("sample", "attempt"), 0),
        feedback=None,
        messages=asked,
        completion=Completion(f"```python\n{code}```\n"),
        code=code,
    )
    messages = compose_repair(task, replace(CONDITION, history=history), last, feedback)
    return Request(messages, temperature, None, seed, task, 0, 1)


def answers(name: str, requests) -> list[str]:
    model = create(name)

    async def ask() -> list[str]:
        return [(await model.complete(request)).text for request in requests]

    return asyncio.run(ask())


def is_right(answer: str) -> bool:
    return read_mark(answer)[0] == []


def mended(name, planted, feedback, count=300, **options) -> int:
    """How many of `count` repairs are right."""
    requests = (repair(planted, feedback, seed=seed, **options) for seed in range(count))
    return sum(map(is_right, answers(name, requests)))


def traceback_of(task: Task, planted) -> str:
    """What the default policy says of the exception that the program raises."""
    line = next(line for line in planted_source(task, planted).splitlines() if "final_circuit" in line)
    traceback = (
        "Traceback (most recent call last):\n"
        f'  File "candidate.py", line 25, in {task.entry_point}\n    {line.strip()}\n'
        "           ^^^^^^^^^^^^^\nNameError: name 'final_circuit' is not defined"
    )
    return make_feedback("default", task, Verdict("exception", {"traceback": traceback})).text


def output_of(task: Task, got=None) -> str:
    case = {"inputs": [0.5, "-"], "hidden": False, "got": {"probabilities": got or {"000": 0.5, "111": 0.5}}}
    evidence = {"cases": [case], "problem": "the outcome probabilities are wrong (KL divergence 0.6931)"}
    return make_feedback("default", task, Verdict("wrong_answer", evidence)).text


# reading feedback


def test_a_traceback_is_read_with_its_exception_and_its_place():
    told = read_feedback(traceback_of(TASK, ["undefined_name:0"]))
    assert told.exception == "NameError"
    assert told.functions == {"qpe_x_gate"}
    assert told.line == "return final_circuit"
    assert not told.output


def test_a_traceback_concerns_the_code_that_raised_it_alone():
    told = read_feedback(traceback_of(TASK, ["undefined_name:0"]))
    assert told.concerns(planted_source(TASK, ["undefined_name:0"]))
    assert not told.concerns("def Bell_State():\n    return final_circuit\n")
    assert not told.concerns(TASK.reference)


def test_the_frames_of_a_library_are_passed_over():
    told = read_feedback(
        "Your program raised an exception:\n\nTraceback (most recent call last):\n"
        '  File "solution.py", line 6, in grover\n    qc.h(qc.num_qubits)\n'
        '  File "qiskit/circuit/quantumcircuit.py", line 2834, in _qbit_argument_conversion\n'
        "qiskit.circuit.exceptions.CircuitError: 'Index 3 out of range for size 3.'"
    )
    assert (told.exception, told.functions, told.line) == ("CircuitError", {"grover"}, "qc.h(qc.num_qubits)")


def test_an_exception_that_the_program_did_not_raise_is_none():
    told = read_feedback("What was returned could not be read (ValueError: out of range).\nIt returned:\narray([0.5])")
    assert told == Told(output=True, mismatch=True)


def test_a_message_without_its_place_concerns_code_that_holds_the_name():
    told = read_feedback("Your program raised: ImportError: cannot import name 'Aer' from 'qiskit' (unknown location)")
    assert told.exception == "ImportError"
    assert told.concerns("from qiskit import Aer, execute\n")
    assert not told.concerns("from qiskit import QuantumCircuit\n")


def test_the_name_of_an_exception_alone_is_bare():
    assert read_feedback("It raised a TypeError.").bare


@pytest.mark.parametrize(
    ("text", "output", "expected"),
    [
        (FAILED, False, False),
        ("Your program ran, but its result is wrong.", False, False),
        ("It returned:\n\n```\noutcome: probability\n00: 0.5000\n11: 0.5000\n```", True, False),
        ("Your program gave these outcome probabilities:\n{'00': 0.5, '11': 0.5}", True, False),
        ("outcome: probability\n00: 0.5000", True, False),
        ("It returned:\n0.7071|00> + 0.7071|11>", True, False),
        ("Your function returned [[1, 0], [0, -1]]", True, False),
        ("Expected:\n\n```\noutcome: probability\n00: 0.5\n```", False, True),
        ("It should have returned:\n00: 0.5", False, True),
        ("It returned:\noutcome: probability\n00: 1.0\n\nExpected:\noutcome: probability\n01: 1.0", True, True),
        ("Expected {'0': 0.5}, got {'1': 1.0}", True, True),
        ("AssertionError: expected 0.5, got 1.0", True, True),
    ],
)
def test_shown_values_are_told_apart(text, output, expected):
    told = read_feedback(text)
    assert told.exception is None
    assert (told.output, told.expected) == (output, expected)


@pytest.mark.parametrize(
    "problem", ["expected outcomes of 3 bits, got 2 bits", "expected a state of 2 qubits, got 1 qubit"]
)
def test_a_wrong_shape_is_told_and_is_no_answer(problem):
    evidence = {"cases": [{"got": {"probabilities": {"00": 1.0}}, "mismatch": "shape"}], "problem": problem}
    told = read_feedback(make_feedback("default", TASK, Verdict("wrong_answer", evidence)).text)
    assert told.mismatch
    assert told.output
    assert not told.expected


def test_a_wrong_type_is_told():
    evidence = {
        "cases": [{"got": {"type": "NoneType", "repr": "None"}}],
        "problem": "returned None; a Circuit was expected",
    }
    assert read_feedback(make_feedback("default", TASK, Verdict("wrong_answer", evidence)).text) == Told(mismatch=True)


@pytest.mark.parametrize("missing", ["code", "entry_point"])
def test_what_was_missing_is_told(missing):
    told = read_feedback(make_feedback("default", TASK, Verdict("no_code", {"missing": missing})).text)
    assert told == Told(missing=True)


def test_a_limit_tells_no_more_than_that_it_failed():
    verdict = Verdict("limit", {"limit": "cpu_timeout", "problem": "the program used up its CPU time"})
    assert read_feedback(make_feedback("default", TASK, verdict).text) == read_feedback(FAILED)


# answers


@pytest.mark.parametrize("framework", ["qiskit", "pennylane", "cirq"])
@pytest.mark.parametrize("name", ["sim/novice", "sim/journeyman", "sim/expert", "sim/bernoulli?first=0.5&repair=0.5"])
def test_every_answer_says_that_it_is_simulated(name, framework):
    task = make_task(framework)
    for answer in answers(name, [first(task, seed) for seed in range(40)]):
        planted, _ = read_mark(answer)
        code = extract(answer, entry_point=task.entry_point, starter=task.starter).code
        if any(label.startswith("prose") for label in planted):
            assert code is None
        else:
            assert mark(planted) in code
            assert (code.startswith(task.reference)) == (planted == [])


def test_the_same_request_brings_the_same_answer():
    requests = [first(seed=seed) for seed in range(20)]
    assert answers("sim/journeyman", requests) == answers("sim/journeyman", requests)
    assert len(set(answers("sim/journeyman", requests))) > 5


def test_at_temperature_zero_the_seed_plays_no_part():
    assert len(set(answers("sim/novice", [first(seed=seed, temperature=0.0) for seed in range(10)]))) == 1


def test_what_is_unknown_is_null():
    completion = asyncio.run(create("sim").complete(first(seed=7)))
    assert completion.cost_usd is None
    assert completion.latency_seconds is None
    assert completion.params == {"temperature": 0.8, "seed": 7}
    assert completion.usage["completion_tokens"] == -(-len(completion.text) // 4)
    assert completion.usage["total_tokens"] == completion.usage["prompt_tokens"] + completion.usage["completion_tokens"]


def test_better_profiles_are_right_more_often():
    requests = [first(seed=seed) for seed in range(400)]
    novice, journeyman, expert = (
        sum(map(is_right, answers(f"sim/{name}", requests))) / 400 for name in ("novice", "journeyman", "expert")
    )
    assert 0.05 < novice < 0.25 < journeyman < 0.55 < expert < 0.85


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


# repairs


def test_a_traceback_helps_more_than_a_verdict():
    planted = ["undefined_name:0"]
    assert mended("sim", planted, traceback_of(TASK, planted)) > mended("sim", planted, FAILED) + 100


def test_its_own_output_helps_and_the_right_one_helps_more():
    planted = ["gate_dropped:3"]
    own = output_of(TASK)
    revealed = own + "\n\nExpected:\n\noutcome: probability\n001: 1.0000"
    counts = [mended("sim", planted, feedback) for feedback in (FAILED, own, revealed)]
    assert counts[0] + 30 < counts[1]
    assert counts[1] + 20 < counts[2]


def test_what_is_missing_is_soon_mended():
    feedback = make_feedback("default", TASK, Verdict("no_code", {"missing": "entry_point"})).text
    assert mended("sim", ["wrong_entry_point:1"], feedback) > 200


def test_the_traceback_of_another_program_is_worth_no_more_than_a_verdict():
    planted = ["undefined_name:0"]
    other = traceback_of(TASK, planted).replace("qpe_x_gate", "Bell_State")
    requests = [[repair(planted, text, seed=seed) for seed in range(100)] for text in (other, FAILED)]
    assert answers("sim", requests[0]) == answers("sim", requests[1])


def test_a_mistake_behind_another_stays_hidden():
    planted = ["gate_dropped:3", "undefined_name:0"]
    told = answers("sim", [repair(planted, traceback_of(TASK, planted), seed=seed) for seed in range(200)])
    left = [read_mark(answer)[0] for answer in told]
    assert sum("undefined_name:0" in labels for labels in left) < 80
    assert sum("gate_dropped:3" in labels for labels in left) > 160


@pytest.mark.parametrize("history", ["whole", "last"])
def test_the_last_answer_is_found_in_either_history(history):
    planted = ["undefined_name:0"]
    assert mended("sim", planted, FAILED, 100, history=history) < 40
    assert mended("sim", planted, traceback_of(TASK, planted), 100, history=history) > 50


def test_a_repair_sometimes_brings_in_a_new_mistake():
    told = answers("sim/novice", [repair(["gate_dropped:3"], output_of(TASK), seed=seed) for seed in range(200)])
    new = [answer for answer in told if set(read_mark(answer)[0]) - {"gate_dropped:3"}]
    assert 5 < len(new) < 60


def test_without_the_last_answer_it_draws_anew():
    requests = [replace(first(seed=seed), attempt=2) for seed in range(300)]
    assert 80 < sum(map(is_right, answers("sim", requests))) < 160


# sim/bernoulli


@pytest.mark.parametrize("p", [0.0, 0.03, 0.4])
def test_bernoulli_is_right_as_often_as_it_says(p):
    name = f"sim/bernoulli?first={p}&repair={1 - p}"
    at_first = sum(map(is_right, answers(name, (first(seed=seed) for seed in range(4000)))))
    requests = [repair(["undefined_global:0"], FAILED)]
    requests = [replace(requests[0], seed=seed) for seed in range(4000)]
    at_repair = sum(map(is_right, answers(name, requests)))
    for count, probability in ((at_first, p), (at_repair, 1 - p)):
        interval = binomtest(count, 4000).proportion_ci(0.999, method="exact")
        assert interval.low <= probability <= interval.high


def test_bernoulli_does_not_heed_what_it_is_told():
    name = "sim/bernoulli?first=0.5&repair=0.5"
    planted = ["undefined_name:0"]
    told, untold = (
        answers(name, [repair(planted, text, seed=seed) for seed in range(50)])
        for text in (traceback_of(TASK, planted), FAILED)
    )
    assert told == untold


def test_bernoulli_is_wrong_beyond_any_check():
    for answer in answers("sim/bernoulli?first=0&repair=0", [first(seed=seed) for seed in range(60)]):
        code = extract(answer, entry_point=TASK.entry_point, starter=TASK.starter).code
        if code is not None:
            with pytest.raises((ImportError, NameError, SyntaxError)):
                exec(compile(code, "candidate", "exec"), {})


# names and tasks that cannot be had


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
def test_a_name_that_means_nothing_is_refused_in_one_line(name):
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
def test_without_a_reference_it_says_that_it_cannot_solve_the_task(name, reference, framework):
    task = make_task(framework, reference=reference)
    given = answers(name, [first(task, seed) for seed in range(30)])
    assert len(set(given)) > 2
    for answer in given:
        assert f"no reference solution in {framework}: the simulated model cannot solve this task" in answer.lower()
        compile(extract(answer, entry_point=task.entry_point).code, "candidate", "exec")
