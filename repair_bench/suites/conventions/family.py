"""Problems with unspecified conventions, as plain data.

A *family* is a problem with *dimensions* that a prompt may leave unspecified, each with a few *options*. A *choice*
selects one option per dimension. A choice and the *constants*, which depend on the edition's seed, determine the
correct answer to each call, which `circuit` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.task import Category

Choice = Mapping[str, str]
"""Option names by dimension name."""
Constants = Mapping[str, Any]
"""The numbers and words of a family by name. Texts of the family may contain these names in braces."""


@dataclass(frozen=True)
class Dimension:
    """A convention with two or more options.

    `about`: a noun phrase, as in "the sign of the exponent". `question`: a clause with the options, as in "whether the
    exponent is positive or negative". `options`: for each option by name, the sentence that specifies it.
    """

    name: str
    about: str
    question: str
    options: Mapping[str, str]


def dimension(name: str, about: str, question: str, /, **options: str) -> Dimension:
    return Dimension(name, about, question, options)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A problem, whose texts may contain names of constants in braces.

    `kind`: the kind of observation. `size`: qubits of a state or unitary, bits of a distribution. `measured`: the
    measured quantity in the prompt of a distribution, without any convention. `parameters`: the parameter list of the
    signature. `dimensions`: in the order in which they become unspecified, the most useful first. `statement`: the
    problem without the conventions. `constants` and `cases` are drawn for an edition. `cases`: the arguments of each
    judged call; all cases are visible. `circuit`: the correct circuit of a call.
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
    """Called as `circuit(choice, constants, *args)`."""
