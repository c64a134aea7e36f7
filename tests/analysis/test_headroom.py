"""Headroom of runs computed by hand, and the minimum detectable effect compared with simulated pairs of arms."""

import random

import pytest

from repair_bench.analysis.feedback_use.headroom import headroom, smallest_difference
from repair_bench.analysis.rates.intervals import Clusters, mean_interval
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.testing.made_up_runs import attempt
from repair_bench.traces.run.manifest import Manifest

MANIFEST = Manifest({"labels": {"wrong": [["aligned", "02"]], "underspecified": [["aligned", "03"]]}})


def test_headroom_counts_failures_by_cause() -> None:
    letters = {"01": "e", "02": "w", "03": "e", "04": "l", "05": "w", "06": "p", "07": "p", "08": "p", "09": "f"}
    made = [attempt(letter, episode=task, task_id=task) for task, letter in letters.items()]
    (row,) = headroom(episodes(made), MANIFEST)
    assert row.failed == {"exception": 1, "underspecified": 1, "wrong answer": 1, "other": 1, "reference wrong": 1}
    assert (row.left, row.right.estimate, row.right.n) == (4, 3 / 8, 8)


def test_headroom_counts_shared_first_answers_once() -> None:
    arms = [attempt("e", episode=name, condition=name, id="shared") for name in ("default", "none")]
    (row,) = headroom(episodes(arms), MANIFEST)
    assert row.right.n == 1


def test_headroom_is_undefined_with_few_failures() -> None:
    made = [attempt("p" if i else "e", episode=str(i), task_id=str(i)) for i in range(40)]
    (row,) = headroom(episodes(made), MANIFEST)
    assert (row.left, row.smallest) == (1, None)


@pytest.mark.parametrize(("problems", "share"), [(60, 0.5), (200, 0.3)])
def test_smallest_difference_has_80_percent_power(problems: int, share: float) -> None:
    rng = random.Random(f"{problems} {share}")
    failing = round(problems * share)
    smallest = smallest_difference([1.0] * failing + [0.0] * (problems - failing))
    gain = smallest / share / 2  # of each arm's chance, up and down from one half
    shown = 0
    for _ in range(400):
        differences = [float(rng.random() < 0.5 + gain) - (rng.random() < 0.5 - gain) for _ in range(failing)]
        differences += [0.0] * (problems - failing)
        low = mean_interval(Clusters.of(enumerate(differences))).low
        shown += low is not None and low > 0
    assert 0.74 <= shown / 400 <= 0.92
