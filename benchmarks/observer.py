"""Whether simulated models of a known use of feedback are measured as what they are, on the suite `conventions`.

    python benchmarks/observer.py [--quick] [--json FILE]

The models answer as they do in a run, and are told what they would be told; but nothing is executed, because what the
program of a hypothesis does is known by numpy. A test holds that an executed run has the same answers and texts.

Curves: in each edition a model meets each task once for each hypothesis that it may hide. `sim/observer` must find as
many within k repairs as best play does; `sim/enumerator` (k+1)/n of them, within four standard errors. The editions are
the default one in three frameworks, and 20 further seeds in one each.

Studies: each is one of these editions with hypotheses drawn anew, one episode a task. The share of them is counted in
which the 95% interval of the use of feedback holds 1 for `sim/observer`, 0 for `sim/enumerator` and what is computed
for `sim/stubborn?ignore=0.3`: over all levels, where 93 to 97% are asked for, and at each level with something to gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from repair_bench.agent.models.base import Request
from repair_bench.agent.models.sim_observers import BestPlayer, Enumerator, Observer, Stubborn, expected_curve
from repair_bench.analysis.information import Observed, use_of_feedback
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.observer import Play, best_play, enumeration
from repair_bench.grading.hypotheses import Hidden, hidden, partition, reach
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.extract import extract
from repair_bench.suites.conventions.edition import Edition, levels
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.testing.made_up_runs import attempts_of

ATTEMPTS = 6
POLICY = "default"
IGNORE = 0.3
MODELS: dict[str, Observer] = {
    "sim/observer": BestPlayer("sim/observer"),
    "sim/enumerator": Enumerator("sim/enumerator"),
    "sim/stubborn": Stubborn("sim/stubborn", IGNORE),
}
KNOWN = {"sim/observer": 1.0, "sim/enumerator": 0.0}
PLAYS = {"sim/observer": 1, "sim/enumerator": 3, "sim/stubborn": 3}
"""How often a model meets each hypothesis of a task; studies draw from these. The first is one of a kind."""
FURTHER_SEEDS = 20
STUDIES = 2_000
LEVELS = (None, 2, 3, 4)
"""All levels together, and each by itself; with one bit open there is nothing to gain."""
LEAST, MOST = 93.0, 97.0
STANDARD_ERRORS = 4.0


@dataclass(frozen=True)
class Curves:
    """How the tasks of an edition were solved, each once for each hypothesis: sums over tasks, by k = 0, 1, ...

    `differing`: tasks where `sim/observer` finds others than best play does; `greedy`: those where that is not exact.
    `far`: by how many standard errors `sim/enumerator` is off enumeration at most.
    """

    hypotheses: int
    differing: tuple[str, ...]
    greedy: int
    observer: tuple[int, ...]
    far: float


def found_at(model: Observer, task: Hidden, truth: int, seed: int) -> int | None:
    """The number of the attempt by which a model finds the true hypothesis; None where none does."""
    asked = replace(task.tasks[0], check=None, reference=None)  # it is shown neither
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
    """What is said of an answer if each hypothesis is true; None where it passes. The models repeat their answers."""
    code = extract(text, entry_point=task.tasks[0].entry_point, starter=task.tasks[0].starter).code or ""
    written = code.partition("\n\n# simulated model")[0]
    tried = [(under.reference or "").rstrip() for under in task.tasks].index(written)
    return task.texts(POLICY, task.outcome(task.hypothesis(tried)), code)


@lru_cache(maxsize=256)
def played(task: Hidden) -> Play:
    """The best play of a task."""
    return best_play(partition(task, POLICY), ATTEMPTS)


def hiding(suite: str, framework: str) -> list[Hidden]:
    """The tasks of an edition that leave anything open."""
    found = [hidden(suite, level.task_id, framework) for level in levels(Edition.of(suite)) if level.bits]
    return [task for task in found if task is not None]


@dataclass(frozen=True)
class Met:
    """What became of a task when a hypothesis was true: the attempt that found it, and the episode seen."""

    at: int | None
    seen: Observed


Plays = dict[str, list[list[list[Met]]]]
"""By model: for each task, each hypothesis that may be true and each play, what became of it."""


def plays(tasks: Sequence[Hidden], seed: int = 0) -> Plays:
    """Every model on these tasks, each hypothesis true as often as `PLAYS` says."""
    rng = Random(f"plays {seed}")

    def met(model: Observer, task: Hidden, truth: int) -> Met:
        at = found_at(model, task, truth, rng.getrandbits(32))
        return Met(at, observed(task, at))

    return {
        name: [[[met(model, task, h) for _ in range(PLAYS[name])] for h in range(len(task.tasks))] for task in tasks]
        for name, model in MODELS.items()
    }


def curves(tasks: Sequence[Hidden], met: Plays) -> Curves:
    """`sim/observer` and `sim/enumerator` on these tasks, each hypothesis true once."""
    differing, greedy = [], 0
    sums = {name: [0] * ATTEMPTS for name in ("sim/observer", "sim/enumerator")}
    expected, variance = [0.0] * ATTEMPTS, [0.0] * ATTEMPTS
    for number, task in enumerate(tasks):
        n, best = len(task.tasks), played(task)
        for name, total in sums.items():
            at = [made[0].at for made in met[name][number]]
            solved = tuple(sum(k is not None and k <= limit for k in at) for limit in range(ATTEMPTS))
            total[:] = [a + b for a, b in zip(total, solved, strict=True)]
            if name == "sim/observer" and solved != best.solved:
                differing.append(task.level.task_id)
        greedy += not best.exact
        for k, share in enumerate(enumeration(n, ATTEMPTS)):
            expected[k] += n * share
            variance[k] += n * share * (1 - share)
    found = sums["sim/enumerator"]
    off = [(a - b) / math.sqrt(v) if v else a - b for a, b, v in zip(found, expected, variance, strict=True)]
    return Curves(
        sum(len(task.tasks) for task in tasks),
        tuple(differing),
        greedy,
        tuple(sums["sim/observer"]),
        max(off, key=abs),
    )


def study(tasks: Sequence[Hidden], met: Plays, number: int) -> Iterator[tuple[str, int | None, bool]]:
    """Whether the interval of the use of feedback holds what it is: (model, level, held) for each of both."""
    rng = Random(f"study {number}")
    for name, of_model in met.items():
        drawn = [rng.choice(rng.choice(of_task)).seen for of_task in of_model]
        for bits in LEVELS:
            some = [k for k, task in enumerate(tasks) if bits in (None, task.level.bits)]
            use = use_of_feedback([drawn[k] for k in some], ATTEMPTS - 1)
            if use.low is not None and use.high is not None:
                yield name, bits, use.low - 1e-9 <= known_use(name, [tasks[k] for k in some]) <= use.high + 1e-9


def observed(task: Hidden, at: int | None) -> Observed:
    """An episode that ends with attempt `at`, as the report sees it."""
    letters = "w" * ATTEMPTS if at is None else "w" * at + "p"
    made = attempts_of(letters, suite="conventions", task_id=task.level.task_id)
    family = task.level.problem.family.name
    return Observed(Episode(tuple(made)), family, task.level.bits, reach(task, POLICY, ATTEMPTS), ())


def known_use(name: str, tasks: Sequence[Hidden]) -> float:
    """The use of feedback of a model on tasks that hide any of their hypotheses alike."""
    if name in KNOWN:
        return KNOWN[name]
    made, most = (math.fsum(part) for part in zip(*map(gains, tasks), strict=True))
    return made / most


@lru_cache(maxsize=256)
def gains(task: Hidden) -> tuple[float, float]:
    """The areas that `sim/stubborn` and best play gain over enumeration."""
    play, base = played(task), math.fsum(enumeration(len(task.tasks), ATTEMPTS))
    return math.fsum(expected_curve(play, IGNORE)) - base, math.fsum(play.curve) - base


def main() -> int:
    from common import parse, report  # a test imports this file alone

    options = parse(__doc__)
    few = "bits=2,3&families=fourier,oracle,walk" if options.quick else ""
    further = [f"{few}&seed={1000 + number}".lstrip("&") for number in range(2 if options.quick else FURTHER_SEEDS)]
    editions = [(few, framework) for framework in RENDERERS]
    editions += [(told, list(RENDERERS)[number % len(RENDERERS)]) for number, told in enumerate(further)]
    rows, bad, held = [], [], dict[tuple[str, int | None], list[bool]]()
    for number, (told, framework) in enumerate(editions):
        suite = Edition.of(f"conventions?{told}" if told else "conventions").name
        tasks = hiding(suite, framework)
        met = plays(tasks, options.seed + number)
        found = curves(tasks, met)
        rows.append(
            {
                "edition": suite,
                "framework": framework,
                "tasks": len(tasks),
                "hypotheses": found.hypotheses,
                "greedy": found.greedy,
                "observer differs": len(found.differing),
                **{f"FB@{k}": f"{found.observer[k] / found.hypotheses:.4f}" for k in (0, 1, ATTEMPTS - 1)},
                "enumerator off by": round(found.far, 2),
            }
        )
        if found.differing or abs(found.far) > STANDARD_ERRORS:
            bad.append(f"{suite} in {framework}: {', '.join(found.differing) or f'off by {found.far:.1f}'}")
        for drawn in range(number, 50 if options.quick else STUDIES, len(editions)):
            for model, bits, right in study(tasks, met, drawn):
                held.setdefault((model, bits), []).append(right)
    report("sim/observer beside best play, sim/enumerator beside (k+1)/n", rows, options.json)
    rows = [
        {
            "model": model,
            "bits": "all" if bits is None else bits,
            "studies": len(made),
            "held, %": round(100 * sum(made) / len(made), 1),
        }
        for (model, bits), made in held.items()
    ]
    report("95% intervals of the use of feedback that hold what it is", rows, options.json)
    whole = [row for row in rows if row["bits"] == "all"]
    bad += [f"{row['model']}: {row['held, %']}%" for row in whole if not LEAST <= row["held, %"] <= MOST]
    print(f"Outside: {'; '.join(bad) or 'none'}")
    return 1 if bad and not options.quick else 0


if __name__ == "__main__":
    raise SystemExit(main())
