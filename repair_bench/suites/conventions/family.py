"""A problem with open conventions, as plain data.

A *family* is a problem with *dimensions* that a prompt may leave open, each with a few *options*. A *choice* takes one
option of each dimension; with it and the *constants*, numbers that the edition's seed draws, the problem has one right
answer, which `circuit` gives for each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.task import Category

Choice = Mapping[str, str]
"""The name of an option, by the name of its dimension."""
Constants = Mapping[str, Any]
"""The family's own numbers and words; every text of the family may use them in braces."""


@dataclass(frozen=True)
class Dimension:
    """One convention.

    `about`: what it is, as in "we have not said `the sign of the exponent`". `question`: it with its options, as in "we
    have not said `whether the exponent is positive or negative`". `options`: by name, the sentence that settles it.
    """

    name: str
    about: str
    question: str
    options: Mapping[str, str]


def dimension(name: str, about: str, question: str, /, **options: str) -> Dimension:
    return Dimension(name, about, question, options)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A problem. Texts may hold the names of constants in braces.

    `kind`: what is observed of an answer. `size`: qubits of a state or a unitary, bits of a distribution. `measured`:
    for a distribution what is measured, as a prompt says it, without any convention. `parameters`: what stands between
    the parentheses of the signature. `dimensions`: in the order in which they are opened, that of most use first.
    `statement`: the problem but for its conventions. `constants`: drawn for an edition. `cases`: the arguments of each
    call that is judged, drawn for an edition as well, all of them shown. `circuit`: the right circuit of a call.
    """

    name: str
    title: str
    entry_point: str
    parameters: str = ""
    kind: Literal["distribution", "state", "unitary"]
    size: int
    measured: str = ""
    category: Category
    concepts: tuple[str, ...]
    dimensions: tuple[Dimension, ...]
    statement: str
    constants: Callable[[Random], Constants] = lambda _: {}
    cases: Callable[[Random, Constants], Sequence[tuple[Any, ...]]] = lambda *_: ((),)
    circuit: Callable[..., Circuit]
    """`circuit(choice, constants, *args)`."""
