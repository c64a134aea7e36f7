"""Labels of the suites, which agree with the counts in the documentation."""

import re
from collections import Counter
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.suites.task import Suite
from repair_bench.traces.record.labels import DOUBTS

DOCS = Path(__file__).parents[2] / "docs" / "methods.md"


def loaded(name: str, datasets: Path) -> Suite:
    published = name not in {"aligned", "conventions"}
    data = datasets / name.removesuffix("-hard") if published else None
    return run_to_end(suites.load(name, data=data, frameworks=["qiskit"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["aligned", "conventions", "quanbench-plus", "qiskit-humaneval", "qiskit-humaneval-hard", "quantum-katas"]
)
def test_the_documentation_counts_the_labels_and_the_sound_tasks(name: str, datasets: Path) -> None:
    suite = loaded(name, datasets)
    labels = Counter(label for task in suite.tasks for label in task.labels)
    counts = [len(suite.tasks), *(labels[label] for label in (*DOUBTS, "excluded")), sum(t.sound for t in suite.tasks)]
    row = re.search(rf"^\| `{name.removesuffix('-hard')}`.*?\|(.*)\|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert row is not None
    assert [int(cell) for cell in row[1].split("|")] == counts


@pytest.mark.slow
def test_each_label_has_its_evidence(datasets: Path) -> None:
    for name in ("quanbench-plus", "qiskit-humaneval", "quantum-katas"):
        suite = loaded(name, datasets)
        for task in suite.tasks:
            assert not task.wrong or task.errata, task.id
            assert len(set(task.weak)) == len(task.weak)
        assert any(task.weak for task in suite.tasks)
