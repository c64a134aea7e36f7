"""Coverage of 95% intervals for known effects of a critic, a tool and questions, on the suite `conventions`.

    python benchmarks/consulting.py [--quick] [--json FILE]

The simulated models choose answers as in a run. Nothing is executed: NumPy computes the feedback and the answers under
each hypothesis. The true effects are differences between expected curves, which are exact:

- critic: `sim/reader` with `sim/critic?decode=P`, compared with `sim/reader` without an analysis.
- tool: a model that ignores less feedback if it sees the output of a tool (`sim/stubborn`).
- questions: `sim/asker` with N questions before each answer, compared with `sim/observer`.

Each study draws as many families as the edition has, with replacement, and a true hypothesis per task, which both arms
and all samples share. Intervals are computed as in reports (`comparing.pairs.difference`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from expected_curves import expected_curve, reader_curve

from repair_bench.agent.models.base import Request
from repair_bench.agent.models.sim.observers import Asker, BestPlayer, Critic, Observer, Reader, Stubborn
from repair_bench.analysis.comparing.pairs import Paired, difference
from repair_bench.analysis.feedback_use.ideal_observer import cells_of, enumeration
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.grading.hypotheses.hidden import Hidden
from repair_bench.grading.hypotheses.observer import answers, hidden, play
from repair_bench.suites.conventions.edition import Edition, levels
from repair_bench.testing.made_up_runs import attempts_of

SUITE, FRAMEWORK, POLICY = "conventions?bits=2,3,4", "cirq", "default"
ATTEMPTS, SAMPLES, PLAYS, STUDIES = 6, 2, 40, 1_000
LEAST, MOST = 93.0, 97.0


@dataclass(frozen=True)
class Arm:
    """A player, its critic, and the number of questions before each answer."""

    player: Observer
    critic: Critic | None = None
    asks: int = 0

    def curve(self, task: Hidden) -> tuple[float, ...]:
        """Return the expected FB@0, FB@1, ... of the arm on a task."""
        best = play(task, POLICY, ATTEMPTS, self.asks)
        if isinstance(self.player, Stubborn):
            return expected_curve(best, self.player.ignore)
        if isinstance(self.player, Reader):
            return reader_curve(best, self.critic.decode) if self.critic else enumeration(len(task.tasks), ATTEMPTS)
        return best.curve

    def solved_at(self, task: Hidden, truth: int, rng: Random) -> int:
        """Return the number of the attempt that finds the true hypothesis, or `ATTEMPTS`."""
        rows, belief = play(task, POLICY, ATTEMPTS).partition.rows, task.everything
        request = Request([], 0, None, 0, task.tasks[0], 0, 0, policy=POLICY)
        for number in range(ATTEMPTS):
            left = ATTEMPTS - number
            request = replace(request, attempt=number, attempts_left=left, questions_left=self.asks, messages=[])
            while (question := self.player.ask(task, belief, request, left)) is not None:
                belief &= next(cell for cell in cells_of(answers(task, question)).values() if cell >> truth & 1)
                asked = [{"content": f"```ask\n{question}\n```\n"}, {"content": ""}]
                messages = [*request.messages, *asked]
                request = replace(request, questions_left=request.questions_left - 1, messages=messages)
            chooser = self.critic if self.critic and number else self.player
            tried = chooser.choose(task, belief, request, left, rng)
            if tried == truth:
                return number
            belief &= ~(1 << tried)
            if self.critic or self.player.takes_in(rng):
                belief &= next(cell for cell in rows[tried][1].values() if cell >> truth & 1)
        return ATTEMPTS


READER, OBSERVER = Arm(Reader("reader")), Arm(BestPlayer("observer"))
EFFECTS = {
    **{f"critic, decode {p}": (READER, Arm(Reader("reader"), Critic("critic", p))) for p in (0.25, 0.5, 0.75, 1.0)},
    "tool, ignored 0.6 to 0.2": (Arm(Stubborn("stubborn", 0.6)), Arm(Stubborn("stubborn", 0.2))),
    **{f"questions, {n} per answer": (OBSERVER, Arm(Asker("asker"), asks=n)) for n in (1, 2)},
}
"""The baseline and the other arm of each effect."""


def tasks_of(suite: str) -> dict[str, list[Hidden]]:
    """Return the tasks of an edition by family."""
    found: dict[str, list[Hidden]] = {}
    for level in levels(Edition.of(suite), FRAMEWORK):
        task = hidden(suite, level.task_id, FRAMEWORK)
        assert task is not None
        found.setdefault(level.problem.family.name, []).append(task)
    return found


@lru_cache(maxsize=4096)
def plays(arm: Arm, task: Hidden, seed: int) -> list[list[int]]:
    """Return the number of the solving attempt in each of `PLAYS` episodes, by true hypothesis."""
    rng, number = Random(f"{seed} {task.level.task_id}"), 1 if type(arm.player) in (BestPlayer, Asker) else PLAYS
    return [[arm.solved_at(task, truth, rng) for _ in range(number)] for truth in range(len(task.tasks))]


def true_effect(arms: Sequence[Arm], tasks: Sequence[Hidden], k: int) -> float:
    """Return the mean effect on FB@k over all tasks and hypotheses."""
    before, after = ([arm.curve(task)[k] for task in tasks] for arm in arms)
    return math.fsum(b - a for a, b in zip(before, after, strict=True)) / len(tasks)


def studies(families: Sequence[Sequence[Sequence[list[list[int]]]]], number: int, seed: int) -> Iterator[Paired]:
    """Draw studies. `families`: the plays of both arms, for each family and task."""
    rng = Random(f"studies {seed}")
    known: dict[tuple[int, ...], Episode] = {}

    def episode(side: int, slot: int, task: int, sample: int, at: int) -> Episode:
        key = side, slot, task, sample, at
        if key not in known:
            letters = "w" * at + "p" if at < ATTEMPTS else "w" * ATTEMPTS
            names = {"suite": "conventions", "task_id": f"family{slot}-{task}", "condition": str(side)}
            made = attempts_of(letters, f"{side}-{slot}-{task}-{sample}", sample=sample, **names)
            known[key] = Episode(tuple(made))
        return known[key]

    for _ in range(number):
        pairs = []
        for slot, family in enumerate(rng.choices(families, k=len(families))):
            for task, arms in enumerate(family):
                truth = rng.randrange(len(arms[0]))
                for sample in range(SAMPLES):
                    at = [rng.choice(arm[truth]) for arm in arms]
                    pairs.append(tuple(episode(side, slot, task, sample, at[side]) for side in (0, 1)))
        yield Paired(tuple(pairs), 0)


def coverage(name: str, families: dict[str, list[Hidden]], number: int, seed: int) -> list[dict[str, float]]:
    """Return the true effect in pp, the mean estimate and the coverage in %, per number of repairs."""
    arms = EFFECTS[name]
    drawn = [[[plays(arm, task, seed) for arm in arms] for task in tasks] for tasks in families.values()]
    every = [task for tasks in families.values() for task in tasks]
    # arms with the same first answers cannot differ before the first repair; later, nearly all tasks are solved
    repairs = (0, 1) if arms[1].asks else (1, 2)
    truths = {k: true_effect(arms, every, k) for k in repairs}
    found = {k: [0.0, 0.0] for k in repairs}
    for paired in studies(drawn, number, seed):
        for k, sums in found.items():
            interval = difference(paired, k)
            sums[0] += interval.estimate
            sums[1] += interval.low - 1e-12 <= truths[k] <= interval.high + 1e-12
    return [
        {
            "effect": name,
            "k": k,
            "truth, pp": round(100 * truths[k], 1),
            "mean, pp": round(100 * sums[0] / number, 1),
            "coverage, %": round(100 * sums[1] / number, 1),
        }
        for k, sums in found.items()
    ]


def main() -> int:
    from common import parse, report  # a test imports this file alone

    options = parse(__doc__)
    few = "&families=fourier,oracle,readout,syndrome,walk" if options.quick else ""
    families = tasks_of(SUITE.replace("2,3,4", "2") + few if options.quick else SUITE)
    number = 20 if options.quick else STUDIES
    rows = [row for name in EFFECTS for row in coverage(name, families, number, options.seed)]
    report(f"95% intervals for known effects on FB@k: {number} studies", rows, options.json)
    outside = [f"{r['effect']}, k={r['k']}" for r in rows if not LEAST <= r["coverage, %"] <= MOST]
    print(f"Outside {LEAST:.0f}-{MOST:.0f}%: {'; '.join(outside) or 'none'}")
    return 1 if outside and not options.quick else 0


if __name__ == "__main__":
    raise SystemExit(main())
