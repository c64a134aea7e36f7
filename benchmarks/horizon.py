"""Coverage of 95% intervals for horizons and for ratios of two horizons, in simulated studies.

python benchmarks/horizon.py [--quick] [--json FILE]


A study has sizes from 8 to 18, a task per size, and 10 hidden instances per task. A program solves an instance with the
probability in `analysis/rates/horizon_fit.py`: it depends on the horizon, the slope per octave, the spread between
programs in octaves, the share of its variance that programs for a task have in common, and the lapse rate. In a study
of two arms, each program of an arm has a partner for the same task.

The accepted range is 93 to 97%. The intervals are wider than necessary if programs do not differ (spread 0), because a
few programs cannot show that. If programs fail on every instance for reasons that do not depend on the size, the model
does not hold; the last rows of each table show the coverage in such cases. factor: the median ratio of the upper to the
lower end. open: the share of intervals with only one end.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from repair_bench.analysis.rates.horizon_fit import Fit, Program

LEAST, MOST = 93.0, 97.0
SIZES = (8, 10, 12, 14, 16, 18)
INSTANCES = 10
INTERVALS = 20
"""The number of studies per design whose intervals are computed; for all others, only their coverage is."""


@dataclass(frozen=True)
class Design:
    """A kind of study. `programs`: per size and arm. `shared`: see the module. `broken`: the share of programs that
    solve nothing. `slopes`: per arm.
    """

    name: str
    horizons: tuple[float, ...] = (12.0,)
    programs: int = 1
    slopes: tuple[float, ...] = (10.0, 10.0)
    spread: float = 0.15
    shared: float = 0.0
    lapse: float = 0.02
    broken: float = 0.0
    sizes: tuple[int, ...] = SIZES
    holds: bool = True
    """Whether the model holds, so that the coverage must be in the accepted range."""

    @property
    def truth(self) -> float:
        """The logarithm to base 2 of the horizon or of the ratio."""
        return math.log2(self.horizons[-1] / (self.horizons[0] if len(self.horizons) > 1 else 1))

    def study(self, rng: np.random.Generator) -> list[Program]:
        """Return the programs of a simulated study."""
        programs = []
        for size in self.sizes:
            common = rng.normal()
            for arm in [arm for arm in range(len(self.horizons)) for _ in range(self.programs)]:
                effect = math.sqrt(self.shared) * common + math.sqrt(1 - self.shared) * rng.normal()
                octaves = math.log2(self.horizons[arm] / size) + self.spread * effect
                chance = (1 - self.lapse) / (1 + math.exp(-self.slopes[arm] * octaves))
                solved = int(rng.binomial(INSTANCES, chance * (rng.random() >= self.broken)))
                programs.append(Program(size, solved, INSTANCES, size, arm))
        return programs


ONE, THREE, TEN = "1 program per size", "3 programs per size", "10 programs per size"
HORIZONS = (
    Design(ONE),
    Design(f"{ONE}, near the smallest size", (9.0,)),
    Design(f"{ONE}, slope 20, sizes 12 to 16", (13.2,), slopes=(20.0,), spread=0.1, sizes=(12, 14, 16)),
    Design(f"{THREE}, spread 0.05", programs=3, spread=0.05, shared=0.25),
    Design(f"{THREE}, spread 0.1", programs=3, spread=0.1, shared=0.25),
    Design(f"{THREE}, sizes 6 to 14", (9.0,), programs=3, shared=0.25, sizes=(6, 8, 10, 12, 14)),
    Design(f"{THREE}, spread 0.35", programs=3, spread=0.35, shared=0.25),
    Design(f"{TEN}, spread 0.1", programs=10, spread=0.1, shared=0.25),
    Design(f"{TEN}, spread 0.5", programs=10, spread=0.5, shared=0.25),
    Design(f"{ONE}, spread 0", spread=0.0, holds=False),
    Design(f"{THREE}, spread 0", programs=3, spread=0.0, holds=False),
    Design(f"{TEN}, spread 0", programs=10, spread=0.0, holds=False),
    Design(f"{THREE}, 10% broken", programs=3, shared=0.25, broken=0.1, holds=False),
)
PAIR = (11.0, 13.2)
RATIOS = (
    Design("1 pair per size", PAIR, shared=0.5),
    Design("3 pairs per size, spread 0.05", PAIR, programs=3, spread=0.05, shared=0.5),
    Design("3 pairs per size, spread 0.1", PAIR, programs=3, spread=0.1, shared=0.5),
    Design("3 pairs per size, spread 0.35", PAIR, programs=3, spread=0.35, shared=0.5),
    Design("10 pairs per size, spread 0.1", PAIR, programs=10, spread=0.1, shared=0.5),
    Design("3 pairs per size, slopes 10 and 20", PAIR, programs=3, slopes=(10.0, 20.0), shared=0.5, holds=False),
    Design("3 pairs per size, spread 0", PAIR, programs=3, spread=0.0, holds=False),
)


def coverage(design: Design, studies: int, seed: int = 0, intervals: int = INTERVALS) -> dict[str, Any]:
    """Return the coverage in %, the bias in %, and the widths of intervals."""
    rng = np.random.default_rng(seed)
    start = time.process_time()
    held, errors, factors = 0, [], []
    for number in range(studies):
        fit = Fit(design.study(rng))
        held += fit.deviance(design.truth) <= fit.threshold
        errors.append(fit.value - design.truth)
        if number < intervals:
            found = fit.estimate()
            factors.append(found.high / found.low if found.low is not None and found.high is not None else math.inf)
    return {
        "design": design.name,
        "truth": round(2**design.truth, 2),
        "coverage %": round(100 * held / studies, 1),
        "bias %": round(100 * (2 ** float(np.median(errors)) - 1), 1),
        "factor": round(float(np.median(factors)), 2),
        "open %": round(100 * float(np.mean(np.isinf(factors)))),
        "s per study": round((time.process_time() - start) / studies, 2),
    }


def main() -> int:
    from common import parse, report

    options = parse(__doc__)
    studies = 2 if options.quick else 1000
    outside = []
    for name, designs in (("horizons", HORIZONS), ("ratios of two horizons", RATIOS)):
        rows = []
        for design in designs:
            rows.append(coverage(design, studies, options.seed))
            if design.holds and not LEAST <= rows[-1]["coverage %"] <= MOST:
                outside.append(f"{design.name}: {rows[-1]['coverage %']}%")
            print(".", end="", flush=True)
        report(f"95% intervals of {name}: {studies} studies per design", rows, options.json)
    print(f"Outside {LEAST:.0f}-{MOST:.0f}%: {'; '.join(outside) or 'none'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
