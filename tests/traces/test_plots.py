import re
import xml.etree.ElementTree as ET

import pytest
from made_up_runs import attempt, path, run
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from repair_bench.traces.faults import UsageError
from repair_bench.traces.metrics import FB_NOTE
from repair_bench.traces.plots import KINDS, draw, errors, repair_curve
from repair_bench.traces.plots.style import applied, line, shorten

FIGURES = {"repair-curve": repair_curve.figure, "errors": errors.figure}


def texts(figure) -> str:
    return " ".join(" ".join(t.get_text() for t in figure.findobj(Text)).split())


def clipped(figure) -> list[str]:
    """The texts that stand outside the page."""
    FigureCanvasAgg(figure).draw()
    page = figure.bbox
    boxes = [
        (t.get_text(), t.get_window_extent()) for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()
    ]
    return [text for text, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > page.x1 + 1 or b.y1 > page.y1 + 1]


LONG = "openrouter/anthropic/claude-3.5-sonnet-20241022:extended-thinking"
RUNS = {
    "1x1": run(frameworks=("cirq",)),
    "1x3": run(),
    "4x3": run(models=("a", "b", LONG, "sim/d"), faults=0.01, cut=0.1),
    "4x1": run(models=("a", "b", LONG, "sim/d"), frameworks=("qiskit",), repairs=12),
    "no repairs": run(models=("a", "b"), repairs=0),
    "small": run(tasks=3),
    "faults": (path("ef"), {"experiment": {"max_attempts": 5}}),
    "empty": ([], {}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RUNS)
def test_no_word_runs_off_the_page(kind, name):
    with applied():
        assert clipped(FIGURES[kind](*RUNS[name])) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_plot_is_a_png_and_an_svg_and_the_same_run_gives_the_same_bytes(kind, tmp_path):
    attempts, manifest = run(tasks=12)
    first = draw(kind, attempts, manifest, tmp_path / "a")
    again = draw(kind, list(reversed(attempts)), manifest, tmp_path / "b")
    assert [p.name for p in first] == [f"{kind}.png", f"{kind}.svg"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in again]
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert ET.parse(first[1]).getroot().tag.endswith("svg")
    svg = first[1].read_text()
    assert "<dc:date>" not in svg
    used = re.findall(r'(?:url\(#|href="#)([^")]+)', svg)
    assert used
    assert set(used) <= set(re.findall(r'id="([^"]+)"', svg))


@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_says_on_its_face_what_it_is_made_of(kind):
    with applied():
        plain = texts(FIGURES[kind](*run(models=("a",))))
        marked = texts(FIGURES[kind](*run(models=("a", "sim/b"), tasks=9, faults=0.03, cut=0.3)))
        all_made_up = texts(FIGURES[kind](path("p"), {"simulated": True}))
    assert "aligned 1.0 (n = 126 episodes)" in plain
    for word in ("SIMULATED MODEL", "PARTIAL", "FAULTS", "SMALL"):
        assert word not in plain
        assert word in marked
    assert "SIMULATED MODEL: sim/b" in marked
    assert "SIMULATED MODEL" in all_made_up


def test_the_repair_curve_explains_fb():
    with applied():
        assert FB_NOTE in texts(repair_curve.figure(*RUNS["1x3"]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_with_nothing_to_count_says_so(kind):
    with applied():
        assert "No attempt is recorded yet" in texts(FIGURES[kind](*RUNS["empty"]))
        assert "Hit by an infrastructure fault: 1" in texts(FIGURES[kind](*RUNS["faults"]))


def test_lines_stand_at_the_counted_rates():
    attempts = [*path("p", "a"), *path("ep", "b"), *path("ee", "c"), *path("ee", "d"), *path("ef", "e")]
    with applied():
        (axes,) = repair_curve.figure(attempts, {"experiment": {"max_attempts": 1}}).findobj(
            lambda a: hasattr(a, "get_xticks")
        )
    drawn = [list(line.get_ydata()) for line in axes.get_lines()]
    assert [25.0, 50.0] in drawn


def test_one_panel_a_framework_when_models_differ_too():
    with applied():
        figure = repair_curve.figure(*run(models=("a", "b")))
        titles = [ax.get_title(loc="left") for ax in figure.findobj(lambda a: hasattr(a, "get_xticks"))]
        single = repair_curve.figure(*run()).findobj(lambda a: hasattr(a, "get_xticks"))
    assert titles == ["cirq", "pennylane", "qiskit"]
    assert len(single) == 1


def test_conditions_have_lines_of_their_own():
    attempts = [
        attempt(letter, episode=condition, condition=condition) for letter, condition in (("p", "short"), ("e", "long"))
    ]
    with applied():
        text = texts(repair_curve.figure(attempts, {"experiment": {"max_attempts": 0}}))
    assert "short (n = 1)" in text
    assert "long (n = 1)" in text


def test_lines_differ_without_colour():
    looks = [(line(n)["marker"], line(n)["linestyle"], line(n)["color"]) for n in range(56)]
    assert len(set(looks)) == 56
    assert len({look[:2] for look in looks[:8]}) == 8


def test_long_names_keep_both_ends():
    assert shorten("a" * 30 + "b" * 30, 11) == "aaaaa…bbbbb"
    assert shorten("short") == "short"


def test_an_unknown_kind_is_bad_usage(tmp_path):
    with pytest.raises(UsageError, match="repair-curve, errors"):
        draw("pie", [], {}, tmp_path)
