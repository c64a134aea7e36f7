from __future__ import annotations

import copy
import dataclasses
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.agent.experiment.resumption import decides, resumption
from repair_bench.analysis.runs.notices import notices
from repair_bench.coroutines import run_to_end
from repair_bench.suites import aligned
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

VERSIONS = {
    "driver": {"python": "3.11.7", "repair-bench": "0.1.0"},
    "qiskit": {"python": "3.11.7", "numpy": "2.4.6", "qiskit": "2.6.2", "matplotlib": "3.11.2"},
    "cirq": {"python": "3.11.7", "numpy": "2.4.6", "cirq": "1.7.0", "sympy": "1.14.0"},
}
STATED = {
    "experiment": {
        "models": ["m"],
        "prompts": {"version": "1"},
        "suite_contents": {"aligned": ["1", "abc"]},
        "versions": VERSIONS,
    },
    "resources": {"budget": {"max_cost": 1.0}, "pythons": {}},
    "platform": {"system": "Linux", "machine": "x86_64", "cores": 2},
    "excluded": [["s", "1", "qiskit", "needs seaborn, not installed"]],
}


def now(**versions: dict[str, str | None]) -> Manifest:
    """Return the manifest of a new run with other versions of some packages; None means not installed."""
    stated: dict[str, Any] = copy.deepcopy(STATED)
    for interpreter, packages in versions.items():
        table = {**stated["experiment"]["versions"][interpreter], **packages}
        stated["experiment"]["versions"][interpreter] = {k: v for k, v in table.items() if v is not None}
    return Manifest.from_json(stated)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    Manifest.from_json(STATED).write(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def task() -> Task:
    return next(task for task in aligned.load().tasks if task.framework == "qiskit")


def resume(run: Path, manifest: Manifest, tasks: tuple[Task, ...] = (), *, accept: bool = False) -> Manifest:
    """Return the manifest of the resumed run."""
    agreed = resumption(run, manifest, tasks, accept_versions=accept)
    run_to_end(RunStore.resume(run, agreed).close())
    return Manifest.read(run)


def test_resuming_without_changes_writes_nothing(run: Path) -> None:
    before = (run / "run.json").read_bytes()
    resume(run, now())
    assert (run / "run.json").read_bytes() == before


def test_irrelevant_changes_are_noted_once_with_first_versions(run: Path) -> None:
    other = now(
        qiskit={"qiskit_ibm_runtime": "0.51.0", "matplotlib": None, "python": "3.11.9"}, driver={"python": "3.11.9"}
    )
    other.stated["platform"] = {"system": "Linux", "machine": "x86_64", "cores": 64}
    for _ in range(2):
        kept = resume(run, other)
        assert kept.versions == VERSIONS
        (session,) = kept.resumed
    assert session["changed"] == {
        "versions.driver.python": ["3.11.7", "3.11.9"],
        "versions.qiskit.python": ["3.11.7", "3.11.9"],
        "versions.qiskit.matplotlib": ["3.11.2", None],
        "versions.qiskit.qiskit_ibm_runtime": [None, "0.51.0"],
        "platform.cores": [2, 64],
    }
    assert "accepted" not in session
    assert session["at"].startswith("20")
    assert notices([], kept) == []
    assert [list(s["changed"]) for s in resume(run, now()).resumed[1:]] == [list(session["changed"])]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"qiskit": {"qiskit": "2.7.0"}}, ["qiskit 2.6.2 -> 2.7.0 (qiskit)", "`pip install qiskit==2.6.2`"]),
        ({"driver": {"repair-bench": "0.2.0"}}, ["`pip install repair-bench==0.1.0`"]),
        ({"cirq": {"sympy": None}}, ["sympy 1.14.0 -> absent (cirq)", "`pip install sympy==1.14.0`"]),
        ({"qiskit": {"qiskit_aer": "0.18.2"}}, ["qiskit_aer absent -> 0.18.2", "`pip uninstall qiskit-aer`"]),
        ({"qiskit": {"python": "3.12.1"}}, ["python 3.11.7 -> 3.12.1", "--python qiskit=INTERPRETER with Python 3.11"]),
        (
            {"qiskit": {"numpy": "2.5.0"}, "cirq": {"numpy": "2.5.0", "cirq": "1.8.0"}},
            ["numpy 2.4.6 -> 2.5.0 (qiskit, cirq); cirq 1.7.0 -> 1.8.0", "`pip install numpy==2.4.6 cirq==1.7.0`"],
        ),
    ],
)
def test_changes_that_affect_verdicts_are_refused_with_a_remedy(run: Path, changed: Any, says: list[str]) -> None:
    before = (run / "run.json").read_bytes()
    with pytest.raises(UsageError) as caught:
        resume(run, now(**changed))
    for words in (*says, "--accept-versions"):
        assert words in str(caught.value)
    assert (run / "run.json").read_bytes() == before


def test_remedy_gives_pip_the_path_of_a_named_environment(run: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("REPAIR_BENCH_ENVS", str(tmp_path))
    python = tmp_path / "old env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / "old env" / "pyvenv.cfg").write_text("")
    newer = now(qiskit={"qiskit": "2.7.0"})
    with pytest.raises(UsageError, match=re.escape(f"`pip --python '{python}' install qiskit==2.6.2`")):
        resume(run, newer.replaced(resources={"pythons": {"qiskit": "old env"}}))


def test_accepted_versions_are_reported_and_need_no_new_consent(run: Path) -> None:
    newer = now(qiskit={"qiskit": "2.7.0"})
    (session,) = resume(run, newer, accept=True).resumed
    assert session["accepted"] == ["versions.qiskit.qiskit"]
    kept = resume(run, newer)
    (notice,) = notices([], kept)
    assert "qiskit 2.6.2 -> 2.7.0 (qiskit)" in notice
    with pytest.raises(UsageError, match=r"qiskit 2\.7\.0 -> 2\.8\.0"):
        resume(run, now(qiskit={"qiskit": "2.8.0"}))


def test_other_experiments_or_tasks_cannot_be_accepted(run: Path) -> None:
    for manifest, words in [
        (now().replaced(experiment={**now().experiment, "models": ["other"]}), r"models\[0\]"),
        (now().replaced(experiment={**now().experiment, "prompts": {"version": "2"}}), 'prompts.version: "1" -> "2"'),
        (now().replaced(experiment={**now().experiment, "suite_contents": {"aligned": ["1", "x"]}}), "regrade"),
        (now().replaced(excluded=[]), "s 1 qiskit can now be graded; before: needs seaborn"),
        (
            now().replaced(excluded=[*now().excluded, ("s", "2", "qiskit", "needs x")]),
            "s 2 qiskit can no longer be graded",
        ),
    ]:
        with pytest.raises(UsageError, match=words):
            resume(run, manifest, accept=True)


def test_incidental_package_matters_only_if_a_task_names_it(run: Path, task: Task) -> None:
    changed = now(qiskit={"matplotlib": "3.12.0"})
    drawing = dataclasses.replace(task, prompt=f"{task.prompt}\nfrom matplotlib import pyplot")
    with pytest.raises(UsageError, match="matplotlib"):
        resume(run, changed, (task, drawing))
    assert resume(run, changed, (task,)).resumed


@pytest.mark.slow
@given(st.from_regex(r"3\.[0-9]{1,2}\.[0-9]{1,2}", fullmatch=True), st.from_regex(r"[0-9]{1,2}", fullmatch=True))
def test_only_a_minor_version_of_python_affects_verdicts(old: str, patch: str) -> None:
    minor = old.rpartition(".")[0]
    assert not decides("versions.qiskit.python", [old, f"{minor}.{patch}"])
    assert decides("versions.qiskit.python", [old, f"{minor}9.{patch}"])
