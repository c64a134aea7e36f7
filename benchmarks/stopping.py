"""Benefit and validity of adaptive stopping: tasks solved at the cost of five repairs per task.

    python benchmarks/stopping.py [--quick] [--json FILE]

Studies are simulated with the same decisions as in a run (`agent.loop.rounds`) and synthetic verdicts. The rate at
which a task's first answers pass follows a Beta distribution; the rate of a repair is a multiple of it that decreases
with the repair's number. The cost of an attempt is its input, which grows with the conversation, plus its output. The
plain run makes up to five repairs of one sample per task; the other run has the same budget, up to eight samples and
20% controls. Coverage: how often the 95% interval for FB@5 over the controls covers the true value.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from random import Random

from common import parse, report
from driving import episodes

from repair_bench.agent.experiment.episodes import PlannedEpisode, mark_stoppable
from repair_bench.agent.loop.rounds import Rounds
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.metrics import episodes as recorded_episodes
from repair_bench.testing.made_up_runs import attempt
from repair_bench.traces.record.records import Attempt, Completion

REPAIRS = 5
SAMPLES = 8
CONTROLS = 0.2
CELLS = [
    # number of tasks, Beta parameters of first answers, relative repair rate, decay
    (126, (1.5, 2.5), 1.0, 0.4),
    (126, (0.6, 1.2), 0.8, 0.5),
    (42, (1.5, 2.5), 1.0, 0.4),
    (126, (1.5, 2.5), 0.3, 1.0),
    (126, (1.5, 2.5), 1.0, 1.0),
]

Answer = Callable[[PlannedEpisode, int], Attempt]


def tokens(number: int) -> int:
    """Return the tokens of the attempt with this number."""
    return 800 + 600 * number


def answers(rates: dict[str, float], repair: float, decay: float, draw: Random) -> Answer:
    """Draw an attempt of an episode."""

    def answer(episode: PlannedEpisode, number: int) -> Attempt:
        first = rates[episode.task.id]
        chance = first if number == 0 else min(0.95, first * repair * decay ** (number - 1))
        letter = "p" if draw.random() < chance else draw.choice("wwe")
        usage = {"prompt_tokens": tokens(number) - 300, "completion_tokens": 300}
        return attempt(
            letter,
            number,
            episode.id,
            model=episode.model,
            suite=episode.task.suite,
            task_id=episode.task.id,
            framework=episode.task.framework,
            condition=episode.condition.name,
            sample=episode.sample,
            stoppable=episode.stoppable,
            completion=Completion("", usage),
        )

    return answer


def by_value(planned: list[PlannedEpisode], answer: Answer, budget: int) -> list[Attempt]:
    """Return the attempts of a run with adaptive stopping, which ends when its budget is spent."""
    rounds, made, spent = Rounds(planned), list[Attempt](), 0
    while decisions := rounds.decide():
        rounds.follow(decisions)
        for episode in list(rounds.work()):
            spent += tokens(episode.until or 0)
            if spent > budget:
                return made
            made.append(answer(episode, episode.until or 0))
            rounds.take(made[-1])
    return made


def five_each(planned: Iterable[PlannedEpisode], answer: Answer) -> list[Attempt]:
    """Return the attempts of a run that makes all repairs of each first sample."""
    made = []
    for episode in planned:
        if episode.sample == 0:
            for number in range(REPAIRS + 1):
                made.append(answer(episode, number))
                if made[-1].passed:
                    break
    return made


def solved(attempts: Iterable[Attempt]) -> int:
    """Return the number of tasks solved by any attempt."""
    return len({a.task_id for a in attempts if a.passed})


def truth(shape: tuple[float, float], repair: float, decay: float) -> float:
    """Return FB@5 of a random task, from a million draws."""
    draw = Random(0)
    failing = []
    for _ in range(100_000):
        first = draw.betavariate(*shape)
        left = 1 - first
        for number in range(REPAIRS):
            left *= 1 - min(0.95, first * repair * decay**number)
        failing.append(left)
    return 1 - statistics.fmean(failing)


def main() -> None:
    options = parse(__doc__)
    studies = 20 if options.quick else 400
    rows = []
    for tasks, shape, repair, decay in CELLS[: 1 if options.quick else None]:
        right = truth(shape, repair, decay)
        planned = episodes(tasks * SAMPLES, "python", REPAIRS, "sim/made-up", tasks=tasks)
        plain, value, held, wins, naive = [], [], 0, 0, []
        for study in range(studies):
            draw = Random(f"{study} {shape} {repair} {decay}")
            rates = {episode.task.id: draw.betavariate(*shape) for episode in planned[:tasks]}
            answer = answers(rates, repair, decay, draw)
            each = five_each(planned, answer)
            budget = sum(tokens(a.attempt) for a in each)
            found = by_value(mark_stoppable(planned, CONTROLS, study), answer, budget)
            plain.append(solved(each))
            value.append(solved(found))
            wins += value[-1] > plain[-1]
            interval = rate(recorded_episodes(found), REPAIRS)
            held += interval.low is not None and interval.low <= right <= (interval.high or 0.0)
            firsts = [e for lot in (False, True) for e in recorded_episodes(found, stoppable=lot)]
            naive.append((rate([e for e in firsts if e.first.sample == 0], REPAIRS).estimate or 0.0) - right)
        rows.append(
            {
                "tasks": tasks,
                "Beta": str(shape),
                "repair": repair,
                "decay": decay,
                "solved, five each": round(statistics.fmean(plain), 1),
                "by value": round(statistics.fmean(value), 1),
                "more in": f"{wins}/{studies}",
                "intervals that hold, %": round(100 * held / studies, 1),
                "FB@5 flattered by, points": round(100 * statistics.fmean(naive), 1),
            }
        )
        report("Adaptive stopping at the cost of five repairs per task", rows[-1:], None)
    report("Adaptive stopping at the cost of five repairs per task", rows, options.json)


if __name__ == "__main__":
    main()
