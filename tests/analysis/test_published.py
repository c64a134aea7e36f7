"""Consistency of the published figures with each other."""

import dataclasses
import json
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from repair_bench.analysis import published
from repair_bench.analysis.published import PAPERS, load
from repair_bench.analysis.rates.statistics import wilson
from repair_bench.traces.faults import UsageError


class Printed:
    """The tables of a paper: those of the package, and those in the folder `published` that only these tests use."""

    def __init__(self, name):
        self.name = name
        path = Path(__file__).parent / "published" / f"{name.replace('-', '_')}.json"
        self.others = json.loads(path.read_text(encoding="utf-8"))

    def rows(self, table):
        if table not in self.others:
            return load(self.name).tables[table]
        row = dataclasses.make_dataclass(table, self.others[table]["columns"], frozen=True)
        return [row(*values) for values in self.others[table]["rows"]]

    def stated(self, what):
        """Return a figure that the text states."""
        return {row.what: row.value for row in self.rows("statements")}[what]


QUANBENCH = Printed("quanbench-plus")
KATAS = Printed("quantum-katas")
HUMANEVAL = Printed("qiskit-humaneval")

TASKS = 42
HALF_A_TENTH = 0.05001
"""The maximum rounding error of one decimal."""


def tasks(percent, of=TASKS):
    """Return the number of tasks that corresponds to a printed percentage."""
    count = round(percent * of / 100)
    assert abs(100 * count / of - percent) <= HALF_A_TENTH, f"{percent}% of {of} is not an integer"
    return count


@pytest.mark.parametrize("name", PAPERS)
def test_papers_have_tables_caveats_and_missing_figures(name):
    paper = load(name)
    assert paper.caveats
    assert all(paper.missing.values())
    assert not set(paper.missing) & set(paper.tables)
    assert all(len(set(rows)) == len(rows) > 0 for rows in paper.tables.values())
    stored = resources.files(published) / f"{name.replace('-', '_')}.json"
    tables = json.loads(stored.read_text(encoding="utf-8"))["tables"]
    assert all(table["where"] and table["caption"] for table in tables.values())


def test_unknown_paper_is_refused():
    with pytest.raises(UsageError, match="Choose from quanbench-plus, quantum-katas"):
        load("quanbench")


def test_table_2_has_977_failures_before_feedback():
    rows = QUANBENCH.rows("table_2")
    assert len(rows) == 36
    assert sum(TASKS - tasks(row.pass_at_1) for row in rows) == QUANBENCH.stated("failed tasks before feedback") == 977


def test_failures_after_feedback_are_704_in_table_and_665_in_text():
    assert sum(TASKS - tasks(row.fb) for row in QUANBENCH.rows("table_2")) == 704
    assert QUANBENCH.stated("failed tasks after feedback") == 665


def test_best_scores_match_the_abstract():
    best = {}
    for row in QUANBENCH.rows("table_2"):
        one, fb = best.get(row.framework, (0, 0))
        best[row.framework] = max(one, row.pass_at_1), max(fb, row.fb)
    assert best == {"qiskit": (59.5, 83.3), "cirq": (54.8, 76.2), "pennylane": (42.9, 66.7)}


def test_one_model_scores_lower_with_feedback_than_without():
    lower = [row for row in QUANBENCH.rows("table_2") if row.fb < row.pass_at_1]
    assert [(row.model, row.framework, row.pass_at_1, row.fb) for row in lower] == [
        ("DeepSeek-Chat", "qiskit", 45.2, 42.9)
    ]


def test_pass_at_5_is_never_below_pass_at_1_and_has_the_same_models():
    one = {(row.model, row.framework): row.pass_at_1 for row in QUANBENCH.rows("table_2")}
    five = {(row.model, row.framework): row.pass_at_5 for row in QUANBENCH.rows("table_6")}
    assert one.keys() == five.keys()
    assert all(five[key] >= one[key] and tasks(five[key]) for key in five)


def test_feedback_beats_five_samples_in_25_of_36_cells():
    fb = {(row.model, row.framework): row.fb for row in QUANBENCH.rows("table_2")}
    assert Counter((fb[row.model, row.framework] > row.pass_at_5) for row in QUANBENCH.rows("table_6"))[True] == 25


def test_the_averages_of_table_1_are_means_of_the_three_frameworks():
    for row in QUANBENCH.rows("table_1"):
        assert (row.qiskit + row.cirq + row.pennylane) / 3 == pytest.approx(row.average, abs=HALF_A_TENTH), row


def test_some_differences_of_table_1_are_not_multiples_of_a_task():
    """A difference of two printed rates has a rounding error of up to 0.1 percentage points."""
    differences = [(row.model, d) for row in QUANBENCH.rows("table_1") for d in (row.qiskit, row.cirq, row.pennylane)]
    broken = [(model, d) for model, d in differences if abs(100 * round(d * TASKS / 100) / TASKS - d) > 0.1001]
    assert {model for model, _ in broken} == {"DeepSeek-R1", "Gemini-3-Pro-Preview", "GPT-5.1"}
    assert len(broken) == 6


def test_error_shares_before_feedback_sum_to_100_percent():
    shares = QUANBENCH.rows("error_shares")
    assert sum(row.before for row in shares) == pytest.approx(100, abs=0.3)
    after = [row.after for row in shares if row.after is not None]
    assert len(after) == 5
    assert 90 < sum(after) < 100


def test_the_categories_of_quanbench_plus_are_42_tasks():
    assert sum(row.tasks for row in QUANBENCH.rows("table_4")) == TASKS


def test_katas_categories_sum_to_350_tasks():
    rows = KATAS.rows("table_6")
    assert len(rows) == 26
    assert all(row.attempts % 16 == 0 for row in rows)
    assert sum(row.attempts for row in rows) == 350 * 16
    passed = sum(tasks(row.rate, row.attempts) for row in rows)
    assert passed / 5600 == pytest.approx(0.5905, abs=0.0005), "the mean of the models' best configurations"
    frontier, open_ = KATAS.stated("mean best pass rate, frontier"), KATAS.stated("mean best pass rate, open")
    assert (6 * frontier + 10 * open_) / 16 == pytest.approx(100 * passed / 5600, abs=0.05)
    assert [row.rate for row in rows] == sorted((row.rate for row in rows), reverse=True)


def test_difficulty_is_overall_rate_minus_rate_of_category():
    rates = {row.category: row.rate for row in KATAS.rows("table_6")}
    for row in KATAS.rows("difficulty"):
        assert 59.05 - rates[row.category] == pytest.approx(row.points, abs=0.11), row


def test_table_7_adds_up():
    rows = KATAS.rows("table_7")
    total = KATAS.stated("errors")
    assert sum(row.count for row in rows) == total == KATAS.stated("runs") - KATAS.stated("runs that passed")
    groups = Counter()
    for row in rows:
        groups[row.group] += row.count
    assert {group: round(100 * count / total, 1) for group, count in groups.items()} == {
        "logic errors": 43.0,
        "code structure": 31.6,
        "generation failures": 3.8,
        "API errors": 13.6,
        "runtime/other": 8.0,
    }
    for row in rows:
        assert 100 * row.count / total == pytest.approx(row.percent, abs=HALF_A_TENTH), row


def test_the_strategies_average_to_the_passed_runs():
    means = [row.mean for row in KATAS.rows("strategies")]
    assert len(means) == KATAS.stated("configurations")
    assert sum(means) / 7 == pytest.approx(100 * KATAS.stated("runs that passed") / KATAS.stated("runs"), abs=0.05)


def test_mean_of_frontier_models_matches_the_text():
    best = [row.best for row in KATAS.rows("models") if row.tier == "frontier"]
    assert len(best) == 6
    assert sum(best) / 6 == pytest.approx(KATAS.stated("mean best pass rate, frontier"), abs=HALF_A_TENTH)


def test_the_published_intervals_are_wilson_intervals_of_350():
    given = [row for row in KATAS.rows("models") if row.low is not None and row.best is not None]
    assert len(given) == 3
    for row in given:
        low, high = wilson(tasks(row.best, 350) / 350, 350)
        assert (round(100 * low, 1), round(100 * high, 1)) == (row.low, row.high)


def test_chain_of_thought_differences_are_differences():
    whole = [row for row in KATAS.rows("chain_of_thought") if row.best_other is not None]
    for row in whole:
        assert row.chain_of_thought - row.best_other == pytest.approx(row.difference, abs=0.11), row


def test_same_family_and_other_family_similarity_average_to_the_mean():
    """2 of the 10 pairs of the top five models belong to one family."""
    stated = KATAS.stated
    mean = 0.2 * stated("AST similarity, same family") + 0.8 * stated("AST similarity, other family")
    assert mean == pytest.approx(stated("AST similarity, mean"), abs=0.0006)
    assert stated("AST similarity, pairs") == 10 * stated("AST similarity, tasks")


def test_the_tiers_are_350_tasks():
    assert sum(row.tasks for row in KATAS.rows("tiers")) == 350


def test_qiskit_humaneval_passes_by_difficulty_add_up_to_its_rates():
    rates = {row.model: row.qiskit_humaneval for row in HUMANEVAL.rows("table_2")}
    assert sum(row.tasks for row in HUMANEVAL.rows("table_1")) == 101
    for row in HUMANEVAL.rows("table_3"):
        passed = row.basic + row.intermediate + row.difficult
        assert 100 * passed / 101 == pytest.approx(rates[row.model], abs=0.0051)


@pytest.mark.parametrize("name", PAPERS)
def test_tables_and_rows_are_unique(name):
    paper = Printed(name)
    assert not set(paper.others) & set(load(name).tables)
    for table, stored in paper.others.items():
        assert stored["where"]
        assert stored["caption"]
        assert len(set(paper.rows(table))) == len(paper.rows(table)) > 0
