"""`import repair_bench`, as used by a script and by a notebook."""

import asyncio
import csv
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import repair_bench
from repair_bench import Suite, UsageError
from repair_bench.agent.experiment.options import OPTIONS
from repair_bench.agent.experiment.settings import experiment
from repair_bench.api import settings_of
from repair_bench.arguments import in_python
from repair_bench.cli import app
from repair_bench.coroutines import run_to_end
from repair_bench.report.exports import export
from repair_bench.report.exports.flat import COLUMNS
from repair_bench.suites import aligned
from repair_bench.testing import ScriptedModel, written
from repair_bench.testing.made_up_runs import run as made_up
from repair_bench.traces.record.records import Completion, ExceptionInfo, Feedback, Outcome, Query, Verdict
from repair_bench.traces.run.manifest import Manifest

BELL = "```python\n" + next(t for t in aligned.load(frameworks=["qiskit"]).tasks if t.id == "16").reference + "\n```"
SETTINGS = {"frameworks": "qiskit", "limit": 1, "max_attempts": 1}


def in_a_notebook(cell):
    """Return the result of `cell`, called while an event loop is running."""

    async def kernel():
        return cell()

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(kernel())
    finally:
        loop.close()


def story(run):
    return [(row.id, row.attempt, row.verdict, row.code_digest) for row in run.rows]


def test_import_is_light():
    script = "import sys, repair_bench; print(sorted(m for m in sys.modules if m.startswith('repair_bench.')))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists_and_is_documented():
    for name in repair_bench.__all__:
        assert getattr(repair_bench, name).__doc__, name
    assert dir(repair_bench) == sorted([*repair_bench.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'rum'"):
        repair_bench.rum  # noqa: B018


def test_run_is_loaded_by_string_or_path(tmp_path):
    attempts, manifest = made_up(tasks=3)
    directory = written(tmp_path / "run", attempts, manifest)
    for given in (directory, str(directory)):
        run = repair_bench.load(given)
        assert [row.id for row in run.rows] == [a.id for a in attempts]
        assert (run.directory, run.manifest, run.notes) == (directory, manifest.replaced(name="run"), [])
    with pytest.raises(UsageError, match="is not a run"):
        repair_bench.load(tmp_path)


@pytest.mark.slow
def test_a_notebook_shows_a_run_its_report_and_its_plots(tmp_path, capsys):
    attempts, manifest = made_up(tasks=12)
    directory = written(tmp_path / "run", attempts, manifest)
    run = repair_bench.load(directory)
    episodes = len({a.episode for a in attempts})
    assert repr(run) == f"<LoadedRun {str(directory)!r}: {episodes} episodes, {len(attempts)} attempts>"
    assert "SIMULATED MODEL" in run._repr_html_()
    assert "Pass@1" in run._repr_html_()
    run.report()
    printed = capsys.readouterr().out
    assert CliRunner().invoke(app, ["report", str(directory)]).stdout == printed
    assert run.plot("repair-curve")._repr_svg_().lstrip().startswith("<?xml")
    with pytest.raises(UsageError, match=r"Unknown plot 'curve'\. Choose from repair-curve"):
        run.plot("curve")


def test_the_frame_has_the_columns_and_values_of_the_csv(tmp_path):
    pytest.importorskip("pandas")
    attempts, manifest = made_up(tasks=3, faults=0.2)
    run = repair_bench.load(written(tmp_path / "run", attempts, manifest))
    (file,) = export(run, "csv", run.directory)
    with file.open(encoding="utf-8", newline="") as lines:
        exported = list(csv.DictReader(lines))
    whole, light = run.frame(texts=True), run.frame()
    assert list(whole) == list(exported[0])
    assert list(light) == [name for name in whole if name in set(light)]
    assert not {"prompt", "completion", "code"} & set(light)
    for name in light:
        assert light[name].equals(whole[name]), name
    assert list(whole.task_id) == [line["task_id"] for line in exported]
    assert (light.verdict == "pass").sum() == sum(row.passed for row in run.rows)


def test_frame_without_texts_has_all_columns_of_rows(tmp_path):
    pd = pytest.importorskip("pandas")
    attempts, manifest = made_up(tasks=3, faults=0.2)
    raised = Outcome("exception", exception=ExceptionInfo("ValueError", "no", ""))
    judged = Verdict("no_code", {"problem": "no code"})
    query = Query("m", [], Completion("Reverse it.", {"prompt_tokens": 9, "completion_tokens": 3}, 0.5))
    queried = {"feedback": Feedback("critic", "it failed", critic=query), "probe": query}
    times = {"started_at": "then", "finished_at": "now"}
    first = attempts[0].replaced(outcome=raised, verdict=judged, **queried, **times)
    run = repair_bench.load(written(tmp_path / "run", [first, *attempts[1:]], manifest))
    whole, light = run.frame(texts=True), run.frame()
    (run.directory / "attempts.jsonl").unlink()
    assert run.frame().equals(light)

    def same_without_the_disk(name):
        try:
            values = [COLUMNS[name](row) for row in run.rows]
        except (FileNotFoundError, AttributeError):
            return False
        return pd.DataFrame({name: values})[name].equals(whole[name])

    assert list(light) == [name for name in whole if same_without_the_disk(name)]


def test_frame_without_pandas_reports_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    attempts, manifest = made_up(tasks=1)
    with pytest.raises(UsageError, match="pip install pandas"):
        repair_bench.load(written(tmp_path / "run", attempts, manifest)).frame()


@pytest.mark.slow
def test_notebook_runs_a_custom_model(tmp_path):
    model = ScriptedModel(lambda request: request.task.reference if request.attempt else "x = 1", "mine/one")
    settings = {**SETTINGS, "models": [model, "sim/expert"]}
    run = in_a_notebook(lambda: repair_bench.run(settings, out=tmp_path / "run", workers=1))
    assert {row.model for row in run.rows} == {"mine/one", "sim/expert"}
    assert [row.passed for row in run.rows if row.model == "mine/one"] == [False, True]
    assert [request.attempt for request in model.requests] == [0, 1]
    assert run.notes == []
    again = repair_bench.run(settings, out=tmp_path / "run", resume=True, workers=1)
    assert story(again) == story(run)
    Manifest.read(tmp_path / "run").replaced(experiment=other_qiskit(run.manifest)).write(tmp_path / "run")
    with pytest.raises(UsageError, match=r"was started with other package versions.*qiskit 0\.1"):
        repair_bench.run(settings, out=tmp_path / "run", resume=True, workers=1)
    changed = repair_bench.run(settings, out=tmp_path / "run", resume=True, accept_versions=True, workers=1)
    assert changed.manifest.resumed[-1]["accepted"] == ["versions.qiskit.qiskit"]
    with pytest.raises(UsageError, match="accept_versions requires resume"):
        repair_bench.run(settings, out=tmp_path / "more", accept_versions=True)


def other_qiskit(manifest):
    versions = {**manifest.versions, "qiskit": {**manifest.versions["qiskit"], "qiskit": "0.1"}}
    return {**manifest.experiment, "versions": versions}


class KindOnly:
    """A policy without a package."""

    def feedback(self, task, failure):
        return f"It was judged as: {failure.verdict.kind}."


@pytest.mark.slow
def test_notebook_runs_a_custom_suite_and_policy(tmp_path):
    task = next(t for t in aligned.load(frameworks=["qiskit"]).tasks if t.id == "16")
    own = Suite("mine", "1", "0" * 64, (replace(task, suite="mine"),))
    model = ScriptedModel(lambda request: request.task.reference if request.attempt else "x = 1", "mine/one")
    settings = {**SETTINGS, "models": model, "suites": own, "repair": {"feedback": ["kind-only"]}}
    options = {"out": tmp_path / "run", "feedback": {"kind-only": KindOnly()}, "workers": 1}
    run = in_a_notebook(lambda: repair_bench.run(settings, **options))
    assert [(row.suite, row.passed) for row in run.rows] == [("mine", False), ("mine", True)]
    told = run.rows[1].with_texts().feedback
    assert (told.policy, told.text) == ("kind-only", "It was judged as: no_code.")
    assert story(repair_bench.run(settings, resume=True, **options)) == story(run)
    with pytest.raises(UsageError, match="unknown feedback policy 'kind-only'"):
        repair_bench.run(settings, out=tmp_path / "again")
    with pytest.raises(UsageError, match="there is no suite named 'mine'"):
        repair_bench.run({**settings, "suites": "mine"}, **{**options, "out": tmp_path / "again"})


def test_custom_policy_needs_a_new_name_and_all_attributes(tmp_path):
    with pytest.raises(UsageError, match="a feedback policy named 'default' already exists"):
        repair_bench.run(SETTINGS, out=tmp_path / "run", feedback={"default": KindOnly()})
    no_policy: Any = object()
    with pytest.raises(UsageError, match="the feedback policy 'mine' has no feedback"):
        repair_bench.run(SETTINGS, out=tmp_path / "run", feedback={"mine": no_policy})
    assert not (tmp_path / "run").exists()


def test_file_mapping_and_experiment_are_equivalent(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('models = "sim/novice"\nframeworks = ["qiskit"]\nlimit = 1\nmax_attempts = 1\n')
    values = {**SETTINGS, "models": "sim/novice"}
    made = repair_bench.Experiment(**values)
    assert [experiment(settings_of(given)[0]) for given in (file, str(file), values, made)] == [made] * 4


def test_mapping_can_start_from_a_protocol():
    made = experiment(settings_of({"protocol": "quanbench-plus-paper", **SETTINGS})[0])
    assert (made.protocol, made.repair.feedback, made.limit) == ("quanbench-plus-paper", ("function",), 1)


def test_usage_errors_write_nothing(tmp_path):
    with pytest.raises(UsageError, match="no field 'modles'"):
        repair_bench.run({"modles": "sim/expert"}, out=tmp_path / "run")
    with pytest.raises(UsageError, match="resume requires `out`"):
        repair_bench.run(SETTINGS, resume=True)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("wrong", "options", "said"),
    [
        ({"max_attempts": "x"}, {}, "`max_attempts='x'`: input should be a valid integer"),
        ({"limit": -1}, {}, "`limit=-1`: input should be greater"),
        (
            {"samples": 3},
            {},
            "use `samples=1`, a temperature above 0 (such as `temperature.first=0.8`), or `temperature.first=provider`",
        ),
        pytest.param(
            {"models": "openai/x", "budget": {"max_cost": 1}},
            {},
            "set `prompt.max_completion_tokens`",
            marks=pytest.mark.slow,
        ),
        ({"suites": "jsonl"}, {}, "pass `data=FILE`"),
        ({"models": "nix"}, {}, "pass `api_base` for a custom server"),
        ({}, {"require_sandbox": "x"}, "`require_sandbox='x'`: choose from"),
        ({}, {"resume": True}, "resume requires `out`"),
    ],
)
def test_errors_name_arguments_instead_of_options(tmp_path, monkeypatch, wrong, options, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with pytest.raises(UsageError) as caught:
        repair_bench.run({**SETTINGS, **wrong}, **options)
    assert said in str(caught.value)
    assert " --" not in f" {caught.value}"


def test_error_for_an_existing_run_gives_the_resume_arguments(tmp_path):
    directory = written(tmp_path / "run", *made_up(tasks=1))
    with pytest.raises(UsageError, match=r"use `out='\S+/run', resume=True` to continue it, or choose another `out`"):
        repair_bench.run(SETTINGS, out=directory)


def test_invalid_answer_in_a_list_is_named_by_its_index():
    with pytest.raises(UsageError, match=r"^answers\[1\]: expected an object"):
        repair_bench.grade([{"task_id": "16", "framework": "qiskit", "code": "x"}, {"task_id": "16"}], "aligned")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("To resume: repair-bench run --resume 'a b'", "To resume: `repair_bench.run(..., out='a b', resume=True)`"),
        ("use --accept-versions, or --no-preflight", "use `accept_versions=True`, or `preflight=False`"),
        (
            "Write one with `repair-bench suites audit SUITE --out DIR`.",
            "Write one with `repair-bench suites audit SUITE --out DIR`.",
        ),
        ("use --require-sandbox none", "use `require_sandbox='none'`"),
        ("--temperature hot", "`temperature.first` hot"),
        ("a--b, well--known, 3 --- 4", "a--b, well--known, 3 --- 4"),
    ],
)
def test_a_message_for_python_has_no_options(message, expected):
    assert in_python(message) == expected


def test_options_of_an_experiment_are_named_by_their_fields():
    for option in OPTIONS:
        name = in_python(option.flag).strip("`")
        assert name == option.path


def test_custom_figure_is_drawn(tmp_path):
    def mine(attempts, manifest):
        figure = Figure()
        figure.subplots().plot([row.attempt for row in attempts])
        return figure

    run = repair_bench.load(written(tmp_path / "run", *made_up(tasks=2)))
    assert run.plot(mine)._repr_svg_().lstrip().startswith("<?xml")


def test_report_of_a_run_can_be_full(tmp_path, capsys):
    run = repair_bench.load(written(tmp_path / "run", *made_up(tasks=12)))
    run.report(full=True)
    printed = capsys.readouterr().out
    assert CliRunner().invoke(app, ["report", str(run.directory), "--full"]).stdout == printed
    assert "Counts and costs" in printed


@pytest.mark.slow
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["disk", "Ctrl-C"])
def test_run_can_be_resumed_in_the_same_process_after_an_error(tmp_path, monkeypatch, error):
    def fails(experiment):
        raise error

    settings = {**SETTINGS, "models": "sim/expert"}
    with monkeypatch.context() as patched:
        patched.setattr("repair_bench.agent.experiment.settings.written", fails)
        with pytest.raises(type(error)):
            repair_bench.run(settings, out=tmp_path / "run", workers=1)
    assert (tmp_path / "run" / "run.json").exists()
    assert repair_bench.run(settings, out=tmp_path / "run", resume=True, workers=1).notes == []


@pytest.mark.slow
def test_answers_are_graded_as_by_the_command(tmp_path):
    answers = [
        {"task_id": "16", "framework": "qiskit", "completion": BELL, "mine": 1},
        {"task_id": "16", "framework": "qiskit", "code": "x = 1"},
    ]
    graded = in_a_notebook(lambda: repair_bench.grade(answers, "aligned", workers=1))
    assert [line["verdict"] for line in graded] == ["pass", "no_code"]
    assert graded[0]["mine"] == 1
    task = next(t for t in aligned.load(frameworks=["qiskit"]).tasks if t.id == "16")
    own = Suite("mine", "1", "0" * 64, (task,))
    assert [line["verdict"] for line in repair_bench.grade(iter(answers), own, workers=1)] == ["pass", "no_code"]
    with pytest.raises(UsageError, match="mine is already loaded: to set rule"):
        repair_bench.grade(answers, own, rules=["paper"])
    with pytest.raises(UsageError, match=r"answers\[0\]: aligned has no task 'none'"):
        repair_bench.grade([{"task_id": "none", "framework": "qiskit", "code": ""}], "aligned", workers=1)


def test_ctrl_c_in_a_notebook_cancels_the_work_and_waits_for_its_end():
    begun, ended = threading.Event(), threading.Event()

    async def work():
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupt():
        begun.wait(30)
        time.sleep(0.2)  # until the main thread waits
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        in_a_notebook(lambda: run_to_end(work()))
    assert ended.is_set()


def test_work_returns_its_result_or_raises():
    async def work(fails):
        await asyncio.sleep(0)
        if fails:
            raise UsageError("no")
        return threading.current_thread() is threading.main_thread()

    assert run_to_end(work(fails=False)) is True
    assert in_a_notebook(lambda: run_to_end(work(fails=False))) is False
    for call in (lambda: run_to_end(work(fails=True)), lambda: in_a_notebook(lambda: run_to_end(work(fails=True)))):
        with pytest.raises(UsageError):
            call()


def test_type_checker_finds_the_public_names():
    assert (Path(repair_bench.__file__).parent / "py.typed").exists()
    text = Path(repair_bench.__file__).read_text(encoding="utf-8")
    imported = text.split("if TYPE_CHECKING:")[1].split("_MODULES")[0]
    assert all(name in imported for name in repair_bench.__all__)
