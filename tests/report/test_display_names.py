"""Short names: unique, as short as possible, never truncated, and the same in all output."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import terminal_text
from test_one_screen import CONVENTIONS, of_suites
from test_plots import FIGURES, clipped, texts

from repair_bench.agent.experiment.feasibility import check_settings
from repair_bench.agent.experiment.manifest import stored_experiment
from repair_bench.agent.experiment.settings import experiment
from repair_bench.analysis.runs.join_runs import join
from repair_bench.report.display_names import display_names, short_names
from repair_bench.report.page import episodes
from repair_bench.report.plots import NothingToDraw, style
from repair_bench.report.sections import data, printed, run_data
from repair_bench.report.site.run import public
from repair_bench.testing.made_up_runs import study
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run

LARGE, SMALL = (f"openai/gpt-oss-{size}b-turbo-instruct-2026-05-01" for size in (120, 20))


@pytest.mark.parametrize(
    ("kind", "names", "expected"),
    [
        ("model", ["openai/gpt-4.1", "anthropic/claude-x"], ["gpt-4.1", "claude-x"]),
        ("model", ["openai/gpt-4.1", "azure/gpt-4.1"], ["gpt-4.1 (openai)", "gpt-4.1 (azure)"]),
        ("model", [LARGE, SMALL], ["gpt-oss-120b-turbo", "gpt-oss-20b-turbo"]),
        ("model", ["anthropic/claude-sonnet-4-5-20250929"], ["claude-sonnet-4-5"]),
        ("model", ["a/ft-gpt-4o-mini-2024-07-18-of-mine"], ["ft-gpt-4o-mini"]),
        ("model", ["x/our-finetune-of-a-coder-seed-1", "x/our-finetune-of-a-coder-seed-2"], ["seed-1", "seed-2"]),
        ("model", ["openai/o4-mini#low", "openai/o4-mini#high"], ["o4-mini#low", "o4-mini#high"]),
        ("model", ["sim/expert", "openai/expert"], ["sim/expert", "expert"]),
        ("model", ["sim/bernoulli?first=0.5&repair=0.4", "sim/bernoulli?first=0.5&repair=0.2"],
         ["sim/bernoulli?repair=0.4", "sim/bernoulli?repair=0.2"]),
        ("model", ["a" * 60], ["a" * 60]),
        ("suite", ["aligned", CONVENTIONS], ["aligned", "conventions"]),
        ("suite", ["conventions?bits=0&seed=1", "conventions?bits=3&seed=1"],
         ["conventions?bits=0", "conventions?bits=3"]),
        ("suite", ["horizon?families=parity&sizes=8,9&seed=1", "horizon?families=tcount&sizes=9&seed=2"],
         ["horizon?families=parity", "horizon?families=tcount"]),
        ("condition", ["minimal+default", "minimal+none"], ["default", "none"]),
        ("condition", ["default", "default+last"], ["default", "last"]),
        ("condition", ["default"], ["default"]),
    ],
)  # fmt: skip
def test_a_short_name_is_the_shortest_unique_one(kind, names, expected):
    assert short_names(names, kind, {}) == dict(zip(names, expected, strict=True))


@given(
    st.lists(st.text("ab/-?&=#+1.", min_size=1, max_size=40), unique=True, max_size=6),
    st.sampled_from(["model", "suite", "condition"]),
    st.dictionaries(st.text("ab/", min_size=1, max_size=3), st.text("ab/", min_size=1, max_size=3), max_size=3),
)
def test_short_names_are_never_empty_nor_the_same(names, kind, chosen):
    shown = short_names(names, kind, chosen)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(shown.values())


def test_name_set_by_the_experiment_is_shown_if_unique():
    names = ["openai/a", "openai/b"]
    assert short_names(names, "model", {"openai/a": "Model A"}) == {"openai/a": "Model A", "openai/b": "b"}
    assert short_names(names, "model", {"openai/a": "b"}) == {"openai/a": "b", "openai/b": "b (openai)"}
    assert short_names(names, "model", {"openai/a": "X", "openai/b": "X"}) == {"openai/a": "a", "openai/b": "b"}
    assert short_names(names, "model", {"openai/a": "openai/b"})["openai/a"] == "a"


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"sim/x": "X"}, "'sim/x' is not a model, suite or condition: choose from sim/novice, sim/expert, aligned"),
        ({"sim/novice": "One", "sim/expert": "One"}, "'One' stands for both sim/expert and sim/novice"),
        ({"sim/novice": "sim/expert"}, "'sim/expert' stands for both sim/novice and sim/expert"),
        ({"sim/novice": " N"}, "remove leading and trailing spaces"),
        ({"sim/novice": "a\x1b[2J"}, "unprintable characters"),
        ({"sim/novice": ""}, "at least 1 character"),
        ({"sim/novice": "n" * 41}, "at most 40 characters"),
    ],
)
def test_misleading_name_is_refused(names, why):
    with pytest.raises(UsageError, match=r".*".join(map(str, [why.replace("(", r"\(")]))):
        check_settings(experiment({"models": ["sim/novice", "sim/expert"], "names": names}))


def test_runs_joined_runs_and_sites_keep_names():
    made = experiment({"models": "sim/novice", "names": {"sim/novice": "N"}})
    assert "names" not in made.settings(), "a resumed run may change them"
    manifest = Manifest.from_json(
        {"experiment": json.loads(json.dumps(made.settings())), "resources": made.resources()}
    )
    assert stored_experiment(manifest, Path("run"))["names"] == {"sim/novice": "N"}
    assert display_names(public(manifest)).of("model", "sim/novice") == "N"
    other = Manifest.from_json({"experiment": {"models": ["b"]}, "resources": {"names": {"b": "B"}}})
    both = join([Run(manifest, [], []), Run(other, [], [])], ["a", "b"]).manifest
    assert both.resources["names"] == {"sim/novice": "N", "b": "B"}


@pytest.fixture(scope="module")
def made():
    """Return a study of three arms, two models with long names and three suites."""
    attempts, manifest = study((LARGE, SMALL), ("qiskit",), 4, 3, ("default", "none", "verdict"))
    return list(of_suites(attempts)), manifest


@pytest.mark.slow
def test_tables_show_short_names_and_data_the_full_ones(made):
    attempts, manifest = made
    run = run_data(manifest, attempts)
    for text in (terminal_text(printed.full(run, 80)), terminal_text(printed.short(run, 80))):
        assert "gpt-oss-120b-turbo" in text
        assert "Short names: gpt-oss-120b-turbo = openai/" in " ".join(text.split())
        assert text.count("instruct") == 2, "once each, where short names are explained"
    assert {row["model"] for row in data(run)["effects"]["rows"]} == {LARGE, SMALL}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FIGURES)
def test_plots_show_whole_labels_on_at_most_two_pages(made, kind):
    attempts, manifest = made
    with style.applied():
        try:
            figure = FIGURES[kind](attempts, manifest)
        except NothingToDraw:
            return
        assert clipped(figure) == []
    assert "…" not in texts(figure)
    assert LARGE not in texts(figure).replace("Short names: gpt-oss-120b-turbo = " + LARGE, "")
    assert figure.get_figheight() <= 14


def test_a_page_shows_short_names_and_filters_by_full_ones(made):
    attempts, manifest = made
    index = episodes.index(episodes.traces(attempts, 3), manifest, 3)
    assert index["fields"]["model"]["names"] == [LARGE, SMALL]
    assert index["fields"]["model"]["shown"] == {LARGE: "gpt-oss-120b-turbo", SMALL: "gpt-oss-20b-turbo"}
    assert index["fields"]["suite"]["shown"] == {CONVENTIONS: "conventions"}


def test_a_label_is_broken_between_its_parts():
    assert style.panel_title("conventions / gpt-oss-120b-turbo") == "conventions\ngpt-oss-120b-turbo"
    assert style.panel_title("minimal+3-shot+no-starter+effort-high") == "minimal+3-shot+no-starter+\neffort-high"
    assert style.panel_title("a" * 40) == f"{'a' * 31}\n{'a' * 9}"
    assert style.panel_title("a / b") == "a / b"
