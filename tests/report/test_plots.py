import dataclasses
import re
import xml.etree.ElementTree as ET
from functools import cache
from pkgutil import resolve_name

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.text import Text

from repair_bench.analysis.comparing.arms import start_pairs
from repair_bench.analysis.comparing.effects import prefill_differences
from repair_bench.analysis.rates.metrics import FB_NOTE, episodes
from repair_bench.prompts.feedback import POLICIES
from repair_bench.report.plots import KINDS, NothingToDraw, draw, panels, repair_curve
from repair_bench.report.plots.style import applied, line
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, study, up_to
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest

FIGURES = {kind: resolve_name(where) for kind, where in KINDS.items()}


def texts(figure) -> str:
    return " ".join(" ".join(t.get_text() for t in figure.findobj(Text)).split())


def clipped(figure) -> list[str]:
    """Return the texts that are outside the page."""
    FigureCanvasAgg(figure).draw()
    page = figure.bbox
    unseen = {
        label
        for ax in figure.findobj(Axes)
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        for label in (tick.label1, tick.label2)
    }
    boxes = [
        (t.get_text(), t.get_window_extent())
        for t in figure.findobj(Text)
        if t.get_visible() and t.get_text().strip() and t not in unseen
    ]
    return [text for text, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > page.x1 + 1 or b.y1 > page.y1 + 1]


def scales(figure):
    return figure.findobj(lambda a: hasattr(a, "get_xticks"))


def curve(attempts, repairs):
    with applied():
        return repair_curve.figure(attempts, up_to(repairs))


LONG = "openrouter/anthropic/claude-3.5-sonnet-20241022:extended-thinking"
SIX = ("openai/gpt-5.1", LONG, "ollama_chat/qwen2.5-coder:7b", "deepseek/deepseek-chat", "a", "sim/d")
CATEGORIES = tuple(f"SomeLongCategoryName{n}" for n in range(26))
TYPICAL = study(("a", LONG), ("cirq", "qiskit"), 3, policies=("default", "none"), starters=(True, False), samples=2)
FAULTS = (attempts_of("f"), up_to(5))
EMPTY = ([], Manifest.from_json({}))


def uneven():
    """Return a run with a single episode of one framework."""
    attempts, manifest = run(models=("a",), frameworks=("cirq", "qiskit"), tasks=12)
    first = next(a.episode for a in attempts if a.framework == "cirq")
    return [a for a in attempts if a.framework == "qiskit" or a.episode == first], manifest


LARGE = {
    "typical": lambda: TYPICAL,
    "no repairs": lambda: run(models=("a",), tasks=5, repairs=0, frameworks=("cirq",)),
    "cut": lambda: run(models=("a", "sim/d"), tasks=6, faults=0.05, cut=0.3),
    "1 model": lambda: run(frameworks=("cirq",)),
    "6 models": lambda: study(SIX, difficulties=("basic", "hard")),
    "12 repairs": lambda: run(models=SIX[:4], frameworks=("qiskit",), repairs=12),
    "9 arms": lambda: study(policies=sorted(POLICIES)),
    "6 models, 9 arms": lambda: study(SIX, policies=sorted(POLICIES), tasks=6),
    "350 tasks": lambda: study(SIX[:2], ("qiskit",), tasks=350, repairs=0, categories=CATEGORIES),
    "5 samples": lambda: study(SIX[:2], tasks=10, samples=5),
    "1 episode beside 12": uneven,
}


@cache
def large(name):
    return LARGE[name]()


UNDRAWN = {"no repairs", "350 tasks"}
"""The runs without repairs, for which survival is not drawn."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in LARGE for kind in KINDS if kind != "survival" or name not in UNDRAWN],
)
def test_no_text_exceeds_the_figure(name, kind):
    with applied():
        assert clipped(FIGURES[kind](*large(name))) == []


def test_survival_of_a_run_without_repairs_is_not_drawn():
    with pytest.raises(NothingToDraw, match="contains no repairs"):
        FIGURES["survival"](*large("no repairs"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_plot_is_a_deterministic_png_and_svg(kind, tmp_path):
    attempts, manifest = study(
        ("a",), ("cirq",), tasks=3, repairs=1, policies=("default", "none"), starters=(True, False), samples=2
    )
    first = draw(kind, attempts, manifest, tmp_path / "a")
    again = draw(kind, list(reversed(attempts)), manifest, tmp_path / "b")
    assert [p.name for p in first] == [f"{kind}.png", f"{kind}.svg"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in again]
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert ET.parse(first[1]).getroot().tag.endswith("svg")
    svg = first[1].read_text()
    assert "<image" not in svg, "the policy of the page forbids images"
    assert "<dc:date>" not in svg
    used = re.findall(r'(?:url\(#|href="#)([^")]+)', svg)
    assert set(used) <= set(re.findall(r'id="([^"]+)"', svg))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_plot_shows_suite_models_and_n(kind):
    with applied():
        plain = texts(FIGURES[kind](*run(models=("a",), frameworks=("cirq",), tasks=12)))
        marked = texts(FIGURES[kind](*run(models=("a", "sim/b"), frameworks=("cirq",), tasks=16, faults=0.05, cut=0.3)))
    assert "aligned 1.0 (n = 12 episodes)" in plain
    for word in ("SIMULATED MODEL", "PARTIAL", "INFRASTRUCTURE ERRORS"):
        assert word not in plain
        assert word in marked
    assert "SIMULATED MODEL: sim/b" in marked


@pytest.mark.parametrize("kind", ["repair-curve", "errors", "heatmap", "survival"])
def test_plot_warns_of_small_series(kind):
    with applied():
        assert "SMALL: 3 of 3 series" in texts(FIGURES[kind](*run(tasks=5)))
        assert "SMALL" not in texts(FIGURES[kind](*run(tasks=10)))


def test_heatmap_has_one_cell_per_task():
    attempts, manifest = run(frameworks=("qiskit",), tasks=6)
    of_another = [dataclasses.replace(a, suite="other", episode=f"other-{a.episode}") for a in attempts]
    few = [a for a in of_another if a.task_id in {"01", "02"}]
    with applied():
        drawn = FIGURES["heatmap"](attempts + few, manifest)
    blocks = [ax for ax in drawn.findobj(Axes) if ax.findobj(QuadMesh)]
    assert [mesh.get_array().shape for ax in blocks for mesh in ax.findobj(QuadMesh)] == [(1, 6), (1, 2)]
    assert {ax.get_xlim() for ax in blocks} == {(0, 6)}


def test_the_repair_curve_explains_fb():
    with applied():
        assert FB_NOTE in texts(repair_curve.figure(*TYPICAL))


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_with_nothing_to_count_is_not_drawn(kind, tmp_path):
    with pytest.raises(NothingToDraw, match="No attempts have been recorded yet"):
        draw(kind, *EMPTY, tmp_path)
    with pytest.raises(NothingToDraw, match="infrastructure errors: 1"):
        draw(kind, *FAULTS, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_lines_show_the_computed_rates():
    attempts = [a for name, path in enumerate(("p", "ep", "ee", "ee", "ef")) for a in attempts_of(path, str(name))]
    (axes,) = scales(curve(attempts, 1))
    drawn = [list(line.get_ydata()) for line in axes.get_lines()]
    assert [20.0, pytest.approx(100 * (1 - 0.8 * 2 / 3))] in drawn, "one of the four failed episodes is censored"


def test_one_panel_per_framework_if_models_differ():
    with applied():
        figure = repair_curve.figure(*run(models=("a", "b")))
        titles = [ax.get_title(loc="left") for ax in scales(figure)]
        single = scales(repair_curve.figure(*run()))
    assert titles == ["cirq", "pennylane", "qiskit"]
    assert len(single) == 1


def test_conditions_have_separate_lines():
    attempts = [
        attempt(letter, episode=condition, condition=condition) for letter, condition in (("p", "short"), ("e", "long"))
    ]
    text = texts(curve(attempts, 0))
    assert "short (n = 1)" in text
    assert "long (n = 1)" in text


def test_lines_are_distinct_without_colour():
    looks = [(line(n)["marker"], line(n)["linestyle"], line(n)["color"]) for n in range(56)]
    assert len(set(looks)) == 56
    assert len({look[:2] for look in looks[:8]}) == 8


def test_an_unknown_kind_is_bad_usage_that_lists_all(tmp_path):
    with pytest.raises(UsageError, match=r"repair-curve, errors.*survival, information"):
        draw("pie", [], Manifest.from_json({}), tmp_path)


@pytest.mark.slow
def test_budget_plot_without_resampling_has_a_notice():
    with applied():
        one = run(models=("a",), frameworks=("cirq",), tasks=3)
        assert "NO RESAMPLING" in texts(FIGURES["budget"](*one))
        assert "NO RESAMPLING" not in texts(FIGURES["budget"](*TYPICAL))


@pytest.mark.slow
def test_budget_plot_states_that_no_repairs_can_be_compared():
    attempts, manifest = study(frameworks=("cirq",), tasks=8, policies=("default", "none"))
    with applied():
        figure = FIGURES["budget"]([a for a in attempts if a.condition == "none" or a.attempt == 0], manifest)
        assert texts(figure).count("no repairs to compare") == 3  # calls, tokens and USD
        assert "calls per solved episode" in texts(figure)
        assert "unknown cost" not in texts(figure)
        assert "no repairs to compare" not in texts(FIGURES["budget"](attempts, manifest))


def test_budget_plot_states_the_number_of_excluded_episodes():
    attempts, manifest = study(frameworks=("cirq",), tasks=3, repairs=1, policies=("default", "none"))
    silent = [a.replaced(completion=Completion("x")) if a.attempt else a for a in attempts]
    n = len({a.episode for a in silent if a.attempt})
    with applied():
        assert f"Curves and differences exclude {n} episodes of unknown cost." in texts(
            FIGURES["budget"](silent, manifest)
        )


def test_survival_omits_the_hazard_of_few_episodes():
    attempts = [a for n in range(12) for a in attempts_of("p" if n < 9 else "eep", f"e{n}", task_id=f"{n:02}")]
    (left,) = scales(FIGURES["survival"](attempts, up_to(2)))
    assert left.get_ylabel() == "unsolved (%)"
    attempts = [a for n in range(20) for a in attempts_of("p" if n < 9 else "eep", f"e{n}", task_id=f"{n:02}")]
    attempts += attempts_of("eee", "last", task_id="20")
    more = up_to(3)
    attempts += [attempt("e", 3, "last", task_id="20")]
    _, right = scales(FIGURES["survival"](attempts, more))
    assert max(len(drawn.get_xdata()) for drawn in right.get_lines()) == 3  # one episode made the fourth attempt


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["budget", "survival"])
def test_last_step_of_survival_is_horizontal(kind):
    with applied():
        figure = FIGURES[kind](*study(frameworks=("cirq",), tasks=12, policies=("default", "none")))
    steps = [drawn for ax in scales(figure) for drawn in ax.get_lines() if drawn.get_drawstyle() == "steps-post"]
    assert steps
    for step in steps:
        xs, ys = step.get_xdata(), step.get_ydata()
        assert ys[-1] == ys[-2]
        assert xs[-1] > xs[-2]
        assert xs[-1] == pytest.approx(step.axes.get_xlim()[1])


def test_starter_code_is_compared_once_for_all_arms():
    attempts, manifest = TYPICAL
    assert start_pairs(episodes(attempts), manifest) == [("default, no starter", "default", "starter")]
    assert start_pairs(episodes(attempts), Manifest.from_json({})) == []


def test_prefill_difference_excludes_pending_first_answers():
    attempts, manifest = study(frameworks=["qiskit"], starters=[True, False])
    pending = [a for a in attempts if a.task_id[-1] in "02468"]
    pairs = []
    for stopped in (attempts, pending):
        ((without, with_, _),) = start_pairs(episodes(stopped), manifest)
        base, other = ([e for e in episodes(stopped) if e.first.condition == name] for name in (without, with_))
        (row,) = prefill_differences(base, other)
        pairs.append(row.by_framework["qiskit"].n)
    assert pairs[0] > pairs[1] > 0


def test_a_regraded_run_is_drawn_as_bounds():
    attempts = [
        *attempts_of("ep", "a", task_id="1"),
        *attempts_of("e", "b", task_id="2"),
        *attempts_of("p", "c", task_id="3"),
    ]
    attempts.append(attempt("p", 1, "b", task_id="2", off_policy=True))
    figure = curve(attempts, 1)
    (axes,) = scales(figure)
    drawn = [[round(y, 1) for y in line.get_ydata()] for line in axes.get_lines()]
    assert [33.3, 66.7] in drawn
    assert [33.3, 100.0] in drawn
    assert "REGRADED: 1 of 3 episodes" in texts(figure)


def test_too_many_panels_are_cut_with_a_notice():
    kept, said = panels.cut(list(range(9)), 4)
    assert kept == [0, 1, 2, 3]
    assert "ONLY 4 of 9 panels" in said[0]
    assert panels.cut([1], 4) == ([1], [])
