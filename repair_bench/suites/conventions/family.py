"""Problems with unspecified conventions, as plain data.

A *family* is a problem with *dimensions* that a prompt may leave unspecified; each dimension has a few *options*. A
*choice* selects one option per dimension. The *constants* depend on the edition's seed. The function `circuit` takes a
choice, the constants and the arguments of a call, and returns the correct circuit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.task import Category

Choice = Mapping[str, str]
"""The name of the chosen option for each dimension, keyed by the dimension's name."""
Constants = Mapping[str, Any]
"""The constants of a family (numbers and words), keyed by name. A family's texts refer to a constant as `{name}`."""


@dataclass(frozen=True)
class Dimension:
    """A convention with two or more options.

    `about`: a noun phrase, such as "the sign of the exponent". `question`: a clause that lists the options, such as
    "whether the exponent is positive or negative". `options`: maps the name of each option to a sentence that specifies
    the option.
    """

    name: str
    about: str
    question: str
    options: Mapping[str, str]


def dimension(name: str, about: str, question: str, /, **options: str) -> Dimension:
    return Dimension(name, about, question, options)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A problem with unspecified conventions. The texts of the problem may contain names of constants, such as
    `{modulus}`.

    `kind`: the kind of observation. `size`: the number of qubits of a state or unitary, or of bits of a distribution.
    `stages`: 1, or 2 for a pipeline. For every call of a pipeline, the correct answers under any two hypotheses are
    clearly different (see `hypotheses.separates`). `measured`: for prompts that ask for a distribution, a description
    of the measured quantity that states no convention. `parameters`: the parameter list of the signature. `dimensions`:
    the dimensions, the most useful first. A prompt leaves the first few dimensions unspecified. `statement`: the
    problem without the conventions. `constants`: a function that draws the constants of an edition. `cases`: a function
    that draws the arguments of the judged calls, all of which are visible. `circuit`: a function that returns the
    correct circuit for a call.
    """

    name: str
    title: str
    entry_point: str
    parameters: str = ""
    kind: Literal["distribution", "state", "unitary"]
    size: int
    stages: Literal[1, 2] = 1
    measured: str = ""
    category: Category
    concepts: tuple[str, ...]
    dimensions: tuple[Dimension, ...]
    statement: str
    constants: Callable[[Random], Constants] = lambda _: {}
    cases: Callable[[Random, Constants], Sequence[tuple[Any, ...]]] = lambda *_: ((),)
    circuit: Callable[..., Circuit]
    """Called as `circuit(choice, constants, *args)`."""
