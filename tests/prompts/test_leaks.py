"""Redaction of tests, references and hidden inputs from everything that a program can print."""

import base64
import codecs
import random
import string
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts.compose import compose, compose_repair
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.feedback import POLICIES, Failure, PlaceboSource, Sources, asks, make_feedback, question
from repair_bench.prompts.feedback.donors import choose
from repair_bench.prompts.leaks import SHORTEST, marker, redact_secrets
from repair_bench.suites import aligned
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task
from repair_bench.testing import attempt
from repair_bench.traces.record.records import Completion, Outcome, Query, Verdict

TEST = """\
import numpy as np
from qiskit.quantum_info import Statevector


def check(candidate):
    wanted = {"0110": 0.125, "1001": 0.375, "1111": 0.5}
    for key, weight in wanted.items():
        assert candidate(key, [0.31, 1.47, 2.06]) == weight, f"wrong weight of outcome {key}"
    ladder = [3, 17, 29, 41, 58, 73, 96]
    assert candidate(ladder) is None, "a ladder has no weight"
"""
REFERENCE = '''\
import numpy as np


def answer(*given):
    """What the prompt says of the answer."""
    table = np.zeros(16)
    table[6], table[9], table[15] = 0.125, 0.375, 0.5
    return table[int(given[0], 2)] if len(given) > 1 else None
'''
PROMPT = 'Complete this:\nimport numpy as np\n\n\ndef answer(*given):\n    """What the prompt says of the answer."""\n'
CHECK = UnitTestCheck(test=TEST, function="check", passes_candidate=True, sealing=None)
TASK = Task("by hand", "01", "qiskit", "answer", PROMPT, "", CHECK, "algorithm", reference=REFERENCE)

FIND = """
def {name}(*args, **kwargs):
    found = []
{how}
    raise ValueError(max(found, key=len) if found else "found nothing")
"""
BY_GC = """\
    import gc
    for thing in gc.get_objects():
        if type(thing) is dict and type(thing.get("test")) is str:
            found.append(thing["test"])
"""
BY_FRAMES = """\
    import sys
    frame = sys._getframe()
    while frame:
        for thing in list(frame.f_locals.values()):
            request = getattr(thing, "_request", thing)
            if type(request) is dict and type(request.get("test")) is str:
                found.append(request["test"])
        frame = frame.f_back
"""
WAYS = {"gc": BY_GC, "frames": BY_FRAMES}

HUMANEVAL = (3, 28, 30, 34, 35, 37, 76, 82, 113, 115, 124, 135, 148)
KATAS = ("Measurements/2.2", "MagicSquareGame/2.2", *(f"TruthTables/{n}" for n in range(1, 11)))


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def lines(task: Task) -> list[str]:
    """Return the secrets: the letters of each long line of the test and the reference.

    Imports, definitions and text of the prompt are excluded.
    """
    known = letters(task.prompt + task.starter + task.check.preamble)
    whole = (task.check.test + "\n" + (task.reference or "")).splitlines()
    bare = (letters(line) for line in whole if not line.strip().startswith(("import ", "from ", "def ", "class ")))
    return [line for line in bare if len(line) >= 18 and line not in known]


def told(task: Task, verdict: Verdict, code: str, policy: str, history: str, donor: PlaceboSource | None = None) -> str:
    """Return everything that a model reads before the next attempt."""
    condition = Condition(feedback=policy, history=history)
    completion = Completion(f"```python\n{code}\n```")
    first = attempt("w", messages=compose(task, condition), completion=completion, code=code, verdict=verdict)
    text = make_feedback(policy, task, verdict, code=code, donor=donor).text
    return "\n".join(message["content"] for message in compose_repair(task, condition, [first], text))


def donor(task: Task, text: str) -> PlaceboSource:
    return PlaceboSource(task.suite, "another", task.framework, "another", "exception", "exception", text)


def raised(message: str) -> Verdict:
    traceback = f'Traceback (most recent call last):\n  File "solution.py", line 2, in answer\nValueError: {message}'
    return Verdict("exception", {"type": "ValueError", "message": message, "traceback": traceback})


def returned(text: str) -> Verdict:
    case = {"inputs": None, "hidden": False, "expected": None, "got": text, "distance": None, "mismatch": None}
    evidence = {
        "problem": f"{text} while processing the returned value.",
        "cases": [case],
        "assertion": f"AssertionError: {text}",
    }
    return Verdict("wrong_answer", {**evidence, "test_traceback": text})


FORMS = {
    "as it is": lambda text: text,
    "as repr shows it": repr,
    "as repr shows its repr": lambda text: repr(repr(text)),
    "on one line": lambda text: " ".join(text.split()),
    "without spaces": lambda text: "".join(text.split()),
    "in upper case": str.upper,
    "with other case": str.swapcase,
    "letter by letter": " ".join,
    "as a list of letters": lambda text: repr(list(text)),
    "as a list of lines": lambda text: repr(text.splitlines()),
    "line by line with numbers": lambda text: "\n".join(f"{n}: {line}" for n, line in enumerate(text.splitlines())),
    "reversed": lambda text: text[::-1],
    "in ROT13": lambda text: codecs.encode(text, "rot13"),
    "in hexadecimal digits": lambda text: text.encode().hex(),
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in wrapped base64": lambda text: repr(base64.encodebytes(text.encode())),
    "in base64 of which the beginning is cut": lambda text: base64.b64encode(text.encode()).decode()[3:],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", [TEST, REFERENCE, TEST[120:]], ids=["test", "reference", "a part of the test"])
def test_source_is_found_in_every_form(form, secret) -> None:
    text, count = redact_secrets(f"Traceback: my own words\n{FORMS[form](secret)}\nand mine again", TASK)
    assert count >= 1
    assert text.startswith("Traceback: my own words\n")
    assert text.endswith("\nand mine again")
    # text of the prompt and imports may stay
    left = text.replace(marker("text of the test"), "").replace(marker("text of the reference"), "")
    assert len(letters(left)) < len(letters("Traceback my own words and mine again")) + 100
    assert not any(line in letters(text) for line in lines(TASK))


@pytest.mark.parametrize("history", ["whole", "last"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["as it is", "as repr shows it", "on one line", "in upper case"])
def test_no_message_holds_a_line_of_test_or_reference(form, policy, history) -> None:
    for secret in (TEST, REFERENCE):
        text = FORMS[form](secret)
        for verdict in (raised(text), returned(text)):
            placebo = donor(TASK, verdict.evidence.get("traceback", text))
            read = told(TASK, verdict, "def answer(*given): ...", policy, history, placebo)
            assert not [line for line in lines(TASK) if line in letters(read)]


def attacked(task: Task, executor: LocalExecutor, way: str) -> tuple[Verdict, str]:
    code = FIND.format(name=task.entry_point, how=WAYS[way])
    return task.check.judge(task, run_to_end(executor.run(task.check.program(task, code)))), code


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_reads_its_test_tells_the_model_nothing(way, executor) -> None:
    verdict, code = attacked(TASK, executor, way)  # by the published rule, next to the test and without guards
    assert "wrong weight of outcome" in verdict.evidence["message"], "the attack reached the test"
    for policy in POLICIES:
        for history in ("whole", "last"):
            read = told(TASK, verdict, code, policy, history, donor(TASK, verdict.evidence["traceback"]))
            assert not [line for line in lines(TASK) if line in letters(read)], (policy, history)
    made = make_feedback("default", TASK, verdict, code=code)
    assert made.redacted == 1
    assert "raise ValueError(" in made.text, "its own line stays"
    assert marker("text of the test") in made.text


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("suite", "ids"), [("qiskit-humaneval", [f"qiskitHumanEval/{n}" for n in HUMANEVAL]), ("quantum-katas", KATAS)]
)
def test_the_published_tests_that_could_be_read_are_not(
    suite: str, ids: Sequence[str], way: str, executor: LocalExecutor, datasets: Path
) -> None:
    loaded = {task.id: task for task in run_to_end(suites.load(suite, data=datasets / suite)).tasks}
    for name in ids:
        task = loaded[name]
        verdict, code = attacked(task, executor, way)
        secret = raised(task.check.test)  # and as if every guard had failed
        for found in (verdict, secret) if verdict.kind != "pass" else (secret,):
            for policy in POLICIES:
                for history in ("whole", "last"):
                    read = told(task, found, code, policy, history, donor(task, found.evidence.get("traceback", "")))
                    assert not [line for line in lines(task) if line in letters(read)], (name, policy, history)


@pytest.mark.slow
def test_critics_and_commands_pass_no_secret_on() -> None:
    """In 5,000 made-up episodes a secret is planted in the verdict, in the critic's reply, and in the output.

    Reference code is not a secret in the reply of a critic, who has not seen the reference.
    """
    rng, secrets, planted = random.Random(20), (TEST, REFERENCE), 0
    for _ in range(5_000):
        secret = rng.choice(secrets)
        start = rng.randrange(len(secret) - 40)
        text = FORMS[rng.choice(list(FORMS))](secret[start : start + rng.randrange(40, 400)])
        policy, verdict = rng.choice(("critic", "tool")), rng.choice((raised, returned))(text)
        sources = Sources(replaces=rng.random() < 0.5, command="linter {file}")
        ran = Outcome("killed", stdout=f"program.py:1: {text}")
        code = "def answer(*given): ..."
        failure = Failure(verdict, code, sources=sources, ran=ran)
        asked = question(policy, TASK, failure) if asks(policy) else []
        reply = f"The test expects this: {text if secret is TEST else TEST}"
        critic = Query("critic", asked, Completion(reply)) if asked else None
        made = make_feedback(policy, TASK, verdict, code=code, sources=sources, critic=critic, ran=ran)
        read = "\n".join([*(message["content"] for message in asked), made.text])
        assert not [line for line in lines(TASK) if line in letters(read)], (policy, text)
        planted += made.redacted > 0
    assert planted > 3_500


def test_reference_code_in_the_reply_of_a_critic_is_kept() -> None:
    for text, kept in [(REFERENCE, True), (TEST, False)]:
        line = max(text.splitlines(), key=len).strip()
        critic = Query("critic", [], Completion(f"Write this: {line}"))
        made = make_feedback("critic", TASK, returned("1"), code="def answer(*given): ...", critic=critic)
        assert (line in made.text, made.redacted == 0) == (kept, kept), made.text


WORDS = random.Random(0)
SECRET = " ".join("".join(WORDS.choices(string.ascii_lowercase, k=WORDS.randrange(1, 9))) for _ in range(80))
SECRET_TASK = Task(
    "by hand", "02", "python", "answer", "say it", "", UnitTestCheck(test=SECRET, function=None), "algorithm"
)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    st.text(max_size=80), st.integers(0, len(SECRET)), st.integers(0, len(SECRET)), st.text(max_size=80),
    st.sampled_from([name for name in FORMS if "base64" not in name and "hexadecimal" not in name]),
)  # fmt: skip
def test_no_run_of_a_secret_is_left(before, start, end, after, form) -> None:
    piece = SECRET[start:end]
    text, count = redact_secrets(before + " " + FORMS[form](piece) + " " + after, SECRET_TASK)
    secret, read = letters(SECRET), letters(text)
    runs = {secret[at : at + SHORTEST] for at in range(len(secret) - SHORTEST + 1)}
    assert not [at for at in range(len(read)) if read[at : at + SHORTEST] in runs]
    assert count <= len(text)
    if len(letters(piece)) >= SHORTEST and form != "line by line with numbers":
        assert count >= 1


@pytest.mark.slow
@given(st.text(max_size=400))
def test_text_without_secrets_is_unchanged(text) -> None:
    assert redact_secrets(text, TASK) == (text, 0)


HONEST = (
    "NameError: name 'candidate' is not defined",
    "ModuleNotFoundError: No module named 'qiskit.quantum_info.states'",
    "ImportError: cannot import name 'Statevektor' from 'qiskit.quantum_info' (qiskit/quantum_info/__init__.py)",
    "    import numpy as np\n    from qiskit.quantum_info import Statevector",
    "TypeError: answer() takes 1 positional argument but 2 were given",
    "IndexError: index 16 is out of bounds for axis 0 with size 16",
    "outcome: probability\n0110: 0.2500\n1001: 0.3750\n1111: 0.3750",
    "[0.31, 0.5, 2.06]\n[3, 17, 29]",
    'def answer(*given):\n    """What the prompt says of the answer."""',
)


@pytest.mark.parametrize("text", HONEST)
def test_output_of_honest_programs_is_unchanged(text) -> None:
    assert redact_secrets(text, TASK) == (text, 0)


def test_lines_that_program_and_reference_share_are_kept() -> None:
    line = "    table[6], table[9], table[15] = 0.125, 0.375, 0.5"
    text = f"  File \"solution.py\", line 2, in answer\n{line}\nNameError: name 'table' is not defined"
    assert redact_secrets(text, TASK, f"def answer(*given):\n{line}\n") == (text, 0)
    assert redact_secrets(text, TASK)[1] == 1


def test_long_names_and_words_of_templates_are_kept() -> None:
    test = (
        "# the function prepare_the_state_of_three_qubits\ndef check(c):\n    a = prepare_the_state_of_three_qubits()\n"
    )
    check = UnitTestCheck(test=test, function="check")
    task = Task("by hand", "03", "python", "answer", "", "", check, "algorithm")
    text = "Your program does not define the function `prepare_the_state_of_three_qubits`.\n\nAnswer with the whole."
    assert redact_secrets(text, task) == (text, 0)


def test_only_its_policy_shows_the_text_of_an_assertion() -> None:
    said = "AssertionError: wrong weight of outcome 0110 a ladder has no weight [3, 17, 29, 41, 58, 73, 96]"
    for policy in POLICIES:
        shown = make_feedback(policy, TASK, returned(said), code="", donor=donor(TASK, said)).text
        assert ("wrong weight of outcome 0110" in shown) == (policy == "expected")
        assert ("58, 73, 96" in shown) == (policy == "expected")


HIDDEN = [
    (task, case.args) for task in aligned.load(frameworks=["qiskit"]).tasks for case in task.check.cases if case.hidden
]
LAYOUTS = {
    "repr": repr,
    "printed with spaces": lambda args: repr(args).replace(",", " "),
    "as numpy shows numbers": lambda args: repr(args).replace("[", "[np.float64(").replace(", ", "), np.float64("),
    "over lines": lambda args: repr(args).replace(", ", ",\n\t"),
    "in an escaped text": lambda args: repr(f"called\nwith\n{args!r}\n"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("number", ["03", "04", "06", "07", "10", "12", "23", "25", "26", "35", "39", "40", "41", "42"])
def test_hidden_inputs_are_taken_out(number, layout) -> None:
    for task, args in HIDDEN:
        if task.id == number:
            made = make_feedback("default", task, raised(f"called with {LAYOUTS[layout](args)}"), code="")
            assert made.redacted == 1, made.text
            assert marker("hidden input") in made.text


def test_inputs_that_are_shown_stay() -> None:
    for task in {id(task): task for task, _ in HIDDEN}.values():
        for case in task.check.cases:
            if not case.hidden:
                made = make_feedback("default", task, raised(f"called with {case.args!r}"), code="")
                assert repr(case.args) in made.text
                assert made.redacted == 0


def test_a_placebo_is_redacted_for_both_tasks() -> None:
    other = PlaceboSource(
        "by hand", "09", "python", "other", "exception", "exception", "[redacted: text of the test]", 1
    )
    made = make_feedback("shuffled", TASK, raised("no"), donor=other)
    assert (made.text, made.redacted, made.donor) == (other.text, 1, "by hand/09")
    leaking = donor(TASK, f"ValueError: {REFERENCE}")
    made = make_feedback("shuffled", TASK, raised("no"), donor=leaking)
    assert made.redacted == 1
    assert choose([leaking], TASK, raised("no"), "a") is leaking


def test_policies_that_show_nothing_count_nothing() -> None:
    for policy in ("none", "verdict"):
        assert make_feedback(policy, TASK, raised(TEST), code="").redacted == 0


@pytest.mark.slow
def test_the_time_is_linear_in_the_length_of_the_text() -> None:
    rng = random.Random(1)
    text = "".join(rng.choices(TEST + "\\nrt==++  " + string.digits, k=200_000))
    for hostile in (text, "\\" * 200_000, "0.5," * 50_000, "3 " * 100_000, "A" * 200_000, TEST * 400):
        begun = time.process_time()
        redact_secrets(hostile, TASK)
        assert time.process_time() - begun < 5
