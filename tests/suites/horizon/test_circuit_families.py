"""Families with planted circuits: exact verification, independent of the plant."""

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from repair_bench.suites.horizon.edition import Edition, drawn, every_family
from repair_bench.suites.horizon.family import Circuit, Clock, Incorrect, Instance

ANGLES = {"t": math.pi / 4, "tdg": -math.pi / 4, "s": math.pi / 2, "sdg": -math.pi / 2, "z": math.pi}
FAMILIES = sorted(every_family())


def solved(family: str, instance: Instance, circuit: Circuit) -> bool:
    try:
        every_family()[family].cost(instance.data, circuit)
    except Incorrect:
        return False
    return True


def images(qubits: int, circuit: Circuit) -> tuple[list[int], np.ndarray]:
    """Return the image and the phase of each basis state, by applying the gates one by one."""
    states, phases = list(range(2**qubits)), np.zeros(2**qubits)
    for name, on, angle in circuit:
        for column, state in enumerate(states):
            bits = [state >> qubit & 1 for qubit in on]
            if name == "cx":
                states[column] = state ^ (bits[0] << on[1])
            elif name == "cz":
                phases[column] += math.pi * bits[0] * bits[1]
            else:
                phases[column] += (ANGLES[name] if angle is None else angle) * bits[0]
    return states, phases


def required(family: str, data: dict) -> np.ndarray:
    """Return the required phase of each basis state, computed from the definition of the instance."""
    found = []
    for state in range(2 ** data["qubits"]):

        def all_set(qubits: list[int], state: int = state) -> bool:
            return all(state >> qubit & 1 for qubit in qubits)

        if family == "parity":
            total = sum(angle for qubits, angle in data["rotations"] if sum(state >> q & 1 for q in qubits) % 2)
        else:
            total = sum(all_set([qubit]) for qubit in data["t"]) * math.pi / 4
            total += sum(map(all_set, data["cs"])) * math.pi / 2 + sum(map(all_set, data["ccz"])) * math.pi
        found.append(total)
    return np.array(found)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [4, 5, 6])
def test_plants_and_baselines_agree_with_a_simulation(family: str, size: int) -> None:
    found = every_family()[family]
    for instance in drawn(family, size, 1, 3):
        for circuit in (instance.plant, found.naive(instance.data), found.tool(instance.data)):
            cost = found.cost(instance.data, circuit)
            states, phases = images(size, circuit)
            error = np.exp(1j * (phases - required(family, instance.data)))
            assert np.allclose(error, error[0])
            assert family == "parity" or states == list(range(2**size))
            assert instance.bound <= cost
        assert found.cost(instance.data, instance.plant) == instance.planted


@pytest.mark.parametrize("family", FAMILIES)
def test_plants_cost_what_the_instance_states_at_each_size(family: str) -> None:
    found = every_family()[family]
    planted = []
    for size in range(4, 19):
        instance = drawn(family, size, 3, 1)[0]
        assert found.cost(instance.data, instance.plant) == instance.planted
        assert size - 1 <= instance.bound <= instance.planted
        planted.append(instance.planted)
    assert planted == sorted(planted)


def test_a_parity_plant_is_optimal_as_each_gate_makes_one_parity() -> None:
    for size in (4, 8, 12):
        instance = drawn("parity", size, 5, 1)[0]
        wanted = {tuple(qubits) for qubits, _ in instance.data["rotations"]}
        assert len(wanted) == instance.bound == instance.planted
        assert all(len(qubits) > 1 for qubits in wanted)


def without(circuit: Circuit, rng: Random) -> Circuit:
    at = rng.randrange(len(circuit))
    return circuit[:at] + circuit[at + 1 :]


def with_other_qubits(circuit: Circuit, rng: Random) -> Circuit:
    at = rng.randrange(len(circuit))
    name, on, angle = circuit[at]
    qubits = range(1 + max(max(on) for _, on, _ in circuit))
    other = on
    while other == on:
        other = tuple(rng.sample(qubits, len(on)))
    return (*circuit[:at], (name, other, angle), *circuit[at + 1 :])


def with_other_phase(circuit: Circuit, rng: Random) -> Circuit:
    at = rng.choice([i for i, (name, _, _) in enumerate(circuit) if name in ("t", "p")])
    name, on, angle = circuit[at]
    return (*circuit[:at], ("tdg", on, None) if name == "t" else (name, on, (angle or 0) + 0.01), *circuit[at + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("changed", [without, with_other_qubits, with_other_phase])
def test_mutants_of_plants_are_incorrect(family: str, changed: Callable[[Circuit, Random], Circuit]) -> None:
    rng = Random(4)
    for instance in drawn(family, 7, 2, 10):
        for _ in range(10):
            mutant = changed(instance.plant, rng)
            equal_phases = np.exp(1j * (images(7, mutant)[1] - required(family, instance.data)))
            restored = family == "parity" or images(7, mutant)[0] == list(range(2**7))
            equivalent = restored and np.allclose(equal_phases, equal_phases[0])
            assert solved(family, instance, mutant) == equivalent


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_strong_solver_reaches_small_plants(family: str) -> None:
    found = every_family()[family]
    for instance in drawn(family, 7, 2, 3):
        circuit = found.strong(instance.data, Clock(5, instance.planted))
        assert found.cost(instance.data, circuit) <= 1.1 * instance.planted


def test_instances_depend_on_the_seed_and_are_all_different() -> None:
    every = [one.key for seed in (1, 2) for one in drawn("parity", 6, seed, 20)]
    assert len(set(every)) == 40
    assert [one.key for one in Edition(seed=1).instances_of(every_family()["parity"], 6)] == every[:20]
