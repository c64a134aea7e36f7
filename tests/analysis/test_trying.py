"""Tool use compared with feedback, by hand."""

import pytest

from repair_bench.analysis.comparing.tool_use import trying
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.report.sections.base import run_data
from repair_bench.report.sections.trying import section
from repair_bench.testing.made_up_runs import attempts_of
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest

MANIFEST = Manifest.from_json(
    {
        "experiment": {
            "max_attempts": 1,
            "conditions": {"0-tries": {"feedback": "default"}, "2-tries": {"feedback": "default", "tools": 2}},
        }
    }
)


def arm(name, paths, tokens, executions=0, usd=None):
    """Return one episode per task; every attempt costs `tokens` tokens."""
    completion = Completion("x", {"prompt_tokens": tokens, "completion_tokens": 0}, usd)
    return [
        made
        for task, letters in enumerate(paths)
        for made in attempts_of(
            letters, f"{name}-{task}", condition=name, task_id=str(task), completion=completion, executions=executions
        )
    ]


def test_tool_arm_is_compared_with_and_without_repairs():
    told = arm("0-tries", ["p", "wp", "wp", "ww"], 250)
    tried = arm("2-tries", ["p", "p", "p", "wp"], 300, executions=2)
    found = {(row.repairs, row.equal.budget): row for row in trying(episodes(told + tried), MANIFEST, 1)}
    assert {(row.arm, row.baseline, row.unit) for row in found.values()} == {("2-tries", "0-tries", "tokens")}
    alone = found[0, 300.0]  # a first answer with tool runs costs as much as one repair without
    assert (alone.executions, alone.spent) == (2.0, 300.0)
    assert alone.equal.difference.estimate == pytest.approx(3 / 4 - 1 / 4)
    whole = found[1, 500.0]
    assert (whole.executions, whole.spent) == (2.5, 375.0)
    assert whole.equal.difference.estimate == pytest.approx(3 / 4 - 3 / 4)


def test_only_the_number_of_tool_runs_may_differ():
    other = {"feedback": "verdict", "tools": 2}
    manifest = Manifest.from_json(
        {"experiment": {"max_attempts": 1, "conditions": {"0-tries": {"feedback": "default"}, "2-tries": other}}}
    )
    made = episodes([*arm("0-tries", ["p"], 100), *arm("2-tries", ["p"], 100, 1)])
    assert trying(made, manifest, 1) == []
    assert trying(episodes(arm("0-tries", ["p"], 100)), MANIFEST, 1) == []


def test_table_states_the_number_of_excluded_pairs():
    made = [*arm("0-tries", ["p"] * 3, 100), *arm("2-tries", ["p"] * 3, 100, 1)]
    silent = [one.replaced(completion=Completion("x")) if one.episode == "2-tries-2" else one for one in made]
    table = section(run_data(MANIFEST, silent))
    assert {row["excluded"] for row in table.texts} == {"1"}
    assert "excluded: pairs of unknown cost" in table.notes[0]


def test_unreported_cost_is_unknown():
    made = [*arm("0-tries", ["p", "p"], 100), *arm("2-tries", ["p", "p"], None, 1, usd=0.5)]
    assert {row.unit for row in trying(episodes(made), MANIFEST, 1)} <= {"usd"}
