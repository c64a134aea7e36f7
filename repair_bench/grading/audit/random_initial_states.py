"""Programs whose qubits start in a random state instead of |0...0>.

What is added to a program's source runs beside it and finds the circuit that its entry point makes.
"""

from __future__ import annotations

from repair_bench.executors.program import Observe
from repair_bench.frameworks import FRAMEWORKS

ENTRY_POINT = "_dressed_entry_point"

_ANGLES = """

import random as _random


def _random_angles(count):
    source = _random.Random({seed})
    return [(source.uniform(0.3, 2.8), source.uniform(0, 6.28)) for _ in range(count)]
"""


def dressed(source: str, framework: str, entry_point: str, seed: int, observe: Observe) -> str:
    """The program with one more entry point, `ENTRY_POINT`.

    It takes what the program's own takes and returns its circuit behind a rotation of each qubit by angles that follow
    from `seed`, to be observed as `observe`. It raises where the program makes no circuit.
    """
    circuit = FRAMEWORKS[framework].random_state_wrapper.get(observe, "")
    return source + _ANGLES.format(seed=seed) + circuit.format(entry_point=entry_point)
