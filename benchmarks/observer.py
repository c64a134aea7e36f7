"""Validation of feedback utilisation with simulated models whose utilisation is known, on the suite `conventions`.

    python benchmarks/observer.py [--quick] [--json FILE]

The models choose answers from the feedback texts, as in a run. Nothing is executed: NumPy computes the results of each
hypothesis. A test compares the answers and texts with an executed run.

Runs: 20 editions, each with a random choice per family, level and framework, in three frameworks. The utilisation of
`sim/observer` must be 1.00 in each; the mean over the editions must be within 0.05 of the computed value for
`sim/enumerator` and `sim/stubborn`. One edition is also run through prompts and texts; there the observer must find as
many hypotheses within k repairs as the optimal policy.

Studies: families are drawn with replacement from an edition, and true hypotheses are drawn again, with one episode per
task. Hypotheses are drawn per task, as in a run, or per level of a family for all frameworks; models may try a family's
favourite hypothesis first. The output is the coverage of the 95% intervals over all levels and at each level. For
differences between two runs of the same model, it is the coverage of 0 and the share with p < 0.05. The last model
ignores feedback in a share of repairs that varies over families with a Beta distribution.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from random import Random

import numpy as np
from expected_curves import expected_curve
from scipy.special import betainc

from repair_bench.agent.models.base import Request
from repair_bench.agent.models.sim.observers import BestPlayer, Enumerator, Observer, Stubborn
from repair_bench.analysis.feedback_use.ideal_observer import Play, Set, cells_of, enumeration
from repair_bench.analysis.feedback_use.use import Observed, Seen, adjusted_curve, use_of_feedback
from repair_bench.analysis.feedback_use.use_intervals import difference_interval, share_interval
from repair_bench.analysis.rates.intervals import Clusters
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.statistics import sign_flip
from repair_bench.frameworks import USUAL
from repair_bench.grading.hypotheses.hidden import Hidden
from repair_bench.grading.hypotheses.observer import hidden, play, reach
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.extraction.extract import extract
from repair_bench.suites.conventions.edition import Edition, levels
from repair_bench.testing.made_up_runs import attempts_of

ATTEMPTS = 6
POLICY = "default"


class Favourite(Stubborn):
    """Tries a family's favourite hypothesis first, at every level and in every framework."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:
        if request.attempt == 0:
            return int(len(task.tasks) * Random(task.level.problem.family.name).random())
        return super().choose(task, belief, request, left, rng)


MODELS: dict[str, Observer] = {
    "sim/observer": BestPlayer("sim/observer"),
    "sim/enumerator": Enumerator("sim/enumerator"),
    **{f"sim/stubborn?ignore={p}": Stubborn("sim/stubborn", p) for p in (0.05, 0.1, 0.3)},
    "favourite, ignore=0.1": Favourite("favourite", 0.1),
    "favourite, ignore=0.3": Favourite("favourite", 0.3),
}
FAMILIES_DIFFER = "families differ"
IGNORED = (0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""The grid to which shares of ignored feedback are rounded if they vary over families."""
DIFFER = (0.2, 1.8)
"""Parameters of the Beta distribution of the share of ignored feedback; its mean is 0.1."""
PLAYS = 2
"""The number of episodes per task and hypothesis."""
SEEDS = 20
STUDIES = 2_000
LEVELS = (None, 2, 3, 4)
"""All levels together, and each level separately. With one open bit, feedback has no value."""
LEAST, MOST = 93.0, 97.0
WITHIN = 0.05
STANDARD_ERRORS = 4.0


def hiding(suite: str, framework: str) -> list[Hidden]:
    """Return the tasks of an edition that have open conventions."""
    asked = [level.task_id for level in levels(Edition.of(suite), framework) if level.bits]
    return [task for name in asked if (task := hidden(suite, name, framework)) is not None]


def tries(model: Observer, task: Hidden, truth: int, seed: int) -> list[int]:
    """Return the hypotheses that a model tries. The last is the true one unless the attempts run out."""
    partition, belief, tried = played(task).partition, task.everything, list[int]()
    for number in range(ATTEMPTS):
        rng = Random(f"{seed} {number}")
        if tried:
            belief &= ~(1 << tried[-1])
            if model.takes_in(rng):
                row = partition.texts[tried[-1]]
                belief = belief & cells_of(row)[row[truth]] or belief
            belief = belief or task.everything
        request = Request([], 0, None, 0, task.tasks[0], 0, number, policy=POLICY, attempts_left=ATTEMPTS - number)
        tried.append(model.choose(task, belief, request, ATTEMPTS - number, rng))
        if tried[-1] == truth:
            break
    return tried


def found_at(model: Observer, task: Hidden, truth: int, seed: int) -> int | None:
    """Return the number of the attempt with which a model finds the truth through prompts and texts, or None."""
    asked = replace(task.tasks[0], check=None, reference=None)  # the model sees neither
    messages = compose(asked, Condition(feedback=POLICY))
    for number in range(ATTEMPTS):
        left = ATTEMPTS - number
        text = model.answer(
            Request(messages, 0, None, 100 * seed + number, asked, 0, number, policy=POLICY, attempts_left=left)
        )
        said = said_of(task, text)[truth]
        if said is None:
            return number
        messages = [*messages, {"role": "assistant", "content": text}, {"role": "user", "content": said}]
    return None


@lru_cache(maxsize=4096)
def said_of(task: Hidden, text: str) -> tuple[str | None, ...]:
    """Return the feedback on an answer under each hypothesis; None if the answer passes."""
    code = extract(text, entry_point=task.tasks[0].entry_point, starter=task.tasks[0].starter).code or ""
    written = code.partition("\n\n# simulated model")[0]
    tried = [(under.reference or "").rstrip() for under in task.tasks].index(written)
    return task.texts(POLICY, task.outcome(task.hypothesis(tried)), code)


def played(task: Hidden) -> Play:
    """Return the optimal policy of a task."""
    return play(task, POLICY, ATTEMPTS)


def observed(task: Hidden, tried: Sequence[int], truth: int) -> Observed:
    """Return an episode with these attempts, as a report interprets it."""
    partition, kept, seen = played(task).partition, task.everything, list[Seen]()
    for g in tried:
        kept &= cells_of(partition.texts[g])[partition.texts[g][truth]]
        solved, cells = partition.rows[g]
        seen.append(Seen(g, mixed=False, kept=kept, solved=solved, cells=tuple(cells.values())))
    letters = "w" * (len(tried) - 1) + ("p" if tried[-1] == truth else "w")
    episode = Episode(tuple(attempts_of(letters, suite="conventions", task_id=task.level.task_id)))
    family, fair = task.level.problem.family.name, adjusted_curve(played(task), episode, seen)
    return Observed(episode, family, task.level.bits, reach(task, POLICY, ATTEMPTS), tuple(seen), fair)


def differing(tasks: Sequence[Hidden]) -> list[str]:
    """Return the tasks on which `sim/observer`, through prompts and texts, differs from the optimal policy."""
    found = []
    for task in tasks:
        at = [found_at(MODELS["sim/observer"], task, truth, 0) for truth in range(len(task.tasks))]
        solved = tuple(sum(k is not None and k <= limit for k in at) for limit in range(ATTEMPTS))
        if solved != played(task).solved:
            found.append(task.level.task_id)
    return found


def enumerator_off(tasks: Sequence[Hidden]) -> float:
    """Return the maximum deviation of `sim/enumerator` from exhaustive search, in standard errors."""
    expected, variance, found = ([0.0] * ATTEMPTS for _ in range(3))
    rng = Random("enumerator")
    for task in tasks:
        n = len(task.tasks)
        at = [found_at(MODELS["sim/enumerator"], task, truth, rng.getrandbits(32)) for truth in range(n)]
        for k, share in enumerate(enumeration(n, ATTEMPTS)):
            found[k] += sum(one is not None and one <= k for one in at)
            expected[k] += n * share
            variance[k] += n * share * (1 - share)
    off = [(a - b) / math.sqrt(v) if v else a - b for a, b, v in zip(found, expected, variance, strict=True)]
    return max(off, key=abs)


def as_a_run(model: Observer, tasks: Sequence[Hidden], seed: int) -> float:
    """Return the feedback utilisation that a run of an edition reports, given the edition's hidden hypotheses."""
    rng = Random(f"run {seed}")
    truths = [(task, task.level.truth) for task in tasks]
    episodes = [observed(task, tries(model, task, truth, rng.getrandbits(32)), truth) for task, truth in truths]
    use = use_of_feedback(episodes, ATTEMPTS - 1).estimate
    assert use is not None
    return use


def computed_use(name: str, tasks: Sequence[Hidden]) -> float:
    """Return the feedback utilisation of a model on tasks with equally likely hypotheses."""
    if name in ("sim/observer", "sim/enumerator"):
        return float(name == "sim/observer")
    ignore = float(name.partition("ignore=")[2])
    made, most = 0.0, 0.0
    for task in tasks:
        base = math.fsum(enumeration(len(task.tasks), ATTEMPTS))
        made += math.fsum(expected_curve(played(task), ignore)) - base
        most += math.fsum(played(task).curve) - base
    return made / most


@dataclass(frozen=True)
class Table:
    """A model's gain on each task, by true hypothesis and episode, and the gain of the optimal policy (`gain`)."""

    gained: list[np.ndarray]
    gain: list[float]


def table(model: Observer, tasks: Sequence[Hidden], seed: int) -> Table:
    """Run each hypothesis of each task `PLAYS` times."""
    rng, gained = Random(f"plays {seed}"), []
    for task in tasks:
        base = math.fsum(enumeration(len(task.tasks), ATTEMPTS))
        gained.append(
            np.array(
                [
                    [
                        math.fsum(observed(task, tries(model, task, h, rng.getrandbits(32)), h).adjusted) - base
                        for _ in range(PLAYS)
                    ]
                    for h in range(len(task.tasks))
                ]
            )
        )
    return Table(gained, [reach(task, POLICY, ATTEMPTS).gain for task in tasks])


def rounded(beta: tuple[float, float]) -> list[float]:
    """Return, for each of `IGNORED`, the probability that it is the nearest to a draw from the Beta distribution."""
    between = [(a + b) / 2 for a, b in pairwise(IGNORED)]
    return np.diff(betainc(*beta, [0.0, *between, 1.0])).tolist()


@dataclass(frozen=True)
class Held:
    """Whether the intervals for a share and for a difference of runs cover the truth, and the latter's p-value."""

    use: bool
    difference: bool
    p: float


def studies(
    tasks: Sequence[Hidden],
    kinds: Sequence[tuple[Table, float]],
    bits: int | None,
    number: int,
    *,
    shared: bool,
    seed: int,
) -> Iterator[Held]:
    """Draw studies of two runs: families with replacement, and truths per task or per family and level.

    `kinds`: the possible kinds of a family, each a table with its probability. Both runs draw them independently.
    """
    (made, _), chances = kinds[0], [chance for _, chance in kinds]
    rng = np.random.default_rng([seed, number, bits or 0, shared])
    families: dict[str, list[int]] = {}
    for index, task in enumerate(tasks):
        if bits in (None, task.level.bits) and made.gain[index] > 0:
            families.setdefault(task.level.problem.family.name, []).append(index)
    members = list(families.values())
    truth = math.fsum(p * kind.gained[i].mean() for kind, p in kinds for of in members for i in of)
    truth /= math.fsum(made.gain[i] for of in members for i in of)
    for _ in range(number):
        sums: list[list[float]] = [[], []]
        most = []
        for family in rng.integers(len(members), size=len(members)):
            of = members[family]
            at = {i: rng.random() for i in of}
            if shared:
                by_level = {tasks[i].level.bits: at[i] for i in of}
                at = {i: by_level[tasks[i].level.bits] for i in of}
            for run in sums:
                kind = kinds[rng.choice(len(kinds), p=chances)][0] if len(kinds) > 1 else made
                run.append(sum(rng.choice(kind.gained[i][int(at[i] * len(kind.gained[i]))]) for i in of))
            most.append(math.fsum(made.gain[i] for i in of))
        first, second = (Clusters(run, most) for run in sums)
        n = sum(map(len, members))
        use, difference = share_interval(first, n), difference_interval(first, second, n)
        assert None not in (use.low, use.high, difference.low, difference.high)
        yield Held(
            use.low - 1e-9 <= truth <= use.high + 1e-9,
            difference.low - 1e-9 <= 0 <= difference.high + 1e-9,
            sign_flip([b - a for a, b in zip(*sums, strict=True)]),
        )


def main() -> int:
    from common import parse, report  # a test imports only this file

    options = parse(__doc__)
    few = "bits=2,3&families=fourier,oracle,syndrome,walk&" if options.quick else ""
    seeds = range(1000, 1000 + (2 if options.quick else SEEDS))
    rows, bad, held = [], [], dict[tuple[str, int | None, bool], list[Held]]()
    uses: dict[str, list[tuple[float, float]]] = {}
    for number, seed in enumerate(seeds):
        suite = Edition.of(f"conventions?{few}seed={seed}").name
        tasks = [task for framework in USUAL for task in hiding(suite, framework)]
        if number == 0:
            bad += [f"{name}: not best play" for name in differing(tasks)]
            if abs(off := enumerator_off(tasks)) > STANDARD_ERRORS:
                bad.append(f"sim/enumerator: {off:.1f} standard errors off")
        row: dict[str, object] = {
            "edition": suite,
            "tasks": len(tasks),
            "greedy": sum(not played(task).exact for task in tasks),
        }
        for name, model in MODELS.items():
            if not name.startswith("favourite"):
                use = as_a_run(model, tasks, options.seed + seed)
                uses.setdefault(name, []).append((use, computed_use(name, tasks)))
                row[name] = f"{use:.2f}"
            made = table(model, tasks, options.seed + seed)
            of_each = (20 if options.quick else STUDIES) // len(seeds)
            for bits in LEVELS if not options.quick else (None,):
                for shared in (False, True) if bits is None else (False,):
                    drawn = studies(tasks, [(made, 1.0)], bits, of_each, shared=shared, seed=options.seed + seed)
                    held.setdefault((name, bits, shared), []).extend(drawn)
        if number == 0:
            kinds = [
                (table(Stubborn("sim/stubborn", ignore), tasks, options.seed + seed), chance)
                for ignore, chance in zip(IGNORED, rounded(DIFFER), strict=True)
            ]
            drawn = studies(tasks, kinds, None, 20 if options.quick else STUDIES, shared=False, seed=options.seed)
            held[FAMILIES_DIFFER, None, False] = list(drawn)
        rows.append(row)
        print(row, flush=True)
    report("Feedback utilisation reported for a run of each edition", rows, options.json)
    bad += [f"sim/observer: {use:.4f}" for use, _ in uses["sim/observer"] if abs(use - 1) > 1e-9]
    rows = []
    for name, found in uses.items():
        mean, known = (math.fsum(values) / len(found) for values in zip(*found, strict=True))
        rows.append({"model": name, "editions": len(found), "mean use": f"{mean:.3f}", "true use": f"{known:.3f}"})
        bad += [f"{name}: {mean:.3f} for {known:.3f}"] if abs(mean - known) > WITHIN else []
    report("Mean feedback utilisation over editions", rows, options.json)
    rows = []
    for (name, bits, shared), made_ in held.items():
        shares = [100 * sum(part) / len(made_) for part in ([h.use for h in made_], [h.difference for h in made_])]
        rejected = 100 * sum(h.p < 0.05 for h in made_) / len(made_)
        rows.append(
            {
                "model": name,
                "bits": "all" if bits is None else bits,
                "truths": "per level" if shared else "per task",
                "studies": len(made_),
                "use held, %": round(shares[0], 1),
                "difference held, %": round(shares[1], 1),
                "p < .05, %": round(rejected, 1),
            }
        )
        if bits is None and name not in ("sim/observer", FAMILIES_DIFFER) and not LEAST <= shares[0] <= MOST:
            bad.append(f"{name}, {rows[-1]['truths']}: {shares[0]:.1f}%")
    report("95% intervals for feedback utilisation and for its difference between two runs", rows, options.json)
    print(f"Outside: {'; '.join(bad) or 'none'}")
    return 1 if bad and not options.quick else 0


if __name__ == "__main__":
    raise SystemExit(main())
