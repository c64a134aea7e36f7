"""Incorrect observations made from correct ones, for tasks judged from data, and a comparison of observations."""

from __future__ import annotations

import copy
import math
import random
from typing import Any

import numpy as np

NEAR = 5e-3
"""The maximum difference between equal amplitudes, entries or probabilities."""
STRANGE: list[Any] = [None, True, "", "1", [], {}, -1, 0, 2, 1e308, -0.5, 1e-13, [[1, 0]], [1], {"0": 1}]
FIELD = {"distribution": "probabilities", "state": "amplitudes", "unitary": "matrix"}


def changed_observation(value: dict[str, Any], choose: random.Random) -> tuple[dict[str, Any], str]:
    """Return a child's value with one change, in one case or in all, and its description."""
    value = copy.deepcopy(value)
    cases = value["cases"] if choose.random() < 0.5 else [choose.choice(value["cases"])]
    seed = choose.random()
    for case in cases:
        what = _change(case, random.Random(seed))
    return value, what


def _change(case: dict[str, Any], choose: random.Random) -> str:
    if choose.random() < 0.15:
        name = choose.choice(sorted(case))
        case[name] = copy.deepcopy(choose.choice(STRANGE))
        return f"{name} as {case[name]!r}"
    field = FIELD[case["kind"]]
    if case["kind"] == "distribution":
        case[field], what = _distribution(case[field], case["bits"], choose)
        return what
    array = np.array(case[field], float)
    array, what = _numbers(array[..., 0] + 1j * array[..., 1], choose)
    case[field] = np.stack([array.real, array.imag], axis=-1).tolist()
    return what


def _numbers(array: Any, choose: random.Random) -> tuple[Any, str]:
    rows = len(array)
    one, other = choose.randrange(rows), choose.randrange(rows)
    swapped, struck, turned = array.copy(), array.copy(), array.copy()
    swapped[[one, other]] = swapped[[other, one]]
    struck[one] = 0
    turned[one] = turned[one] * choose.choice([-1, 1j, np.exp(0.1j)])
    made = {
        "scaled": array * choose.choice([0, 0.5, 0.999, 2, 1e3, 1e200]),
        "of another phase": array * np.exp(1j * choose.random()),
        "conjugated": array.conj(),
        "reversed": array[::-1],
        "rolled": np.roll(array, 1, axis=0),
        "with two swapped": swapped,
        "without one": struck,
        "with one turned": turned,
        "all the same": np.full_like(array, rows**-0.5),
        "shorter": array[: rows // 2],
        "longer": np.concatenate([array, np.zeros_like(array)]),
        "without phases": np.abs(array),
        "transposed": array.T,
        "empty": array[:0],
        "a little off": array + 0.05,
    }
    what = choose.choice(sorted(made))
    return made[what], what


def _distribution(found: dict[str, Any], bits: int, choose: random.Random) -> tuple[dict[str, Any], str]:
    keys = sorted(found)
    one = choose.choice(keys) if keys else "0" * bits
    new = format(choose.randrange(2**bits), f"0{bits}b") if bits else ""
    factor = choose.choice([0, -1, 0.5, 0.99, 2, 1e308])
    made: dict[str, dict[str, Any]] = {
        "scaled": {key: p * factor for key, p in found.items()},
        "without one": {key: p for key, p in found.items() if key != one},
        "with one more": {**found, new: found.get(new, 0) + 0.1},
        "with one moved": {**{key: p for key, p in found.items() if key != one}, new: found.get(one, 1.0)},
        "reversed": {key[::-1]: p for key, p in found.items()},
        "flipped": {key.translate(str.maketrans("01", "10")): p for key, p in found.items()},
        "one for all": {one: 1.0},
        "uniform": {key: 1 / len(keys) for key in keys},
        "empty": {},
        "of other keys": {key + "0": p for key, p in found.items()},
        "negative": {**found, new: found.get(new, 0) - 0.2, one: found.get(one, 0) + 0.2},
        "skewed": {key: p * (1.2 if number % 2 else 0.8) for number, (key, p) in enumerate(found.items())},
    }
    what = choose.choice(sorted(made))
    return made[what], what


def same_observation(value: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two values agree in every case; states and unitaries may differ by a global phase."""
    pairs = zip(value["cases"], other["cases"], strict=True)
    return all(one == another or _same(one, another) for one, another in pairs)


def _of_the_result(case: dict[str, Any], found: dict[str, float]) -> dict[str, float]:
    """Return the distribution of the bits in the key `result` of Cirq tasks, or of all bits."""
    names = [name for name, bits in case.get("registers") or () for _ in range(bits)]
    places = [place for place, name in enumerate(names) if name == "result"] or range(case["bits"])
    summed: dict[str, float] = {}
    for key, p in found.items():
        part = "".join(key[place] for place in places)
        summed[part] = summed.get(part, 0.0) + p
    return summed


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if one["kind"] != other["kind"]:
        return False
    first, second = (case[FIELD[one["kind"]]] for case in (one, other))
    if one["kind"] == "distribution":
        first, second = (_of_the_result(case, found) for case, found in ((one, first), (other, second)))
        return math.fsum(abs(first.get(key, 0) - second.get(key, 0)) for key in {*first, *second}) <= NEAR
    arrays = [np.array(found, float) for found in (first, second)]
    if arrays[0].shape != arrays[1].shape:
        return False
    first, second = (array[..., 0] + 1j * array[..., 1] for array in arrays)
    overlap = np.vdot(first, second)
    return bool(abs(overlap) > 0 and np.abs(first * overlap / abs(overlap) - second).max() <= NEAR)
