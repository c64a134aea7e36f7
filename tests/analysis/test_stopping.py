"""Results and costs of a run with adaptive stopping, by hand."""

from repair_bench.analysis.planning.adaptive_stopping import stopping
from repair_bench.analysis.rates import metrics
from repair_bench.testing.made_up_runs import attempts_of

ATTEMPTS = [
    *attempts_of("wwp", "control", task_id="1"),
    *attempts_of("w", "stopped", task_id="2", stoppable=True),
    *attempts_of("p", "again", task_id="2", sample=1, stoppable=True),
    *attempts_of("www", "to the end", task_id="3", stoppable=True),
]


def test_adaptive_stopping_rates_use_only_controls():
    assert [e.first.episode for e in metrics.episodes(ATTEMPTS)] == ["control"]
    (found,) = stopping(metrics.episodes(ATTEMPTS), metrics.episodes(ATTEMPTS, stoppable=True), 2)
    assert [found[name] for name in ("tasks", "solved", "episodes", "stopped")] == [3, 2, 4, 1]
    assert (found["tokens"].value, found["usd"].value) == (8 * 110, 8 * 0.25)
    assert (found["controls"].estimate, found["controls"].n) == (1.0, 1)
    # one of three first samples was stopped; non-informative stopping would give a rate of one half
    assert (found["flattered"].estimate, found["flattered"].n) == (0.5, 3)


def test_task_solved_in_several_samples_counts_once_per_framework():
    solved = [("qiskit", 0), ("qiskit", 1), ("cirq", 0)]
    made = [
        attempts_of("wp", f"{framework} {sample}", framework=framework, sample=sample, stoppable=True)
        for framework, sample in solved
    ]
    made.append(attempts_of("ww", "unsolved", task_id="2", stoppable=True))
    (found,) = stopping([], metrics.episodes([a for one in made for a in one], stoppable=True), 1)
    assert [found[name] for name in ("tasks", "solved", "episodes", "stopped")] == [3, 2, 4, 0]


def test_run_without_adaptive_stopping_has_no_rows():
    assert stopping(metrics.episodes(attempts_of("wp")), [], 2) == []
