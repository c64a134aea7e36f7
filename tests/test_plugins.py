"""Plug-ins of other packages, and the errors of broken ones."""

import sys
from pathlib import Path

import pytest

from repair_bench import frameworks, plugins, suites
from repair_bench.agent import models
from repair_bench.agent.experiment import manifest
from repair_bench.agent.experiment.feasibility import check_models, check_settings
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models.base import check_keys
from repair_bench.agent.training.rollout import Rollouts
from repair_bench.prompts import feedback
from repair_bench.prompts.feedback import Failure
from repair_bench.report import plots
from repair_bench.report.page import figures
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion, Query, Verdict
from repair_bench.traces.run.manifest import Manifest

GOOD = {
    "models": "def create(name): return ('a model', name)",
    "suites": "def load(*, frameworks): return ('a suite', frameworks)",
    "feedback": "def feedback(task, failure): return 'no'",
    "plots": "def figure(attempts, manifest): return None",
    "frameworks": """
from dataclasses import replace
from repair_bench.frameworks import qiskit
FRAMEWORK = replace(qiskit.FRAMEWORK, name="dice")
""",
}
OBJECTS = {"plots": ":figure", "frameworks": ":FRAMEWORK"}
"""The attribute that an entry point names."""
KINDS = pytest.mark.parametrize("kind", GOOD)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a package with one module and one entry point in a separate folder on the path."""

    def installed(kind: str, name: str, source: str, package: str = "extras") -> None:
        folder, module = tmp_path / package, f"{package}_{kind}_{tmp_path.name.replace('-', '_')}"
        info = folder / f"{package}-1.2.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(f"Name: {package}\nVersion: 1.2\n")
        value = module + OBJECTS.get(kind, "")
        (info / "entry_points.txt").write_text(f"[repair_bench.{kind}]\n{name} = {value}\n")
        (folder / f"{module}.py").write_text(source)
        monkeypatch.syspath_prepend(str(folder))

    yield installed
    frameworks.FRAMEWORKS.pop("dice", None)


def test_no_plugins_without_other_packages():
    for kind in GOOD:
        assert plugins.names(kind) == []
        assert plugins.load(kind, "dice") is None


@pytest.mark.slow
@KINDS
def test_plugin_name_is_listed_without_importing_its_package(install, kind):
    install(kind, "dice", GOOD[kind])
    before = set(sys.modules)
    assert plugins.names(kind) == ["dice"]
    assert plugins.package(kind, "dice") == "extras 1.2"
    assert not {name for name in set(sys.modules) - before if name.startswith("extras")}
    assert plugins.load(kind, "dice") is not None


@pytest.mark.parametrize("kind", ["models", "suites", "feedback"])
def test_plugin_without_its_function_is_reported_in_one_line(install, kind):
    install(kind, "dice", "")
    needed = {"models": "create", "suites": "load", "feedback": "feedback"}[kind]
    with pytest.raises(
        UsageError, match=rf"group repair_bench.{kind} of extras 1.2 lacks the required attribute {needed}"
    ):
        plugins.load(kind, "dice")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def (", "SyntaxError"),
        ("raise OSError('disk\\nfull')", "OSError: disk full"),
    ],
)
def test_broken_plugin_is_reported_in_one_line(install, source, says):
    install("suites", "dice", source)
    with pytest.raises(UsageError, match=r"of extras 1.2 cannot be imported: ") as refused:
        plugins.load("suites", "dice")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_duplicate_plugin_name_is_refused(install):
    install("feedback", "dice", GOOD["feedback"])
    install("feedback", "dice", GOOD["feedback"], "others")
    with pytest.raises(UsageError, match=r"'dice' .* is ambiguous \(extras_.* and others_"):
        feedback.policy("dice")


def test_built_in_names_have_priority(install):
    raises = "raise AssertionError('imported')"
    install("feedback", "default", raises)
    install("suites", "aligned", raises, "others")
    install("models", "sim", raises, "third")
    install("plots", "errors", raises, "fourth")
    assert feedback.policy("default").__name__ == "repair_bench.prompts.feedback.default"
    assert models.create("sim/expert").name == "sim/expert"
    assert list(suites.describe()) == list(suites.SUITES)
    assert suites.describe()["aligned"].startswith("built in")
    assert plots.of_runs() == list(plots.KINDS)


def test_tables_of_names_include_plugins(install):
    for number, (kind, source) in enumerate(GOOD.items()):
        install(kind, "dice", source, f"package{number}")
    assert models.create("dice/one") == ("a model", "dice/one")
    assert suites.describe()["dice"] == "package1 1.2"
    assert feedback.policy("dice") is plugins.load("feedback", "dice")
    assert plots.of_runs()[-1] == "dice"
    plots.check(["dice"])
    assert frameworks.available()[-1] == "dice"
    assert frameworks.FRAMEWORKS["dice"].title == "Qiskit"


def test_framework_plugin_is_named_by_its_entry_point(install):
    install("frameworks", "die", GOOD["frameworks"])
    for _ in range(2):
        with pytest.raises(
            UsageError, match=r"the entry point 'die' of extras 1.2 points to a framework with another name, 'dice'"
        ):
            frameworks.available()
    assert set(frameworks.FRAMEWORKS) == set(frameworks.BUILT_IN)


def test_error_for_an_unknown_name_lists_plugins(install):
    install("feedback", "dice", GOOD["feedback"])
    install("plots", "dice", GOOD["plots"], "others")
    with pytest.raises(UsageError, match=r"unknown feedback policy 'die'; choose from default, .*, dice"):
        feedback.policy("die")
    with pytest.raises(UsageError, match=r"Unknown plot 'die'\. Choose from .*, dice, "):
        plots.check(["die"])


def test_plot_of_a_plugin_is_on_the_page(install, monkeypatch):
    install("plots", "dice", "from matplotlib.figure import Figure\ndef figure(attempts, manifest): return Figure()")
    monkeypatch.setattr(plots, "KINDS", {})
    (drawn,), undrawn = figures.inline(Manifest({}), [])
    assert undrawn == {}
    assert (drawn.kind, drawn.title) == ("dice", "Dice")
    assert drawn.svg.startswith("<svg")


@pytest.mark.parametrize(
    "used",
    [
        {"models": ["dice/one"]},
        {"critic": {"model": "dice/one"}, "repair": {"feedback": "critic"}},
        {"suites": ["dice"]},
        {"repair": {"feedback": "dice"}},
        {"frameworks": ["qiskit", "dice"]},
    ],
    ids=["model", "critic", "suite", "policy", "framework"],
)
def test_run_records_versions_of_used_plugins(install, used, suite):
    for number, (kind, source) in enumerate(GOOD.items()):
        install(kind, "dice", source, f"package{number}")

    def driver(experiment: Experiment) -> dict[str, str]:
        options = {"name": "", "simulated": (), "data": None, "sandbox": {}, "versions": {}}
        made = manifest.make(experiment, (suite,), (), **options)
        return made.experiment["versions"]["driver"]

    own = driver(Experiment())
    assert own.keys() == {"python", "repair-bench"}
    packages = {
        "models": "package0",
        "critic": "package0",
        "suites": "package1",
        "repair": "package2",
        "frameworks": "package4",
    }
    added = packages[next(iter(used))]
    assert driver(Experiment.model_validate(used)) == {**own, added: "1.2"}


def test_own_critic_of_a_package_is_asked_and_quoted(install, task):
    install(
        "feedback",
        "hint",
        "def question(task, failure): return [{'role': 'user', 'content': 'Why? ' + failure.code}]\n"
        "def feedback(task, failure): return f'Failed. {failure.reply}'\n",
    )
    experiment = Experiment.model_validate({"repair": {"feedback": "hint"}, "critic": {"model": "dice/critic"}})
    assert experiment.queried == ("sim/journeyman", "dice/critic")
    check_settings(experiment)
    asked = feedback.question("hint", task, Failure(verdict := Verdict("no_code"), code="x = 1"))
    assert asked == [{"role": "user", "content": "Why? x = 1"}]
    reply = Query("dice/critic", asked, Completion("The program is empty."))
    made = feedback.make_feedback("hint", task, verdict, code="x = 1", critic=reply)
    assert (made.text, made.critic) == ("Failed. The program is empty.", reply)
    with pytest.raises(UsageError, match="a rollout does not support the feedback policy hint"):
        Rollouts(Experiment.model_validate({"repair": {"feedback": "hint"}}), (), None)


def test_critic_of_a_package_needs_its_key_and_settings(install):
    source = """
class Model:
    simulated, supports_prefill = False, False
    def __init__(self, name): self.name = name
    def needed_keys(self): return ["DICE_KEY"]
create = Model
"""
    install("models", "dice", source)
    fields = {"repair": {"feedback": "critic"}, "critic": {"model": "dice/critic"}}
    settings = {"providers": {"dice": {"concurrency": 2}}, "names": {"dice/critic": "critic"}}
    experiment = Experiment.model_validate({**fields, **settings, "prompt": {"assistant_prefill": True}})
    check_settings(experiment)
    made = models.create_all(experiment.queried, {})
    check_models(experiment, made)  # the critic need not continue the answer
    with pytest.raises(UsageError, match="dice/critic needs DICE_KEY"):
        check_keys(made.values())
    with pytest.raises(UsageError, match=r"no model in the experiment uses providers\.dice"):
        check_settings(Experiment.model_validate(settings))
    unknown = Experiment.model_validate({**fields, "critic": {"model": "nobody"}})
    with pytest.raises(UsageError, match="nobody"):
        models.create_all(unknown.queried, {})
