"""The benchmarks accept the options of `make bench`, and write their figures to one file."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from benchmark import benchmark

from repair_bench.report.plots import KINDS
from repair_bench.suites.task import Suite

FOLDER = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if "def main()" in path.read_text())

pytestmark = pytest.mark.slow


def run(script: str, *options: str) -> str:
    command = [sys.executable, FOLDER / f"{script}.py", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_benchmark_documents_itself_and_has_common_options(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run in this process, which has already imported most of their dependencies."""
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(sys, "argv", [f"{script}.py", "--help"])
    with pytest.raises(SystemExit) as end:
        benchmark(script).main()
    assert end.value.code == 0
    told = capsys.readouterr().out
    assert all(option in told for option in ("--quick", "--json"))
    assert len(told.split("\n\n")) >= 3
    (ending,) = re.findall(r'\nif __name__ == "__main__":\n(.+)', (FOLDER / f"{script}.py").read_text())
    assert "main()" in ending


def test_make_bench_names_every_script() -> None:
    makefile = (FOLDER.parent / "Makefile").read_text()
    bench = makefile.split("bench:")[1].split("\nformat:")[0]
    (listed,) = re.findall(r"for name in (.+?); do", bench)
    assert sorted(words[0] for words in map(str.split, shlex.split(listed))) == SCRIPTS


def test_figures_are_appended_to_one_file(tmp_path: Path) -> None:
    file = tmp_path / "figures" / "all.json"
    tables = [run(script, "--quick", "--json", str(file)) for script in ("loop", "growth")]
    found = json.loads(file.read_text())
    assert list(found) == [
        "CPU time of the loop without execution",
        "Attempts per second, 8 in flight, 5 attempts per episode",
        "Growth of a run",
    ]
    for title, table in found.items():
        assert title in "".join(tables)
        assert table["rows"]
        assert table["cores"] >= 1


@pytest.mark.parametrize(
    "script", ["consulting", "coverage", "fairness", "horizon", "latency", "observer", "power", "stopping"]
)
def test_the_quick_form_prints_and_saves_figures(script: str, tmp_path: Path) -> None:
    printed = run(script, "--quick", "--json", str(tmp_path / "figures.json"))
    found = json.loads((tmp_path / "figures.json").read_text())
    assert found
    assert all(title in printed and table["rows"] for title, table in found.items())


def test_all_figures_of_a_report_are_measured(tmp_path: Path) -> None:
    growth = benchmark("report_growth")
    growth.make(tmp_path / "run", 300)
    found = growth.measure(tmp_path / "run", tmp_path / "figures")
    assert found["attempts"] == 300
    assert set(KINDS) < set(found["seconds"])


def test_layers_measures_memory_of_python_programs_only(suite: Suite, monkeypatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    bell = {
        task.framework: task for task in suite.tasks if task.id == "16" and task.framework in ("qiskit", "openqasm3")
    }
    rows = benchmark("layers").memories(bell)
    assert [row["framework"] for row in rows] == ["qiskit"]
    assert rows[0]["thawed_mb"] > rows[0]["frozen_mb"] > 0
