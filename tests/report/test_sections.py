import json

import pytest
from printing import terminal_text

from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.report import sections
from repair_bench.report.sections import ON_PAGE, SECTIONS, SUMMARY, run_data, tables
from repair_bench.report.terminal import table
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, study, up_to
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion, Feedback, Verdict
from repair_bench.traces.run.manifest import Manifest

STUDY = study(
    ("a", "b", "c"), ("cirq", "qiskit"), tasks=6, repairs=2, samples=2, starters=(True, False),
    policies=("default", "none", "verdict", "shuffled"),
)  # fmt: skip


def arms(**paths):
    """Return attempts of arms that share their first answers. `paths`: by arm, the letters of each task's episode."""
    return [
        attempt(letter, n, f"{arm}-{task}", task_id=str(task), condition=arm, id=f"{arm if n else 'root'}-{task}-{n}")
        for arm, letters in paths.items()
        for task, path in enumerate(letters)
        for n, letter in enumerate(path)
    ]


def feedback_arms(repairs):
    conditions = {name: {"feedback": name} for name in ("default", "none")}
    return Manifest.from_json({"experiment": {"max_attempts": repairs, "conditions": conditions}})


def found(attempts, manifest, certificate=None):
    return sections.data(run_data(manifest, attempts, certificate))


def printed(attempts, manifest, names, width=80):
    shown = tables(run_data(manifest, attempts), names).values()
    return terminal_text((part for one in shown for part in table(one, width)), width)


@pytest.mark.slow
def test_every_section_is_json_and_fits_the_terminal():
    data = found(*STUDY)
    # synthetic answers have no code, and their tasks hide no convention
    silent = {"information", "bounds", "trying", "net_gain", "oracles", "leaks"}
    silent |= {"endings", "faults", "stopping", "tokens", "understanding"}
    silent |= {"horizon", "horizon_ratios", "horizon_slacks"}  # and their tasks have no instances
    assert set(SECTIONS) - set(data) == silent
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    text = printed(*STUDY, SECTIONS)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for section in data.values():
        assert section["title"].split(",")[0] in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 200])
def test_tables_only_on_the_page_can_be_printed(width):
    text = printed(*STUDY, {**SUMMARY, **ON_PAGE}, width)
    assert max(map(len, text.splitlines())) <= width
    assert "Failures before and after feedback" in text


def test_a_run_of_one_condition_sample_and_framework_has_few_sections():
    assert found(*run(models=("a",), frameworks=("cirq",), tasks=4)) == {}
    assert found([], Manifest.from_json({})) == {}


def test_cached_and_reasoning_tokens_are_separate():
    read = {"cached_tokens": 800, "cache_creation_tokens": 100}
    written = {"reasoning_tokens": 7}
    counts = {"prompt_tokens": 1000, "completion_tokens": 10}
    usages = [{**counts, "prompt_tokens_details": read, "completion_tokens_details": written}, counts]
    made = [attempt("w", 0, f"ep{n}", completion=Completion("", usage=usage)) for n, usage in enumerate(usages)]
    (row,) = found(made, Manifest.from_json({}))["tokens"]["rows"]
    assert row["prompt_tokens"] == {"known": 2000, "unknown": 0}
    assert [row[kind]["known"] for kind in (*read, *written)] == [800, 100, 7]
    assert row["cached_tokens"]["unknown"] == 1
    text = printed(made, Manifest.from_json({}), SECTIONS)
    assert "Cached and reasoning tokens" in text
    assert max(map(len, text.splitlines())) <= 80


def test_redactions_are_listed_by_model_and_suite():
    lost = {"02": 3, "01": 1, "03": 0}
    attempts = [
        made
        for task, redacted in lost.items()
        for made in (
            attempt("w", 0, task, task_id=task),
            attempt("w", 1, task, task_id=task, feedback=Feedback("default", "it failed", redacted=redacted)),
            attempt("p", 2, task, task_id=task, feedback=Feedback("default", "it failed", redacted=0)),
        )
    ]
    data = found([*attempts, *attempts_of("wp", "other", model="another")], up_to(2))
    (row,) = data["leaks"]["rows"]
    assert (row["model"], row["suite"], row["condition"]) == ("sim/one", "aligned", "default")
    assert (row["feedbacks"], row["redacted"], row["pieces"]) == (6, 2, 4)
    assert [task["task_id"] for task in row["tasks"]] == ["01", "02"]
    assert data["leaks"]["shown"][0]["redacted feedbacks"] == "2 / 6"
    assert "leaks" not in found(attempts_of("wwp"), up_to(2))


def test_oracles_are_compared_with_published_tests():
    def judged(sample, task, kind, published):
        return attempt("p", 0, task, task_id=task, sample=sample, verdict=Verdict(kind, {}, published=published))

    attempts = [
        judged(0, "01", "pass", "pass"),
        judged(0, "02", "wrong_answer", "pass"),
        judged(0, "03", "pass", "wrong_answer"),
        judged(0, "04", "exception", "exception"),
        judged(0, "05", "pass", None),  # it has no oracle
    ]
    manifest = up_to(0)
    (row,) = found(attempts, manifest)["oracles"]["rows"]
    assert (row["tasks"], row["with_oracle"], row["answers"]) == (5, 4, 4)
    assert (row["both_pass"], row["both_fail"], row["fails_right"], row["passes_wrong"]) == (1, 1, 1, 1)
    assert row["disputed"] == ["02", "03"]
    text = " ".join(printed(attempts, manifest, {"oracles": SECTIONS["oracles"]}).split())
    assert "4 / 5" in text
    assert "02, 03" in text
    assert "oracles" not in found(attempts[-1:], manifest)


def test_pooled_frameworks_have_wider_intervals_than_as_many_problems():
    attempts = [
        a
        for framework in ("cirq", "qiskit", "pennylane")
        for n in range(20)
        for a in attempts_of("p" if n < 10 else "e", f"{framework}{n}", framework=framework, task_id=str(n))
    ]
    (row,) = found(attempts, up_to(0))["frameworks"]["rows"]
    (alone,) = row["fb"]
    assert (alone["rate"], alone["n"], alone["problems"]) == (0.5, 60, 20)
    assert alone["high"] - alone["low"] > 0.4, "correlated variants count once: 20 problems, not 60"


def test_pass_at_k_is_limited_by_the_samples():
    attempts = [
        attempt("p" if n < passes else "w", episode=f"{task}-{n}", task_id=task, sample=n)
        for task, passes in (("1", 1), ("2", 5))
        for n in range(5)
    ]
    (row,) = found(attempts, up_to(0))["pass_at_k"]["rows"]
    assert {point["k"]: point["rate"] for point in row["pass_at"]} == {1: pytest.approx(0.6), 5: 1.0}
    assert "Pass@10 needs 10 samples" in found(attempts, up_to(0))["pass_at_k"]["note"]


def test_feedback_is_compared_with_each_control_with_adjustment():
    rows = found(*STUDY)["effects"]["rows"]
    assert len(rows) == 3 * 2 * 3, "models x prompts x controls"
    assert {row["control"].split(",")[0] for row in rows} == {"none", "verdict", "shuffled"}
    for row in rows:
        assert row["by"][0]["difference"] == row["by"][0]["low"] == row["by"][0]["high"] == 0, (
            "first answers are shared"
        )
        assert 0 < row["p"] <= 1
        assert row["p_holm"] >= row["p"]
        assert row["by"][-1]["difference"] == pytest.approx((row["won"] - row["lost"]) / row["by"][-1]["n"])
    smallest = min(rows, key=lambda row: row["p"])
    assert smallest["p_holm"] == pytest.approx(min(1.0, smallest["p"] * len(rows)))


def compared(problems, more=0):
    """Return p and the note for an arm that solves `problems` problems that resampling does not; both solve `more`."""
    attempts = arms(default=["wp"] * (problems + more), none=["ww"] * problems + ["wp"] * more)
    effects = found(attempts, feedback_arms(1))["effects"]
    assert [row["differing"] for row in effects["rows"]] == [problems]
    return effects["rows"][0]["p"], effects["note"]


def test_few_differing_problems_cause_a_warning():
    """Only problems in which the arms differ count."""
    for problems, more, warns in ((4, 0, True), (19, 0, True), (20, 0, False), (19, 60, True), (20, 60, False)):
        _, note = compared(problems, more)
        assert ("In 1 row fewer than 20 problems differ: p assumes symmetric effects" in note) is warns


def test_too_few_differing_problems_are_noted():
    p, note = compared(4)
    assert p == 1 / 16
    assert "In 1 row fewer than 5 problems differ, so p cannot be below 0.05." in note
    p, note = compared(5)
    assert p == 1 / 32
    assert "cannot" not in note


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (["wp", "www"], None),
        (["wp", "wf", "ww", "w"], "excludes 3 of 4 episodes (censored): 1 infrastructure error, 2 not finished."),
        (["wf"], "excludes 1 of 1 episode (censored): 1 infrastructure error."),
    ],
)
def test_feedback_utilisation_counts_excluded_episodes(paths, says):
    reach = Reach(4, (0.25, 1.0, 1.0), exact=True, consistent=None)
    observed = [
        Observed(
            Episode(tuple(attempts_of(path, f"e{n}", suite="conventions", task_id=f"{n}-2"))),
            str(n),
            2,
            reach,
            (Seen(0, mixed=False, kept=3, solved=1, cells=()),) * len(path),
            reach.best,
        )
        for n, path in enumerate(paths)
    ]
    attempts = [a for one in observed for a in one.episode.attempts]
    run = run_data(up_to(2), attempts, observed=observed)
    information = tables(run, SECTIONS)["information"]
    said = " ".join(information.notes + information.lines)
    assert ("excludes" in said) == (says is not None)
    assert says is None or says in said


def test_errors_do_not_change_shared_first_answers():
    """Repairs of one arm have errors: both arms have the same Pass@1 and n, and the affected arm has bounds."""
    attempts = arms(default=["p", "wp", "wf", "www"], none=["p", "www", "wwp", "www"])
    manifest = up_to(2)
    first = [row["fb"][0] | {"n": row["counted"]} for row in run_data(manifest, attempts).summary["rows"]]
    assert first[0] == first[1]
    (row,) = found(attempts, manifest)["bounds"]["rows"]
    assert row["condition"] == "default"
    assert (row["fb"][2]["least"]["rate"], row["fb"][2]["most"]["rate"]) == (0.5, 0.75)
    assert "INFRASTRUCTURE ERRORS: 1 episode censored" in run_data(manifest, attempts).summary["notices"][0]
    assert "50.0-75.0" in printed(attempts, manifest, {"bounds": SECTIONS["bounds"]})


def test_equal_budget_counts_unsolved_episodes_with_budget():
    rows = found(arms(default=["ep"], none=["eep"]), feedback_arms(2))["equal_budget"]["rows"]
    by = {(row["unit"], row["budget"]): row["difference"] for row in rows}
    assert by["calls", 3.0] == 0
    assert by["usd", 0.5] == 1.0


def test_equal_budget_states_the_number_of_excluded_pairs():
    known = arms(default=["ep", "ep"], none=["eep", "eee"])
    silent = [one.replaced(completion=Completion("x")) if one.id == "default-1-1" else one for one in known]
    before, after = (found(attempts, feedback_arms(2))["equal_budget"] for attempts in (known, silent))
    assert "excluded" not in before["note"] + str(before["shown"])
    assert "excluded: pairs of unknown cost" in after["note"]
    excluded = {row["budget per episode"].split()[-1]: row["excluded"] for row in after["shown"]}
    assert excluded == {"calls": "0", "tokens": "1", "USD": "1"}


@pytest.mark.slow
def test_best_condition_is_shown_with_the_mean():
    data = found(*STUDY)["best"]
    for row in data["rows"]:
        assert row["highest"] >= row["mean"]
        assert row["mean"] == pytest.approx(sum(row["rates"].values()) / len(row["rates"]))
    assert all("mean" in shown for shown in data["shown"])


def test_spurious_repair_is_subtracted_under_noisy_rules():
    noisy = Verdict("wrong_answer", {"cases": []}, rule="released")
    attempts = [
        attempt("w", 0, "a", verdict=noisy),
        attempt("p", 1, "a", verdict=Verdict("pass", rule="released")),
    ]
    manifest = up_to(1)
    tasks = [{"id": "01", "framework": "qiskit", "accepted": 0.9}]
    certificate = {"suite": "aligned", "rule": "released", "tasks": tasks}
    (row,) = found(attempts, manifest, certificate)["net_gain"]["rows"]
    assert row["gain"]["gain"] == 1
    assert row["phantom"] == pytest.approx(0.1 - 0.1**2)
    assert row["net"]["gain"] == pytest.approx(1 - 0.09)
    unknown = found(attempts, manifest)["net_gain"]
    assert unknown["rows"][0]["net"] is None
    assert "--certificate" in unknown["note"]
    with pytest.raises(UsageError, match="for aligned, rule paper"):
        found(attempts, manifest, {**certificate, "rule": "paper"})
    assert "net_gain" not in found(*run(tasks=2))
