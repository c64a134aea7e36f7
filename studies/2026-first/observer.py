"""Compute the ideal observer of the tasks of `conventions` again, by exhaustive search and without repair-bench.

`hypotheses.json` has, for each task with open conventions, one entry per hypothesis (a choice of the open conventions):
`texts` (the numbers of the feedback texts that a program with this choice receives if hypothesis 0, 1, ... is true; 0:
it passes) and `fingerprints` (of its correct output for each call). A test compares this file with the suite.

A set of hypotheses is stored as an integer; bit h stands for hypothesis h. A *game* is the list of sets into which the
feedback on each program divides the hypotheses under which the program fails.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ATTEMPTS = 6
INFORMATIVE = ("default", "critic")
"""The arms whose feedback shows more than that the answer is incorrect."""
Games = tuple[tuple[int, ...], ...]


@cache
def tables() -> dict[str, dict[str, Any]]:
    return dict(json.loads((Path(__file__).parent / "hypotheses.json").read_text("utf-8")))


def fingerprint(observation: dict[str, Any]) -> list[float]:
    """Return two numbers that identify a state, a matrix or a distribution up to a global phase."""
    if observation["kind"] == "distribution":
        values = np.zeros(2 ** observation["bits"], complex)
        for bits, probability in observation["probabilities"].items():
            values[int(bits, 2)] = probability
    else:
        values = _numbers(observation["amplitudes" if observation["kind"] == "state" else "matrix"])
    squares, found = np.arange(1, len(values) + 1) ** 2, []
    for root in (2**0.5, 3**0.5):
        turns = squares * root % 1
        found.append(round(float(abs((1 + turns) * np.exp(2j * np.pi * turns) @ values) ** 2), 6))
    return found


def _numbers(stored: Any) -> Any:
    if isinstance(stored, str):
        return np.frombuffer(zlib.decompress(base64.b64decode(stored)), "<c16")
    pairs = np.array(stored, float).reshape(-1, 2)
    return pairs[:, 0] + 1j * pairs[:, 1]


def implemented(task: str, attempt: dict[str, Any]) -> int:
    """Return the hypothesis that an attempt implements. Raises ValueError unless there is exactly one."""
    seen = np.array([fingerprint(case) for case in attempt["outcome"]["value"]["cases"]])
    known = np.array(tables()[task]["fingerprints"])
    (found,) = np.flatnonzero(abs(known - seen).max(axis=(1, 2)) < 1e-4)
    return int(found)


@cache
def game(task: str, informative: bool) -> Games:
    rows = tables()[task]["texts"]
    if not informative:
        rows = [[int(g != t) for t in range(len(rows))] for g in range(len(rows))]
    made = []
    for row in rows:
        cells: dict[int, int] = defaultdict(int)
        for t, text in enumerate(row):
            cells[text] |= 1 << t
        made.append(tuple(cell for text, cell in cells.items() if text))
    return tuple(made)


@cache
def best(of: Games, possible: int, left: int) -> tuple[int, ...]:
    """Return the number of hypotheses that each remaining attempt finds, for the largest area under the repair curve.

    Every program is tried, also one that is already excluded. Of equally good programs, the first is chosen.
    """
    size = possible.bit_count()
    if size <= 1 or not left:
        return (size, *[0] * left)[:left]
    if all(len(cells) <= 1 for cells in of):  # a failure excludes one program, whichever comes next
        return tuple(int(number < size) for number in range(left))
    every = [after(of, possible, g, left) for g, cells in enumerate(of) if possible not in cells]
    return max(every, key=lambda found: sum(n * (left - i) for i, n in enumerate(found)))


def after(of: Games, possible: int, program: int, left: int) -> tuple[int, ...]:
    """Return the number of hypotheses that each remaining attempt finds if a given program comes next."""
    later = [best(of, part, left - 1) for cell in of[program] if (part := possible & cell)]
    return possible >> program & 1, *(sum(found) for found in zip([0] * (left - 1), *later, strict=True))


@cache
def consistent(of: Games, possible: int, left: int) -> tuple[float, ...]:
    """Return the result of `after` for a player who tries, at random, any program that is not yet excluded."""
    size = possible.bit_count()
    if size <= 1 or not left:
        return (float(size), *[0.0] * left)[:left]
    if all(len(cells) <= 1 for cells in of):
        return best(of, possible, left)
    programs = [g for g in range(len(of)) if possible >> g & 1]
    later = [consistent(of, part, left - 1) for g in programs for cell in of[g] if (part := possible & cell)]
    return 1.0, *(math.fsum(found) / size for found in zip([0.0] * (left - 1), *later, strict=True))


def curve(found: Iterable[float], size: int) -> Any:
    return np.cumsum(list(found)) / size


def observed(task: str, arm: str, attempts: list[dict[str, Any]], truth: int) -> dict[str, Any]:
    """Return the curves of an episode and of the reference players, and a record of each repair."""
    of = game(task, arm in INFORMATIVE)
    n, possible, repairs, tried = len(of), (1 << len(of)) - 1, [], []
    optimal = curve(best(of, possible, ATTEMPTS), n)
    adjusted = optimal.copy()
    for number, attempt in enumerate(attempts):
        program, left, size = implemented(task, attempt), ATTEMPTS - number, possible.bit_count()
        if (program == truth) != (attempt["verdict"]["kind"] == "pass"):
            raise ValueError(f"{task}: the table contradicts the verdict of attempt {attempt['id']}")
        adjusted[number:] -= curve(best(of, possible, left), size) - curve(after(of, possible, program, left), size)
        if number:
            kept, received = bool(possible >> program & 1), math.log2(n / size)
            used = received * (kept - size / n) / (1 - size / n)
            repairs.append({"excluded": not kept, "repeated": program in tried, "received": received, "used": used})
        tried.append(program)
        possible &= next((cell for cell in of[program] if cell >> truth & 1), possible)
    blind = np.minimum(np.arange(1, ATTEMPTS + 1), n) / n
    uniform = curve(consistent(of, (1 << n) - 1, ATTEMPTS), n)
    curves = {"adjusted": adjusted, "best": optimal, "blind": blind, "consistent": uniform}
    return {"curves": curves, "repairs": repairs}


def use(episodes: dict[str, list[dict[str, Any]]], student: Any) -> dict[str, Any]:
    """Return the share of the ideal observer's gain that is reached, its 95% score interval over families, and the
    share of the consistent player. `episodes`: the results of `observed` by family.

    The interval is given if there are at least 1.5 episodes per family.
    """
    gained: dict[str, float] = defaultdict(float)
    possible: dict[str, float] = defaultdict(float)
    count, uniform = 0, 0.0
    for family, members in episodes.items():
        for one in members:
            area = {name: float(curve.sum()) for name, curve in one["curves"].items()}
            if area["best"] - area["blind"] > 1e-9:
                gained[family] += area["adjusted"] - area["blind"]
                possible[family] += area["best"] - area["blind"]
                uniform += area["consistent"] - area["blind"]
                count += 1
    if not count:
        return {"use": None, "interval": None, "use of consistent": None}
    total, families = sum(possible.values()), len(possible)
    share = sum(gained.values()) / total
    found: dict[str, Any] = {"use": share, "interval": None, "use of consistent": uniform / total}
    if count >= 1.5 * families:
        # losses and possible gains in units of the mean family; the two hypothetical families have the weight 0.02
        gain = np.array([*possible.values(), total / families, total / families]) * families / total
        loss = np.array([possible[name] - gained[name] for name in possible]) * families / total
        loss = np.array([*loss, 2 * families / count, 0.0])
        weight = np.array([*[1.0] * families, 0.02, 0.02])
        mean = float(weight @ loss / weight.sum())
        variance = float(weight @ (loss - mean * gain) ** 2) / (families - 1) / float(weight.sum())
        ratio = student(families - 1) ** 2 * variance / mean  # the limits solve (l - L)^2 = t^2 (v / l) L
        middle, half = 1 - share + ratio / 2, math.sqrt(ratio * (1 - share) + ratio**2 / 4)
        found["interval"] = [1 - middle - half, min(1.0, 1 - middle + half)]
    return found
