"""The framework of the how-to page, added by another package, in an episode with real children."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models.sim import mistakes as sim_mistakes
from repair_bench.coroutines import run_to_end
from repair_bench.executors.interpreters import versions
from repair_bench.executors.local import LocalExecutor
from repair_bench.frameworks import FRAMEWORKS, Framework, register
from repair_bench.grading.audit.trivial_baselines import FIXED, trivial_baselines
from repair_bench.prompts.condition import Condition
from repair_bench.suites import aligned
from repair_bench.suites.mutations import mutants
from repair_bench.suites.mutations.mistakes import MISTAKES, plant
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import UsageError

PAGE = Path(__file__).parents[2] / "docs/how-to/add-a-framework.md"


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Framework]:
    """Register the page's framework with its adapter during a test."""
    definition, adapter = re.findall(r"```python [^\n]*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "their_package" / "numpy_framework.py"
    (file.parent / "guest").mkdir(parents=True)
    file.write_text(definition)
    (file.parent / "guest" / "numpy_adapter.py").write_text(adapter)
    spec = importlib.util.spec_from_file_location("numpy_framework", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    register(module.FRAMEWORK)
    yield module.FRAMEWORK
    del FRAMEWORKS[module.FRAMEWORK.name]


@pytest.fixture
def suite(toy: Framework, tmp_path: Path) -> Suite:
    """Load the page's task from a file."""
    (line,) = re.findall(r"```json [^\n]*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "tasks.jsonl").write_text(line)
    return run_to_end(suites.load("jsonl", data=tmp_path / "tasks.jsonl"))


@pytest.fixture
def task(suite: Suite) -> Task:
    (task,) = suite.tasks
    return task


def answer(source: str) -> str:
    return f"```python\n{source}```"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "verdict", "shown"),
    [
        ("import numpy as np\n\ndef bell():\n    return np.array([1, 0, 0, 0])\n", "wrong_answer", "|00>"),
        ("import numpy as np\n\ndef bell():\n    return np.amplitudes(2)\n", "exception", "AttributeError"),
    ],
)
def test_an_episode_runs_in_an_added_framework(
    task: Task, tmp_path: Path, wrong: str, verdict: str, shown: str
) -> None:
    model = ScriptedModel([answer(wrong), answer(task.reference)])
    episode = PlannedEpisode(model.name, task, "1", Condition(system="detailed"), 0)
    result, attempts, _ = drive(tmp_path / "run", [episode], [model])
    assert [(a.framework, a.verdict.kind) for a in attempts] == [("numpy", verdict), ("numpy", "pass")]
    assert shown in attempts[1].feedback.text
    assert "NumPy" in attempts[0].messages[0]["content"]
    assert (result.pending, result.faults) == (0, 0)


def test_its_interpreter_reports_its_versions(toy: Framework) -> None:
    assert set(versions("numpy", Path(sys.executable))) == {"python", "numpy"}


def test_experiments_and_suites_accept_it_while_registered(toy: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Experiment(frameworks="numpy").frameworks == ("numpy",)
    assert Experiment().frameworks == ("qiskit", "pennylane", "cirq")
    monkeypatch.delitem(FRAMEWORKS, "numpy")
    with pytest.raises(ValueError, match="Input should be 'qiskit', 'pennylane', 'cirq' or 'openqasm3'"):
        Experiment(frameworks="numpy")
    with pytest.raises(
        UsageError, match="there is no framework named 'numpy': choose from qiskit, pennylane, cirq, openqasm3"
    ):
        run_to_end(suites.load("aligned", frameworks=["numpy"]))


def test_the_built_in_suite_is_unchanged(toy: Framework) -> None:
    assert {task.framework for task in aligned.load().tasks} == {"qiskit", "pennylane", "cirq"}


@pytest.mark.slow
def test_analyses_of_programs_work_without_a_program_class(task: Task, executor: LocalExecutor) -> None:
    """Mutations, planted errors, trivial baselines and the simulated model work without a program class."""
    assert {mutant.kind for mutant in mutants(task.reference, "numpy")} >= {"operator_changed", "return_forgotten"}
    wrong = [plant(name, task.reference, "numpy", "bell", variant) for name in MISTAKES for variant in range(3)]
    assert task.reference not in wrong
    assert tuple(trivial_baselines(task)) == tuple(FIXED)
    planted = sim_mistakes.planted_source(task, ["qubit_out_of_range:0"])
    outcome = run_to_end(executor.run(task.check.program(task, planted)))
    assert outcome.exception.type == "IndexError"


def test_a_name_can_be_registered_once(toy: Framework) -> None:
    with pytest.raises(ValueError, match="a framework named 'numpy' already exists"):
        register(toy)
