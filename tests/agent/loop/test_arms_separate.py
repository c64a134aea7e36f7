"""An experiment with several feedback policies: the arms of the simulated model differ as designed."""

from pathlib import Path

import pytest
from commands import exit_code
from remembering import equal_programs_run_once
from scipy.stats import binomtest

from repair_bench.analysis.rates import metrics
from repair_bench.testing.made_up_runs import load_run

REPAIRS = 2


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bool]]:
    """Return whether each episode was solved, by arm and id of the first attempt."""
    out: Path = tmp_path_factory.mktemp("arms") / "run"
    arms = ("expected", "default", "verdict", "shuffled")
    options = ["--model", "sim/journeyman", "--temperature", "0.8", "--samples", "3", "-c", "seed=1", "--json"]
    policies = [word for arm in arms for word in ("--feedback", arm)]
    with equal_programs_run_once():
        assert exit_code("run", *options, *policies, "--max-attempts", str(REPAIRS), "--out", str(out)) == 0
    _, attempts = load_run(out)
    found: dict[str, dict[str, bool]] = {arm: {} for arm in arms}
    for episode in metrics.episodes(attempts):
        assert episode.state(REPAIRS) == "counted"
        found[episode.first.condition][episode.first.id] = episode.solved_at is not None
    return found


def better(solved: dict[str, dict[str, bool]], one: str, other: str) -> tuple[int, int]:
    """Return the numbers of pairs in which only the first arm, and only the second arm, solved the task."""
    assert solved[one].keys() == solved[other].keys()
    assert len(solved[one]) == 126 * 3
    pairs = [(solved[one][first], solved[other][first]) for first in solved[one]]
    return pairs.count((True, False)), pairs.count((False, True))


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [("default", "verdict"), ("expected", "verdict")])
def test_own_output_helps(solved: dict[str, dict[str, bool]], one: str, other: str) -> None:
    won, lost = better(solved, one, other)
    assert binomtest(won, won + lost, alternative="greater").pvalue < 1e-6


@pytest.mark.slow
def test_expected_output_helps_at_least_as_much_as_own_output(solved: dict[str, dict[str, bool]]) -> None:
    won, lost = better(solved, "expected", "default")
    assert won >= lost


@pytest.mark.slow
def test_the_placebo_is_no_better_than_a_verdict(solved: dict[str, dict[str, bool]]) -> None:
    won, lost = better(solved, "shuffled", "verdict")
    assert binomtest(won, won + lost, alternative="greater").pvalue > 0.05
