"""Tables, plot, page and CSV of the horizon; other runs show nothing of it."""

import csv
import json
from pathlib import Path

import pytest
from horizon_runs import DEFAULT, HIDDEN, VERDICT, arm, half_censored, solving
from matplotlib.text import Text

from repair_bench.report import page, plots, sections
from repair_bench.report.exports import export
from repair_bench.report.page import facts
from repair_bench.report.plots import NothingToDraw, horizon, panels
from repair_bench.report.plots.style import applied
from repair_bench.report.sections import headline, run_data
from repair_bench.testing.made_up_runs import attempts_of, run, up_to, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

MANIFEST = Manifest(
    {"experiment": {"max_attempts": 1, "conditions": {name: {"feedback": name} for name in ("default", "verdict")}}}
)
ATTEMPTS = [*arm("default", DEFAULT), *arm("verdict", VERDICT)]
NAMES = {name: place for name, place in sections.SECTIONS.items() if name.startswith("horizon")}


@pytest.mark.slow
def test_tables_show_horizons_ratios_and_slacks() -> None:
    found = {name: table.to_json() for name, table in sections.tables(run_data(MANIFEST, ATTEMPTS), NAMES).items()}
    assert list(found) == ["horizon", "horizon_ratios", "horizon_slacks"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    default, verdict = found["horizon"]["rows"]
    assert [point["estimate"] for point in default["by"]] == pytest.approx([10.3, 13.4], abs=0.4)
    assert default["by"][0] == verdict["by"][0]
    assert default["by"][1]["low"] < default["by"][1]["estimate"] < default["by"][1]["high"]
    (ratio,) = found["horizon_ratios"]["rows"]
    assert (ratio["arm"], ratio["control"], ratio["n"]) == ("default", "verdict", 6)
    (slacks,) = found["horizon_slacks"]["rows"]
    by_slack = {point["slack"]: point["estimate"] for point in slacks["by"]}
    assert by_slack[1.0] is None
    assert by_slack[1.25] == by_slack[2.0] == default["by"][0]["estimate"]


def test_horizons_outside_the_sizes_are_shown_as_limits() -> None:
    solver = [a for size in (6, 8, 10) for a in solving(size, [HIDDEN])]
    (row,) = sections.tables(run_data(up_to(0), solver), {"horizon": NAMES["horizon"]})["horizon"].texts
    assert row["k=0"].startswith(">20 (")
    assert row["k=0"].endswith("..)")


def test_n_is_the_number_of_programs_at_the_first_and_the_last_k() -> None:
    table = sections.tables(run_data(up_to(1), half_censored()), {"horizon": NAMES["horizon"]})["horizon"].to_json()
    assert [point["n"] for point in table["rows"][0]["by"]] == [20, 14]
    assert table["shown"][0]["n"] == "20 to 14"
    assert "Episodes censored within k repairs are excluded" in table["note"]
    whole = sections.tables(run_data(up_to(1), solving(8, [3, 5])), {"horizon": NAMES["horizon"]})["horizon"].to_json()
    assert whole["shown"][0]["n"] == "1"
    assert "censored" not in whole["note"]


def test_models_without_programs_are_below_the_sizes() -> None:
    named = {"model": "weak", "suite": "horizon?seed=1"}
    weak = [a for size in (8, 10) for a in attempts_of("n", f"{size}", task_id=f"parity-{size}", **named)]
    data = run_data(up_to(0), [*weak, *solving(8, [HIDDEN])])
    rows = sections.tables(data, {"horizon": NAMES["horizon"]})["horizon"].texts
    assert [row["k=0"][:5] for row in rows if row["model"] == "weak"] == ["<4 (."]


def test_short_report_shows_the_first_and_the_last_horizon() -> None:
    table = headline.horizons(run_data(MANIFEST, ATTEMPTS))
    assert [column.name for column in table.columns] == ["model", "suite", "condition", "family", "k=0", "k=1"]
    assert len(table.rows) == 2
    assert headline.horizons(run_data(*reversed(run(tasks=3)))).rows == ()


def test_other_runs_show_nothing_of_it(tmp_path: Path) -> None:
    attempts, manifest = run(tasks=3)
    assert sections.tables(run_data(manifest, attempts), NAMES) == {}
    assert "horizon" not in plots.of_runs(attempts)
    with pytest.raises(NothingToDraw, match="No task in the run has hidden instances"):
        horizon.figure(attempts, manifest)
    directory = written(tmp_path / "run", attempts, manifest)
    with pytest.raises(UsageError, match="No task in the run has hidden instances"):
        export(load_rows(directory), "instances", directory)
    assert not (directory / "instances.csv").exists()


def test_plot_has_a_line_per_arm_and_its_interval() -> None:
    with applied():
        drawn = horizon.figure(ATTEMPTS, MANIFEST)
    texts = " ".join(text.get_text() for text in drawn.findobj(Text))
    assert all(word in texts for word in ("parity", "default", "verdict", "Bands: 95%"))
    (axes,) = [ax for part in drawn.subfigs for ax in part.axes]
    default = next(line for line in axes.get_lines() if len(line.get_xdata()))
    assert list(default.get_ydata()) == pytest.approx([10.3, 13.4], abs=0.4)


def test_plot_of_first_answers_has_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panels, "MAX_PANELS", 1)
    first = [a for a in ATTEMPTS if a.attempt == 0]
    with applied():
        drawn = horizon.figure([*first, *solving(8, [4], task_id="tcount-8", condition="default")], up_to(0))
    texts = " ".join(text.get_text() for text in drawn.findobj(Text))
    assert "Bars: 95%" in texts
    assert "ONLY 1 of 2 panels" in texts


def test_panels_are_named_by_family() -> None:
    both = [*ATTEMPTS, *solving(8, [4], task_id="tcount-8", condition="default", suite="horizon?seed=2")]
    with applied():
        drawn = horizon.figure(both, MANIFEST)
    assert [ax.get_title("left") for part in drawn.subfigs for ax in part.axes] == ["parity", "tcount"]


@pytest.mark.slow
def test_page_contains_the_tables_and_the_plot(tmp_path: Path) -> None:
    rows = load_rows(written(tmp_path / "run", ATTEMPTS, MANIFEST)).rows
    page.write(MANIFEST, rows, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert 'aria-label="Figure: Horizon"' in text
    assert "Effect of feedback on the horizon" in text
    assert facts.settings(MANIFEST, rows)["rule"] == "budget"


def test_csv_has_one_row_per_attempt_and_instance(tmp_path: Path) -> None:
    directory = written(tmp_path / "run", solving(8, [3, HIDDEN]), up_to(1))
    (file,) = export(load_rows(directory), "instances", directory)
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 2 * 2 * HIDDEN
    last = rows[-1]
    assert [last[name] for name in ("family", "size", "attempt", "instance", "hidden")] == [
        "parity",
        "8",
        "1",
        "19",
        "True",
    ]
    assert [last[name] for name in ("planted", "budget", "cost", "bound", "problem")] == ["20", "25", "24", "11", ""]
    unsolved = [row for row in rows if row["attempt"] == "0" and row["hidden"] == "True" and not row["cost"]]
    assert len(unsolved) == HIDDEN - 3
