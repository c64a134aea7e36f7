"""Attempts on tasks with hidden instances, from the numbers of solved instances."""

from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.testing.made_up_runs import attempt
from repair_bench.traces.record.records import Attempt, Verdict

HIDDEN = 10
"""The number of hidden instances per task, and of visible ones."""
PLANTED, BUDGET = 20, 25


def instances(size: int, solved: int, cost: int = 24) -> list[dict[str, Any]]:
    """Return the results of a program that solves all visible instances and `solved` hidden ones at this cost."""
    return [
        {
            "size": size,
            "hidden": number >= HIDDEN,
            "planted": PLANTED,
            "budget": BUDGET,
            "cost": cost if number < HIDDEN + solved else None,
            "bound": 11,
            "cpu": 0.5,
            "problem": None if number < HIDDEN + solved else "the circuit applies incorrect phases",
        }
        for number in range(2 * HIDDEN)
    ]


def solving(size: int, solved: Sequence[int], cost: int = 24, **fields: Any) -> list[Attempt]:
    """Return the attempts of an episode, which solve these numbers of hidden instances."""
    named = {"suite": "horizon?seed=1", "task_id": f"parity-{size}", **fields}
    episode = "-".join(str(named.get(key, "")) for key in ("model", "task_id", "condition", "framework", "sample"))
    return [
        attempt(
            "w",
            number,
            episode,
            **{**named, **({"id": f"first-{size}-{named.get('sample', 0)}"} if number == 0 else {})},
            verdict=Verdict(
                "pass" if count == HIDDEN else "wrong_answer",
                {"cases": [], "problem": "2 instances are not solved", "instances": instances(size, count, cost)},
                rule="budget",
            ),
        )
        for number, count in enumerate(solved)
    ]


def arm(name: str, by_size: Mapping[int, Sequence[int]], **fields: Any) -> list[Attempt]:
    """Return the attempts of an arm with one episode per size. Arms share their first answers."""
    return [one for size, solved in by_size.items() for one in solving(size, solved, condition=name, **fields)]


def half_censored(**fields: Any) -> list[Attempt]:
    """Return four episodes per size, in which repairs change nothing. At each size, two episodes are solved by the
    first answer, or all or none are. The repair of every second unsolved episode is lost.
    """
    made = []
    for size, unsolved in ((6, []), (8, [7, 7]), (10, [4, 4]), (12, [1, 1, 1, 1]), (14, [0, 0, 0, 0])):
        for sample, count in enumerate([*unsolved, *[HIDDEN] * (4 - len(unsolved))]):
            attempts = solving(size, [count] * (1 if count == HIDDEN else 2), sample=sample, **fields)
            made += attempts[:1] if sample % 2 else attempts
    return made


FIRST = {6: 10, 8: 10, 10: 6, 12: 1, 14: 0, 16: 0}
LAST = {6: 10, 8: 10, 10: 10, 12: 9, 14: 3, 16: 0}
DEFAULT = {size: [n] if n == HIDDEN else [n, LAST[size]] for size, n in FIRST.items()}
VERDICT = {size: [n] if n == HIDDEN else [n, n] for size, n in FIRST.items()}
"""Hidden instances solved by the first answer and after a repair, by size, for two arms."""
