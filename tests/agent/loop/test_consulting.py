"""Critics, tool diagnostics, questions, probes, and histories through the real loop."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models.base import Request
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts import probe, tools
from repair_bench.prompts.compose import closest
from repair_bench.prompts.condition import Condition
from repair_bench.suites import aligned, conventions
from repair_bench.suites.checks import questions
from repair_bench.suites.task import Suite, Task
from repair_bench.testing import attempt
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import Answer, ScriptedModel
from repair_bench.traces.faults import ContextFull, ModelError, UsageError
from repair_bench.traces.record.records import Attempt, Verdict

RAISES = "```python\nimport os\nraise ValueError('planned')\n```"
CLOSING = "Fix the program and reply with the complete corrected program in one Python code block."


@pytest.fixture
def run(tmp_path: Path, executor: LocalExecutor) -> Callable[..., tuple[list[Attempt], ScriptedModel]]:
    """Take one task through the loop in a new run, or resume the run."""

    def start(
        script: Callable[[Request], Answer] | list[Answer],
        suite: Suite,
        *,
        other: Callable[[Request], Answer] | None = None,
        **settings: Any,
    ) -> tuple[list[Attempt], ScriptedModel]:
        planned = Experiment(models=("scripted/test",), frameworks=("qiskit",), limit=1, **settings)
        model = ScriptedModel(script)
        models = [model] if other is None else [model, ScriptedModel(other, name="scripted/critic")]
        resume = (tmp_path / "run.json").exists()
        _, attempts, _ = drive(
            tmp_path, planned.episodes([suite]), models, resume=resume, executor=executor, experiment=planned
        )
        return attempts, models[-1]

    return start


def by_role(answer: Answer, **others: Answer) -> Callable[[Request], Answer]:
    return lambda request: others.get(request.role, answer)


@pytest.mark.slow
def test_repair_sees_the_feedback_and_the_analysis(run, suite) -> None:
    script = by_role(RAISES, critic="Define the function.")
    attempts, model = run(script, suite, max_attempts=1, repair={"feedback": "critic"})
    shown = attempts[1].messages[-1]["content"]
    assert "ValueError: planned" in shown
    assert shown.endswith(f"An analysis of the failure:\n\nDefine the function.\n\n{CLOSING}")
    asked = next(request for request in model.requests if request.role == "critic")
    assert "raise ValueError('planned')" in asked.messages[1]["content"]
    assert CLOSING not in asked.messages[1]["content"]
    query = attempts[1].feedback.critic
    assert (query.model, query.messages, query.completion.text) == (
        *("scripted/test", asked.messages),
        "Define the function.",
    )


def test_another_model_may_be_the_critic(run, suite) -> None:
    settings = {"repair": {"feedback": "critic"}, "critic": {"model": "scripted/critic", "sees": ["program"]}}
    attempts, critic = run([RAISES], suite, other=lambda _: "Look at line 2.", max_attempts=1, **settings)
    assert [request.role for request in critic.requests] == ["critic"]
    assert attempts[0].messages[-1]["content"] not in critic.requests[0].messages[1]["content"]
    assert "planned" not in critic.requests[0].messages[1]["content"].replace("raise ValueError('planned')", "")
    assert attempts[1].feedback.critic.model == "scripted/critic"


def test_analysis_can_replace_the_feedback(run, suite) -> None:
    settings = {"repair": {"feedback": "critic"}, "critic": {"replaces": True}}
    attempts, _ = run(by_role(RAISES, critic="Define it."), suite, max_attempts=1, **settings)
    assert attempts[1].messages[-1]["content"] == (
        f"Your answer is incorrect.\n\nAn analysis of the failure:\n\nDefine it.\n\n{CLOSING}"
    )


@pytest.mark.parametrize("reply", ["", ContextFull("too long")])
def test_without_an_analysis_the_default_feedback_remains(reply, run, suite) -> None:
    attempts, _ = run(by_role(RAISES, critic=reply), suite, max_attempts=1, repair={"feedback": "critic"})
    assert "analysis" not in attempts[1].messages[-1]["content"]
    assert attempts[1].feedback.text.startswith("Your program raised an exception")


def test_critics_fault_leaves_the_episode_pending(run, suite) -> None:
    failing = by_role(RAISES, critic=ModelError("no answer"))
    attempts, _ = run(failing, suite, max_attempts=1, repair={"feedback": "critic"})
    assert [a.fault.boundary if a.fault else a.verdict.kind for a in attempts] == ["exception", "model"]
    assert attempts[1].feedback is None
    attempts, model = run(by_role(RAISES, critic="Define it."), suite, max_attempts=1, repair={"feedback": "critic"})
    assert [request.role for request in model.requests] == ["critic", "answer"]
    assert attempts[-1].feedback.critic.completion.text == "Define it."


def test_answered_critic_is_not_queried_again(run, suite) -> None:
    def lost(request: Request) -> Answer:
        return "Define it." if request.role == "critic" else ModelError("lost") if request.attempt else RAISES

    run(lost, suite, max_attempts=1, repair={"feedback": "critic"})
    _, model = run(by_role(RAISES, critic="Something else."), suite, max_attempts=1, repair={"feedback": "critic"})
    assert [request.role for request in model.requests] == ["answer"]
    assert "Define it." in model.requests[0].messages[-1]["content"]


def test_output_of_the_command_is_shown(run, suite) -> None:
    command = "python -m py_compile {file}"
    broken = "```python\ndef answer(:\n    pass\n```"
    attempts, _ = run([broken], suite, max_attempts=1, repair={"feedback": "tool", "command": command})
    shown = attempts[1].feedback.text
    assert f"Output of `{command}`:" in shown
    assert "SyntaxError" in shown.partition("Output of")[2]
    assert shown.endswith(CLOSING)
    assert attempts[1].feedback.ran.stdout.strip() in shown


def test_command_without_output_is_reported(run, suite) -> None:
    repair = {"feedback": "tool", "command": "python -m py_compile {file}"}
    attempts, _ = run([RAISES], suite, max_attempts=1, repair=repair)
    assert "(no output)" in attempts[1].feedback.text


@pytest.mark.parametrize("command", ["no-such-linter {file}", "python -m no_such_linter {file}"])
def test_absent_command_stops_the_run(command, run, suite) -> None:
    with pytest.raises(UsageError, match="not installed in the environment"):
        run([RAISES], suite, max_attempts=1, repair={"feedback": "tool", "command": command})


def test_restart_drops_the_conversation(run, suite) -> None:
    attempts, _ = run([RAISES], suite, max_attempts=4, repair={"restart": 1})
    lengths = [len(a.messages) for a in attempts]
    assert lengths == [2, 4, 2, 4, 2]
    assert attempts[2].messages == attempts[0].messages
    assert [a.feedback and a.feedback.policy for a in attempts] == [None, "default", "none", "default", "none"]


def judged(number: int, far: float | None, kind: str = "wrong_answer", after: str | None = None) -> Attempt:
    cases = [{"hidden": False, "distance": {"tv": far}}, {"hidden": True, "distance": {"tv": 0.0}}]
    evidence = {"cases": cases} if far is not None else {}
    return attempt("w", attempt=number, verdict=Verdict(kind, evidence))


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([("wrong_answer", 0.5), ("wrong_answer", 0.2), ("wrong_answer", 0.4)], 1),
        ([("wrong_answer", 0.5), ("wrong_answer", 0.5)], 1),
        ([("wrong_answer", 0.9), ("exception", None), ("no_code", None)], 0),
        ([("no_code", None), ("exception", None)], 1),
    ],
)
def test_closest_attempt_by_visible_distance(history, expected) -> None:
    attempts = [judged(number, far, kind) for number, (kind, far) in enumerate(history)]
    assert closest(attempts, Condition(history="best")) is attempts[expected]


def wrong(number: int, far: list[float | None], hidden: int = 0) -> Attempt:
    cases = [{"hidden": False, "distance": None if one is None else {"tv": one}} for one in far]
    cases += [{"hidden": True, "distance": {"tv": 1.0}}] * hidden
    return attempt("w", attempt=number, verdict=Verdict("wrong_answer", {"cases": cases}))


@pytest.mark.parametrize(
    ("closer", "farther"),
    [
        (wrong(0, [], hidden=1), wrong(1, [0.0])),
        (wrong(0, [0.5]), wrong(1, [0.45] * 4)),
        (wrong(0, [0.45, 0.45], hidden=3), wrong(1, [0.5, None])),
        (wrong(0, [0.9]), wrong(1, [None])),
        (wrong(0, [None]), attempt("w", attempt=1, verdict=Verdict("exception"))),
    ],
    ids=["wrong only in hidden cases", "fewer wrong cases", "all measured", "measured", "a wrong answer"],
)
def test_closest_attempt_by_all_visible_cases(closer, farther) -> None:
    assert closest([closer, farther], Condition(history="best")) is closer


def test_closest_attempt_is_of_this_conversation() -> None:
    attempts = [judged(number, far) for number, far in enumerate([0.1, 0.5, 0.4])]
    assert closest(attempts, Condition(history="best", restart=1)) is attempts[2]


def test_best_history_shows_the_closest_attempt_and_its_feedback(run, suite) -> None:
    wrong = "```python\nfrom qiskit import QuantumCircuit\n\n\ndef {}(*args):\n    return QuantumCircuit({})\n```"
    task = next(task for task in suite.tasks if task.framework == "qiskit")
    qubits = task.check.qubits or 1
    script = [wrong.format(task.entry_point, qubits), RAISES, RAISES]
    attempts, _ = run(script, suite, max_attempts=2, repair={"history": "best"})
    assert [a.verdict.kind for a in attempts] == ["wrong_answer", "exception", "exception"]
    for repair in attempts[1:]:
        assert attempts[0].code.strip() in repair.messages[-1]["content"]
        assert "its result is incorrect" in repair.messages[-1]["content"]
    assert "ValueError: planned" in attempts[2].feedback.text


@pytest.fixture(scope="module")
def turning() -> Task:
    """A task with one parameter and hidden inputs."""
    tasks = aligned.load(frameworks=["qiskit"]).tasks
    return next(t for t in tasks if questions.can_ask(t) and any(c.hidden and c.args for c in t.check.cases))


def test_model_may_ask_for_the_correct_output(run, suite) -> None:
    task = next(task for task in suite.tasks if task.framework == "qiskit")
    example = ", ".join(map(repr, task.check.cases[0].args))
    script = [f"```ask\n{example}\n```", RAISES]

    def answer(request: Request) -> Answer:
        return script[min(request.step, 1)]

    attempts, model = run(answer, suite, max_attempts=0, tools={"ask": 1})
    reply = model.requests[1].messages[-1]["content"]
    assert reply.startswith("Correct output for input (")
    assert reply.endswith("Questions left: 0. Give your final answer.")
    assert (attempts[0].questions, attempts[0].executions) == (1, 0)
    assert attempts[0].steps[0]["runs"][0]["tool"] == "ask"


def answers_to(task: Task, text: str, executor: LocalExecutor) -> Any:
    asked = questions.question(task, text)
    return asked if isinstance(asked, str) else questions.answer(task, run_to_end(executor.run(asked)))


def test_hidden_inputs_are_refused(turning, executor) -> None:
    for case in turning.check.cases:
        text = ", ".join(map(repr, case.args))
        assert (answers_to(turning, text, executor) == questions.HIDDEN) is case.hidden


@pytest.mark.parametrize("text", ["1, 2, 3, 4, 5, 6, 7", "(", "open('/etc/passwd')", "9" * 5_000, "[" * 3_000])
def test_malformed_questions_get_a_sentence(text, turning) -> None:
    assert isinstance(questions.question(turning, text), str)


def test_input_outside_the_domain_has_no_output(turning, executor) -> None:
    refusing = replace(turning, reference="def grover_search_oracle_00(*args):\n    raise ValueError('secret')\n")
    assert answers_to(refusing, "'nonsense'", executor) is None


def test_question_beyond_the_limit_is_refused(turning) -> None:
    call = tools.ToolCall(None, "ask", "1")
    assert "No questions left" not in str(tools.program(turning, call, 1))
    assert "No questions left" in str(tools.program(turning, call, 0))


@pytest.mark.parametrize("family", ["fourier", "controlled_rotation", "phase_estimation"])
def test_answers_on_conventions_follow_the_hidden_choice(family, executor) -> None:
    suite = conventions.load(name=f"conventions?bits=2&seed=5&families={family}", frameworks=["qiskit"])
    task = suite.tasks[0]
    for case in task.check.cases:
        asked = questions.question(task, ", ".join(map(repr, case.args)))
        assert not isinstance(asked, str)
        outcome = run_to_end(executor.run(asked))
        assert task.check.compare(case, outcome.value["cases"][0], "qiskit").problem is None


def test_probe_is_recorded_and_not_continued(run) -> None:
    suite = conventions.load(name="conventions?bits=2&seed=5&families=fourier", frameworks=["qiskit"])
    script = by_role(RAISES, probe="sign: plus\n- input : LAST\noutput: neither")
    attempts, model = run(script, suite, max_attempts=2, repair={"probe": True})
    probes = [request for request in model.requests if request.role == "probe"]
    assert [a.probe is not None for a in attempts] == [False, True, True]
    assert probes[0].messages[-1]["content"].startswith(attempts[1].messages[-1]["content"])
    assert all("state which conventions hold" not in str(a.messages) for a in attempts)
    assert probe.choice(suite.tasks[0], attempts[1].probe.completion.text) == {"sign": "plus", "input": "last"}


def test_probe_needs_open_conventions(task) -> None:
    assert probe.question(task) is None
