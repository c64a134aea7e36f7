"""Coverage of the interval of feedback utilisation on pipelines, if feedback only counts the incorrect calls.

    python benchmarks/counted.py [--quick] [--json FILE]

Each study has 12 families with three or nine episodes each, and 16 hypotheses, eight calls and three repairs per task.
A player follows the optimal policy in a share of its attempts, and otherwise tries a hypothesis that is not excluded.
The share is fixed, or follows a Beta distribution over families. The true value of the utilisation is the mean over
many episodes. The best player has no sampling error, so its intervals always cover the true value.
"""

from __future__ import annotations

import math
import statistics
from random import Random

from common import parse, report

from repair_bench.analysis.feedback_use.counted_calls import CountPlay
from repair_bench.analysis.feedback_use.ideal_observer import cells_of, enumeration, members
from repair_bench.analysis.feedback_use.use_intervals import ROUNDING, share_interval
from repair_bench.analysis.rates.intervals import Clusters

HYPOTHESES, CALLS, ATTEMPTS = 16, 8, 4
FAMILIES = 12
EPISODES = (3, 9)
PLAYERS: tuple[float | tuple[float, float], ...] = (0.0, 0.3, 0.7, 0.95, 1.0, (0.5, 0.5))
"""Shares of optimal attempts, or the parameters of a Beta distribution of this share over families."""
BEST = CountPlay(HYPOTHESES, CALLS, ATTEMPTS)
CONSISTENT = math.fsum(enumeration(HYPOTHESES, ATTEMPTS))
GAIN = math.fsum(BEST.curve) - CONSISTENT


def gained(share: float, draw: Random) -> float:
    """Play an episode; return the area of its adjusted curve above that of consistent play."""
    truth, posterior, area = draw.randrange(HYPOTHESES), BEST.everything, math.fsum(BEST.curve)
    for left in range(ATTEMPTS, 0, -1):
        mixture = BEST.assignment(posterior, left)
        if draw.random() >= share:
            mixture = (draw.choice(list(members(posterior))),) * CALLS
        cells = cells_of(mixture.count(h) for h in range(HYPOTHESES))
        solved = cells.pop(CALLS, 0)
        area -= math.fsum(BEST.lost(posterior, BEST.found_after(posterior, solved, cells.values(), left), left, 0))
        if solved >> truth & 1:
            break
        posterior &= next(cell for cell in cells.values() if cell >> truth & 1)
    return area - CONSISTENT


def main() -> None:
    options = parse(__doc__)
    studies = 20 if options.quick else 1_000
    rows = []
    for episodes in EPISODES:
        for player in PLAYERS[: 2 if options.quick else None]:
            draw = Random(f"{options.seed} {episodes} {player}")

            def share(player: float | tuple[float, float] = player, draw: Random = draw) -> float:
                return draw.betavariate(*player) if isinstance(player, tuple) else player

            true = statistics.fmean(gained(share(), draw) for _ in range(20 * studies)) / GAIN
            found = []
            for _ in range(studies):
                shares = [share() for _ in range(FAMILIES)]
                sums = [math.fsum(gained(one, draw) for _ in range(episodes)) for one in shares]
                found.append(share_interval(Clusters(sums, [GAIN * episodes] * FAMILIES), FAMILIES * episodes))
            limits = [(one.low or 0.0, one.high or 0.0) for one in found]
            covered = sum(low - ROUNDING <= true <= high + ROUNDING for low, high in limits)
            rows.append(
                {
                    "episodes per family": episodes,
                    "optimal attempts": f"Beta{player}" if isinstance(player, tuple) else player,
                    "true": round(true, 3),
                    "mean": round(statistics.fmean(one.estimate or 0.0 for one in found), 3),
                    "coverage, %": round(100 * covered / studies, 1),
                    "width": round(statistics.fmean(high - low for low, high in limits), 2),
                }
            )
    report("Feedback utilisation on pipelines with counted calls", rows, options.json)


if __name__ == "__main__":
    main()
