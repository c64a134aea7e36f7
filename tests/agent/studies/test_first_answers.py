"""First answers from a file: every model and arm repairs the same failures."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import Done

from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.beginnings import stored_answers
from repair_bench.agent.experiment.feasibility import check_settings
from repair_bench.agent.experiment.plan import plan
from repair_bench.suites.task import Suite
from repair_bench.testing.made_up_runs import load_run
from repair_bench.traces.faults import UsageError

pytestmark = pytest.mark.usefixtures("lent")

RIGHT, WRONG = "sim/bernoulli?first=0&repair=1", "sim/bernoulli?first=0&repair=0"
SMALL = {"frameworks": ["qiskit"], "limit": 2, "max_attempts": 1}
Command = Callable[..., Done]


@pytest.fixture
def answers(suite: Suite, tmp_path: Path) -> Path:
    """Ten answers: to each of three problems a right one and two without code, and one in another framework."""
    tasks = [task for task in suite.tasks if task.framework == "qiskit"][:3]
    lines: list[dict[str, Any]] = []
    for task in tasks:
        named = {"task_id": task.id, "framework": "qiskit"}
        lines.append({**named, "code": task.reference})
        lines.append({**named, "code": f"def {task.entry_point}(*given):\n    return missing\n"})
        lines.append({**named, "completion": "I do not know.", "model": RIGHT})
    lines.append({"task_id": tasks[0].id, "framework": "cirq", "code": ""})
    file = tmp_path / "answers" / "stored.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture
def made(cli: Command, answers: Path, tmp_path: Path) -> Path:
    """A run of two models and two arms; its experiment file names the file of answers relative to itself."""
    experiment = answers.with_name("experiment.toml")
    models = f"models = [{RIGHT!r}, {WRONG!r}]\n"
    listed = "".join(f"{name} = {json.dumps(value)}\n" for name, value in SMALL.items())
    arms = '[repair]\nfeedback = ["default", "verdict"]\n'
    experiment.write_text(f'first_answers = "stored.jsonl"\n{models}{listed}{arms}')
    done = cli("run", str(experiment), "--out", "made")
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.split())
    assert "STORED FIRST ANSWERS: of 6 answers, 4 failed; the rates cover only repairs of these failures." in shown
    assert "4 other answers to tasks outside this run" in shown
    return tmp_path / "made"


@pytest.mark.slow
def test_all_models_and_arms_repair_the_same_failures(made: Path, cli: Command) -> None:
    manifest, attempts = load_run(made)
    firsts = [a for a in attempts if a.attempt == 0]
    assert len(firsts) == 4 * 2 * 2
    repairers = {a.id: set() for a in firsts}
    for first in firsts:
        repairers[first.id].add((first.model, first.condition.partition("@")[0]))
        assert not first.passed
        assert first.condition.endswith(f"@{first.writer or first.model}")
        assert first.completion is not None
        assert (first.completion.cost_usd, first.completion.tokens("prompt_tokens")) == (0.0, 0)
    assert list(repairers.values()) == [{(m, c) for m in (RIGHT, WRONG) for c in ("default", "verdict")}] * 4
    assert {a.writer for a in firsts} == {"stored", RIGHT, None}
    assert {a.passed for a in attempts if a.attempt == 1 and a.model == RIGHT} == {True}
    assert {a.passed for a in attempts if a.attempt == 1 and a.model == WRONG} == {False}
    assert manifest.experiment["first_answers"] == "stored.jsonl"
    assert str(made.parent) not in (made / "run.json").read_text()
    verified = cli("verify", "made", "--sample", "3")
    assert verified.returncode == 0, verified.stdout
    compared = cli("compare", WRONG, RIGHT, "--by", "model", "--in", "made", "--json")
    assert json.loads(compared.stdout)["pairs"] == 4 * 2


@pytest.mark.slow
def test_resumption_reads_the_copies_and_no_file(made: Path, cli: Command, answers: Path) -> None:
    whole = (made / "attempts.jsonl").read_text().splitlines(keepends=True)
    answers.write_text("changed\n")
    for again in (("run", "--resume", "made"), ("run", str(answers.with_name("experiment.toml")), "--resume", "made")):
        (made / "attempts.jsonl").write_text("".join(whole[:5]))
        assert cli(*again).returncode == 0
        lines = (made / "attempts.jsonl").read_text().splitlines()
        assert {json.loads(line)["id"] for line in lines} == {json.loads(line)["id"] for line in whole}
        answers.unlink(missing_ok=True)
    refused = cli("run", "made/experiment.toml", "--out", "other")
    assert refused.returncode == 2
    assert "a run must not set addresses, keys, programs or files: first_answers" in refused.stderr
    assert "remove first_answers" in cli("fork", "made", "--all", "-c", "first_answers=x", "--out", "other").stderr
    assert cli("fork", "made", "--all", "--model", RIGHT, "--feedback", "none", "--out", "forked").returncode == 0
    assert load_run(made.parent / "forked")[0].experiment["first_answers"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda copy: copy["completion"].update(text="I know."), "does not match its content"),
        (
            lambda copy: copy["messages"][-1].update(content="Prepare a state."),
            "differs from the initial prompt of its task",
        ),
    ],
    ids=["answer", "prompt"],
)
def test_changed_copies_are_contradicted(made: Path, cli: Command, change: Callable[[Any], None], says: str) -> None:
    for name in ("origin.jsonl", "attempts.jsonl"):  # both, so that they agree
        lines = [json.loads(line) for line in (made / name).read_text().splitlines()]
        rows = [line[0] if isinstance(line, list) else line for line in lines]
        for row in rows:
            if row["attempt"] == 0:
                change(row)
        (made / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    verified = cli("verify", "made", "--sample", "0")
    assert verified.returncode == 1
    assert says in " ".join(verified.stdout.split())


@pytest.mark.slow
def test_right_answers_leave_nothing_to_repair(cli: Command, answers: Path) -> None:
    lines = answers.read_text().splitlines()
    answers.write_text(lines[0] + "\n" + lines[3] + "\n")
    small = ("--framework", "qiskit", "--limit", "2")
    done = cli("run", "-c", f"first_answers={answers}", "--model", RIGHT, *small, "--out", "made")
    assert done.returncode == 2
    assert "has nothing to repair: of 2 answers to the chosen tasks, none failed" in done.stderr
    assert not Path("made").exists()


def test_plan_counts_the_repairs_of_every_answer(answers: Path) -> None:
    fields = {
        **SMALL,
        "models": [RIGHT, WRONG],
        "first_answers": str(answers),
        "repair": {"feedback": ["default", "none"]},
    }
    made = plan(settings.experiment(fields), None)
    assert [model["first_answers"] for model in made["models"]] == [0, 0]
    assert [model["calls"] for model in made["models"]] == [{"least": 0, "most": 6 * 2}] * 2
    assert [model["episodes"] for model in made["models"]] == [12, 12]
    assert made["conditions"] == [f"{arm}@{by}" for by in ("stored", RIGHT) for arm in ("default", "none")]
    assert {row["k"] for row in made["power"]["comparisons"]} == {1}


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"prompt": {"system": "minimal"}}, "the condition minimal changes system: remove"),
        ({"prompt": {"few_shot": [0, 1]}}, "changes few_shot: remove"),
        ({"tools": {"python": [0, 2]}}, "changes tools: remove"),
        ({"suites": ["aligned", "conventions"]}, "with only one suite"),
        ({"samples": 2, "temperature": {"first": 1.0}}, "remove the setting `samples`"),
        ({"max_attempts": 0}, "set max_attempts above 0"),
        ({"repair": {"stop": "value"}}, "remove repair.stop"),
    ],
)
def test_useless_settings_of_stored_answers_are_refused(fields: Mapping[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        check_settings(settings.experiment({"first_answers": "answers.jsonl", **fields}))
    taken = {"prompt": {"max_completion_tokens": 500, "reasoning_effort": "low"}, "tools": {"python": 2}}
    check_settings(settings.experiment({"first_answers": "answers.jsonl", **taken}))


@pytest.mark.parametrize("model", ["", " ", 3, "a\nb"])
def test_model_of_an_answer_has_to_be_a_name(answers: Path, suite: Suite, model: object) -> None:
    experiment = settings.experiment({**SMALL, "first_answers": str(answers)})
    line = json.loads(answers.read_text().splitlines()[0])
    answers.write_text(json.dumps({**line, "model": None}) + "\n")
    ((_, answer),), _ = stored_answers(experiment, [suite])
    assert answer.model == "stored"
    answers.write_text(json.dumps({**line, "model": model}) + "\n")
    with pytest.raises(UsageError, match='"model" in answer 1 is not a model name'):
        stored_answers(experiment, [suite])
