"""Parity networks: apply rotations about many parities of the qubits with as few CNOT gates as possible.

A parity is the XOR of the values of a subset of the qubits. In the hidden circuit of an instance, every CNOT gate
creates a parity that the instance requires and that no qubit held before. The hidden circuit is optimal: a CNOT gate
changes only one qubit, so any circuit needs at least one CNOT gate per required parity. The number of CNOT gates grows
as 2^((n+1)/2). With fewer gates, many required parities would be XORs of a few other parities, which would reveal the
circuit. With more gates, the instance would require more parities, and almost any order of creating so many parities
would need few CNOT gates per parity.
"""

from __future__ import annotations

import math
from collections import defaultdict
from random import Random

import numpy as np
from numpy.typing import NDArray

from repair_bench.suites.horizon.family import (
    Circuit,
    Clock,
    Data,
    Family,
    Incorrect,
    Instance,
    ladder,
    mask,
    members,
    phases,
)

TOLERANCE = 1e-6
"""The maximum error of a phase in radians."""
_TRIES = 200
_WIDTHS = (4, 16, 48, 128)


def draw(size: int, rng: Random) -> Instance:
    length = round(2 ** ((size + 1) / 2))
    while (pairs := _plant(size, length, rng)) is None:
        pass
    rows = [1 << qubit for qubit in range(size)]
    plant: list[tuple[str, tuple[int, ...], float | None]] = []
    rotations = []
    for control, target in pairs:
        rows[target] ^= rows[control]
        angle = round(rng.uniform(0.1, 3), 3)
        rotations.append([members(rows[target]), angle])
        plant += [("cx", (control, target), None), ("p", (target,), angle)]
    rng.shuffle(rotations)
    return Instance({"qubits": size, "rotations": rotations}, tuple(plant), length, length)


def _plant(size: int, length: int, rng: Random) -> list[tuple[int, int]] | None:
    """Return CNOT gates, each of which creates a new parity, or None if random choices lead to a dead end."""
    rows = [1 << qubit for qubit in range(size)]
    seen, pairs = set(rows), list[tuple[int, int]]()
    while len(pairs) < length:
        choices = (rng.sample(range(size), 2) for _ in range(_TRIES))
        pair = next((pair for pair in choices if rows[pair[0]] ^ rows[pair[1]] not in seen), None)
        if pair is None:
            return None
        control, target = pair
        rows[target] ^= rows[control]
        seen.add(rows[target])
        pairs.append((control, target))
    return pairs


def cost(data: Data, circuit: Circuit) -> int:
    left: dict[int, float] = defaultdict(float)
    for qubits, angle in data["rotations"]:
        left[mask(qubits)] += angle
    for parity, (_, _, angle) in phases(data["qubits"], circuit)[0]:
        left[parity] -= angle or 0.0
    wrong = sum(abs(math.remainder(angle, 2 * math.pi)) > TOLERANCE for angle in left.values())
    if wrong:
        raise Incorrect(f"applies incorrect phases to {wrong} parities")
    return sum(name == "cx" for name, _, _ in circuit)


def naive(data: Data) -> Circuit:
    """Compute each parity separately with a ladder of CNOT gates, and undo the ladder."""
    return tuple(step for qubits, angle in data["rotations"] for step in ladder(mask(qubits), ("p", angle)))


def tool(data: Data) -> Circuit:
    """Apply GraySynth as implemented in Qiskit, without the CNOT gates after the last rotation."""
    from qiskit.synthesis import synth_cnot_phase_aam

    rotations = data["rotations"]
    table = [[int(qubit in qubits) for qubits, _ in rotations] for qubit in range(data["qubits"])]
    found = synth_cnot_phase_aam(table, [angle for _, angle in rotations])
    steps = []
    for step in found.data:
        name, qubits = step.operation.name, tuple(found.find_bit(qubit).index for qubit in step.qubits)
        steps.append(("cx", qubits, None) if name == "cx" else ("p", qubits, float(step.operation.params[0])))
    last = max(number for number, (name, _, _) in enumerate(steps) if name == "p")
    return tuple(steps[: last + 1])


def strong(data: Data, clock: Clock) -> Circuit:
    """Repeat a beam search over CNOT gates, with random scores and increasing width; return the cheapest circuit."""
    rng = np.random.default_rng(1)
    best, best_cost = naive(data), cost(data, naive(data))
    attempt = 0
    while not clock.over() and best_cost > clock.target:
        width = _WIDTHS[min(attempt // 2, len(_WIDTHS) - 1)]
        pairs = _beam(data, width, _scores(data["qubits"], attempt, rng), rng, best_cost - 1, clock)
        if pairs is not None:
            best, best_cost = _rotated(data, pairs), len(pairs)
        attempt += 1
    return best


def _scores(size: int, attempt: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return an array of scores. Element k is the score of a parity of k qubits that no qubit has held so far.

    The score is a constant plus a power of the logarithm of the number of qubits.
    """
    constant = 2.0 if attempt == 0 else rng.choice([0.5, 1, 2, 4, 8])
    power = 1.0 if attempt == 0 else rng.choice([1, 1.5, 2])
    scores = constant + np.log2(np.maximum(np.arange(size + 2), 1)) ** power
    scores[:2] = 0
    return scores.astype(np.float32)


def _beam(
    data: Data,
    width: int,
    scores: NDArray[np.float32],
    rng: np.random.Generator,
    length: int,
    clock: Clock,
) -> list[tuple[int, int]] | None:
    """Return at most `length` CNOT gates that create all parities, or None.

    `open_` contains one matrix per candidate sequence of gates. Each row of a matrix represents a required parity. The
    entries of 1 in the row mark the qubits whose values, after the sequence of gates, have the parity as their XOR. A
    CNOT gate adds the column of its target to the column of its control. As soon as a qubit holds a required parity,
    all entries in the row of this parity are set to zero.
    """
    size = data["qubits"]
    first = np.zeros((1, len(data["rotations"]), size), dtype=np.float32)
    for row, (qubits, _) in enumerate(data["rotations"]):
        first[0, row, qubits] = 1
    open_ = _without_reached(first)
    paths: list[tuple[tuple[int, int], ...]] = [()]
    noise = rng.choice([0, 0.1, 0.3])
    for _ in range(length):
        if clock.over():
            return None
        weights = open_.sum(axis=2).astype(np.intp)
        now = scores[weights]
        gain = scores[np.clip((weights[:, :, None] + 1 - 2 * open_).astype(np.intp), 0, None)] - now[:, :, None]
        totals = gain.transpose(0, 2, 1) @ open_ + now.sum(axis=1)[:, None, None]
        totals += rng.normal(0, noise, totals.shape).astype(np.float32)
        totals[:, range(size), range(size)] = np.inf
        flat = totals.ravel()
        order = np.argsort(flat, kind="stable")[: 3 * width]
        parents, controls, targets = np.unravel_index(order[np.isfinite(flat[order])], totals.shape)
        following = open_[parents]
        rows = np.arange(len(parents))
        following[rows, :, controls] = np.abs(following[rows, :, controls] - following[rows, :, targets])
        following = _without_reached(following)
        keys = np.packbits(following.astype(bool).reshape(len(following), -1), axis=1)
        distinct = list({key.tobytes(): row for row, key in reversed(list(enumerate(keys)))}.values())[::-1][:width]
        paths = [(*paths[parents[row]], (int(controls[row]), int(targets[row]))) for row in distinct]
        open_ = following[distinct]
        done = np.flatnonzero(~open_.any(axis=(1, 2)))
        if len(done):
            return list(paths[done[0]])
    return None


def _without_reached(open_: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(open_.sum(axis=2, keepdims=True) > 1, open_, 0)


def _rotated(data: Data, pairs: list[tuple[int, int]]) -> Circuit:
    """Return a circuit with the CNOT gates in `pairs` and all required rotations.

    Each rotation is inserted as soon as a qubit holds the parity to which the rotation applies.
    """
    left = {mask(qubits): angle for qubits, angle in data["rotations"]}
    rows = [1 << qubit for qubit in range(data["qubits"])]
    steps: list[tuple[str, tuple[int, ...], float | None]] = []
    for control, target in pairs:
        rows[target] ^= rows[control]
        steps.append(("cx", (control, target), None))
        if rows[target] in left:
            steps.append(("p", (target,), left.pop(rows[target])))
    return tuple(steps)


FAMILY = Family(
    name="parity",
    title="Parity network",
    statement="""\
`instance` is a dict that describes phases of the basis states of n qubits:

- `instance["qubits"]`: the number of qubits n.
- `instance["rotations"]`: a list of pairs `[qubits, angle]`. Such a rotation multiplies the basis state |x> by
  exp(i angle) if the XOR of the bits x_q, for q in `qubits`, is 1.

Return a circuit that maps each basis state |x> to exp(i f(x)) |Ax>, up to a global phase. f(x) is the sum of the angles
of all rotations that apply to x, and A is any invertible linear map over GF(2): the circuit need not restore the
qubits. The cost of the circuit is its number of CNOT gates.""",
    gates=("cx", "rz", "p"),
    draw=draw,
    cost=cost,
    naive=naive,
    tool=tool,
    strong=strong,
)
