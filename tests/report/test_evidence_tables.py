"""Tables of evidence, of costs by role and of probes, on the screen, the page and in JSON."""

import json

import pytest
from printing import terminal_text

from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.report import sections
from repair_bench.report.page import facts
from repair_bench.report.sections import SECTIONS, SUMMARY, headline, printed, run_data, tables
from repair_bench.report.terminal import table
from repair_bench.testing.made_up_runs import attempt, study
from repair_bench.traces.record.records import Completion, Feedback, Query
from repair_bench.traces.run.manifest import Manifest

POLICIES = ("default", "verdict", "critic", "tool")
ANALYSIS = Completion("Reverse it.", {"prompt_tokens": 50, "completion_tokens": 5}, 0.001)


def of_arms(policies=POLICIES, **more):
    """Return the attempts of arms, with a critic's reply before each repair of the arm `critic`."""
    made, _ = study(frameworks=("qiskit",), tasks=8, repairs=3, policies=policies)
    conditions = {name: {"feedback": name} for name in policies}
    if "critic" in conditions:
        conditions["critic"]["critic"] = ["self", ["task"], False]
    critic = Feedback("critic", "it failed", critic=Query("sim/one", [], ANALYSIS))
    asked = [one.replaced(feedback=critic) if one.condition == "critic" and one.attempt else one for one in made]
    experiment = {"max_attempts": 3, "conditions": {**conditions, **more}}
    return asked, Manifest.from_json({"experiment": experiment, "simulated": ["sim/one"]})


def screen(data, width=80):
    return terminal_text(printed.short(data, width), width)


@pytest.fixture(scope="module")
def data():
    attempts, manifest = of_arms()
    return run_data(manifest, attempts)


def test_evidence_has_a_row_per_arm(data):
    found = sections.data(data)["evidence"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    rows = {row["arm"]: row for row in found["rows"]}
    assert [row["evidence"] for row in rows.values()] == ["self-critic", "default", "tool", "verdict"]
    assert set(rows["tool"]["differences"]) == {"default", "verdict"}
    assert [point["k"] for point in rows["tool"]["fb"]] == [1, 3]
    assert rows["critic"]["bits_used"] is None
    assert "bits" not in found["note"]
    text = terminal_text((part for one in tables(data, SECTIONS).values() for part in table(one, 80)), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_short_report_has_evidence_only_with_its_sources(data):
    assert "Evidence: " in screen(data)
    assert "self-critic" not in screen(data)  # the arm is called critic
    assert screen(data).count("\n") <= printed.SCREEN
    attempts, manifest = of_arms(("default", "verdict"))
    assert "Evidence: " not in screen(run_data(manifest, attempts))
    attempts, manifest = of_arms(("default", "verdict"), default={"feedback": "default", "ask": 1})
    assert "Evidence: " in screen(run_data(manifest, attempts))


def test_evidence_notes_few_differing_problems_and_censored_episodes(data):
    attempts, manifest = of_arms()
    cut = run_data(manifest, [one for one in attempts if one.attempt < 3 or one.task_id > "03"])
    for run, censored in ((data, False), (cut, True)):
        found, short = tables(run, SECTIONS)["evidence"], headline.evidence(run).notes[0]
        assert all(0 <= one["differing"] < 5 for row in found.data for one in row["differences"].values())
        assert "In 5 comparisons fewer than 5 problems differ, so p cannot be below 0.05." in found.notes[0]
        assert "In 5 comparisons, the arms differ on fewer than 20 problems, so p is unreliable" in short
        for note in (found.notes[0], short):
            assert ("the sign or significance depends on censored episodes." in note) is censored
        assert ("bounds\ndefault" in found.texts[0]) is censored


def test_long_names_of_arms_are_whole_and_columns_fit():
    attempts, manifest = of_arms((*POLICIES, "none"))
    named = [one.replaced(condition=f"{one.condition}+3-questions-and-5-tries") for one in attempts[::1]]
    conditions = {f"{name}+3-questions-and-5-tries": value for name, value in manifest.conditions.items()}
    long = Manifest.from_json({"experiment": {"max_attempts": 3, "conditions": {**manifest.conditions, **conditions}}})
    both = [*attempts, *(one.replaced(episode=f"{one.episode} long", id=f"{one.id} long") for one in named)]
    text = terminal_text((part for one in tables(run_data(long, both), SECTIONS).values() for part in table(one)), 80)
    assert "critic+3-questions-and-5-tries" in text
    assert "…" not in text


def test_more_than_four_comparisons_have_a_row_each():
    attempts, manifest = of_arms(("default", "critic", "tool", "none", "verdict"))
    text = terminal_text([*table(headline.effects(run_data(manifest, attempts)))], 80)
    assert "critic - verdict" in text
    assert max(map(len, text.splitlines())) <= 80


def test_costs_are_split_by_role(data):
    repairs = sum(one.condition == "critic" and one.attempt > 0 for one in data.attempts)
    row = next(row for row in data.summary["rows"] if row["condition"] == "critic")
    assert row["roles"]["critic"]["queries"] == repairs
    assert row["roles"]["critic"]["cost_usd"]["value"] == pytest.approx(0.001 * repairs)
    for name in ("prompt_tokens", "cost_usd"):
        assert row[name]["value"] == pytest.approx(sum(part[name]["value"] for part in row["roles"].values()))
    assert ["roles" in row for row in data.summary["rows"]] == [True, False, False, False]
    shown = tables(data, SUMMARY)["roles"].texts
    assert [one["role"] for one in shown] == ["solver", "critic"]
    assert f"critic {0.001 * repairs:.4f} USD, {55 * repairs:,} tokens" in " ".join(screen(data).split())
    _, detail = facts.counts(data.manifest, data.attempts, data.summary)["cost, USD"]
    assert f"critic {0.001 * repairs:.4f}" in detail


def test_unknown_cost_of_a_critic_is_unknown():
    silent = Feedback("critic", "", critic=Query("m", [], Completion("x")))
    data = run_data(Manifest.from_json({}), [attempt("w"), attempt("p", 1, feedback=silent)])
    assert data.summary["total"]["cost_usd"] == {"value": None, "known": 0.5, "unknown": 1}
    assert data.summary["total"]["roles"]["critic"]["cost_usd"]["value"] is None
    assert "By role: solver 0.5000 USD, 220 tokens, critic unknown USD, unknown tokens." in headline.cost(data)
    assert "roles" not in tables(run_data(Manifest.from_json({}), [attempt("p")]), SUMMARY)


def test_probes_and_bits_are_shown_for_open_conventions():
    tasks = {"suite": "conventions", "task_id": "fourier-2"}
    members = [
        (
            arm,
            [
                attempt("w", 0, f"{arm}{n}", condition=arm, **tasks),
                attempt(end, 1, f"{arm}{n}", condition=arm, **tasks),
            ],
        )
        for arm, ends in (("critic", "ppw"), ("default", "wwp"))
        for n, end in enumerate(ends)
    ]
    members = [[one.replaced(sample=n) for one in path] for n, (_, path) in enumerate(members)]
    seen = tuple(Seen(g, mixed=False, kept=kept, solved=0, cells=()) for g, kept in ((0, 0b1100), (2, 0b0100)))
    observed = [
        Observed(one, "fourier", 2, Reach(4, (0.25, 1.0), True, None), seen, (0.0, 0.0), understood=(None, n != 1))
        for n, one in enumerate(episodes([a for path in members for a in path]))
    ]
    manifest = Manifest.from_json({"experiment": {"max_attempts": 1, "conditions": {}}})
    attempts = [a for path in members for a in path]
    found = sections.data(run_data(manifest, attempts, observed=observed))
    critic = found["understanding"]["rows"][0]
    assert [critic[name] for name in ("applied", "not_applied", "not_understood", "guessed")] == [1, 1, 0, 1]
    (row, _) = found["evidence"]["rows"]
    assert (row["bits_received"]["bits"], row["bits_used"]["bits"]) == (1, 1)
    assert row["bits_per_thousand_tokens"] == pytest.approx(1000 / 110)
    assert "bits used" in found["evidence"]["note"]
