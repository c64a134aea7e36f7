"""Effects of feedback and prefill, and spurious repairs of a noisy grader."""

import pytest

from repair_bench.analysis.comparing.effects import (
    controlled,
    effect_over,
    net_gain,
    phantom_share,
    prefill_differences,
)
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.testing.made_up_runs import attempt, attempts_of, run

REPAIRS = 2
CERTIFICATE = {
    "suite": "aligned",
    "tasks": [
        {"id": "01", "framework": "qiskit", "accepted": 0.5},
        {"id": "02", "framework": "qiskit", "accepted": 1.0},
        {"id": "03", "framework": "qiskit", "accepted": None},
        {"id": "01", "framework": "cirq", "accepted": 0.0},
    ],
}


def arm(policy, paths):
    """Return one episode per task; attempt 0 has the same id in every arm."""
    return episodes(
        attempt(letter, n, f"{policy}-{task}", task_id=f"{task:02}", id=f"{policy if n else 'root'}-{task}-{n}")
        for task, letters in enumerate(paths)
        for n, letter in enumerate(letters)
    )


@pytest.mark.parametrize(
    ("conditions", "pairs"),
    [
        (["default", "none", "verdict"], [("default", "none"), ("default", "verdict")]),
        (["none", "verdict"], [("verdict", "none")]),  # no arm with informative feedback
    ],
)
def test_controls_are_arms_too_if_there_are_no_others(conditions, pairs):
    stated = {name: {"feedback": name} for name in conditions}
    found = controlled(conditions, {name: name for name in conditions}, stated)
    assert [(name, control) for name, _, control in found] == pairs


def test_feedback_is_compared_with_each_control_that_was_run():
    arms = {
        "default": arm("default", ["p", "wp", "wwp", "www"]),
        "none": arm("none", ["p", "www", "wwp", "wwp"]),
        "shuffled": arm("shuffled", ["p", "www", "www", "www"]),
    }
    found = {control: effect_over(control, arms[control], arms["default"], REPAIRS) for control in ("none", "shuffled")}
    assert [one.estimate for one in found["none"].by] == [0, 0.25, 0]
    assert [one.estimate for one in found["shuffled"].by] == [0, 0.25, 0.5]
    assert (found["none"].by[0].low, found["none"].by[0].high) == (0, 0), "the first answers are shared"
    assert (len(found["none"].changed.won), len(found["none"].changed.lost)) == (1, 1)
    assert found["shuffled"].p_value == 0.25


def test_spurious_repair_by_hand():
    """p = 1/2 gives 1/2 - 1/8 within two repairs, p = 1 and p = 0 give 0; the third task is unknown."""
    tasks = [("01", "qiskit"), ("02", "qiskit"), ("03", "qiskit"), ("01", "cirq"), ("99", "qiskit")]
    assert phantom_share(CERTIFICATE, 2, tasks) == pytest.approx(0.375 / 3)
    assert phantom_share(CERTIFICATE, 0, tasks) == 0
    assert phantom_share(CERTIFICATE, 2, [("03", "qiskit")]) is None


def test_five_attempts_of_the_released_grader_repair_0_76_of_42_tasks():
    """Task 08 is accepted in about 6% of draws, 04 in about 50%, 10 in about 90%: 0.21, 0.47 and 0.1 of a task."""
    accepted = {"08": 0.06, "04": 0.5, "10": 0.9} | {f"x{n}": 1.0 for n in range(39)}
    certificate = {"tasks": [{"id": task, "framework": "qiskit", "accepted": p} for task, p in accepted.items()]}
    share = phantom_share(certificate, 4, [(task, "qiskit") for task in accepted])
    assert 42 * share == pytest.approx(0.76, abs=0.03)
    assert 100 * share == pytest.approx(1.8, abs=0.1)


def test_net_gain_is_gain_minus_spurious_repair():
    made = episodes(
        [
            *attempts_of("wp", "a", task_id="01"),
            *attempts_of("www", "b", task_id="02"),
            *attempts_of("p", "c", task_id="02", sample=1),
        ]
    )
    found = net_gain(made, 2, CERTIFICATE)
    assert found.gain.estimate == pytest.approx(1 / 2)
    assert found.phantom == pytest.approx(0.375 / 2), "one of the two tasks is noisy"
    assert found.net.estimate == pytest.approx(1 / 2 - 0.375 / 2)


def test_spurious_repair_is_subtracted_per_task():
    """At p = 1/2, a new draw repairs one in four. The larger gain of noisy tasks does not widen the interval."""
    repaired = (1, 1, 2, 0, 0, 0, 0, 0)
    paths = [
        attempts_of("wp" if sample < repaired[task] else "ww", f"{task} {sample}", task_id=str(task), sample=sample)
        for task in range(8)
        for sample in range(4)
    ]
    tasks = [{"id": str(task), "framework": "qiskit", "accepted": 0.5 if task < 4 else 1.0} for task in range(8)]
    found = net_gain(episodes([one for path in paths for one in path]), 1, {"suite": "aligned", "tasks": tasks})
    assert (found.gain.estimate, found.phantom) == (0.125, 0.125)
    assert found.net.estimate == 0
    assert found.net.high - found.net.low < 0.75 * (found.gain.high - found.gain.low)


def test_unknown_tasks_get_the_mean_spurious_repair():
    paths = [
        attempts_of("wp", "a", task_id="01"),
        attempts_of("p", "b", task_id="02"),
        attempts_of("wp", "c", task_id="99"),
    ]
    found = net_gain(episodes([one for path in paths for one in path]), 2, CERTIFICATE)
    assert found.phantom == pytest.approx(0.375 / 2)
    assert found.net.estimate == pytest.approx(2 / 3 - 0.375 / 2)


def test_noise_is_unknown_without_a_matching_certificate():
    made = episodes(attempts_of("wp"))
    found = net_gain(made, 1, None)
    assert (found.phantom, found.net, found.gain.estimate) == (None, None, 1)
    with pytest.raises(ValueError, match="does not cover aligned"):
        net_gain(made, 1, {**CERTIFICATE, "suite": "other"})


def prefill_run(condition, by_framework):
    return episodes(
        a
        for framework, letters in by_framework.items()
        for n, letter in enumerate(letters)
        for a in attempts_of(
            letter, f"{condition}-{framework}-{n}", task_id=str(n), framework=framework, condition=condition
        )
    )


def test_prefill_differences_by_hand():
    """Qiskit: +1 of 4; Cirq: -1 of 2. The average is that of the frameworks, -12.5 points, not of the episodes."""
    without = prefill_run("none", {"qiskit": "pwww", "cirq": "pw"})
    prefilled = prefill_run("assistant_prefill", {"qiskit": "ppww", "cirq": "ww"})
    (row,) = prefill_differences(without, prefilled)
    assert row.model == "sim/one"
    assert {name: found.estimate for name, found in row.by_framework.items()} == {"cirq": -0.5, "qiskit": 0.25}
    assert row.average.estimate == pytest.approx(-0.125)
    assert row.average.problems == 4


def test_prefill_has_one_row_per_model():
    attempts, _ = run(models=("sim/a", "sim/b"), tasks=8, repairs=0)
    rows = prefill_differences(episodes(attempts), episodes(attempts))
    assert [row.model for row in rows] == ["sim/a", "sim/b"]
    assert all(row.average.estimate == 0 and len(row.by_framework) == 3 for row in rows)
