"""The schema of a task file. `README.md` in this folder documents the fields."""

from __future__ import annotations

import ast
import math
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from repair_bench.frameworks import FRAMEWORKS, PYTHON, FrameworkName
from repair_bench.suites.datafiles import StrictModel
from repair_bench.suites.sources import Python, parse, test_function

MAX_BITS = 20


def _complex(value: list[Any]) -> Any:
    """Convert nested lists of [re, im] to a complex array whose dimensions are all 2^n, with n >= 1."""
    try:
        parts = np.array(value, dtype=float)
    except (ValueError, OverflowError) as error:
        raise ValueError("the rows have different lengths") from error
    sides = parts.shape[:-1]
    if len(set(sides)) != 1 or sides[0] < 2 or sides[0].bit_count() != 1:
        raise ValueError(
            f"there are {' x '.join(map(str, sides))} entries; every dimension must be the same power of 2"
        )
    return parts[..., 0] + 1j * parts[..., 1]


def _distribution(value: dict[str, float]) -> dict[str, float]:
    bits = {len(key) for key in value}
    if len(bits) != 1 or not 1 <= next(iter(bits)) <= MAX_BITS or any(set(key) - {"0", "1"} for key in value):
        raise ValueError(f"the outcomes must be bit strings of the same length, from 1 to {MAX_BITS} bits")
    if any(not 0 <= p <= 1 for p in value.values()):
        raise ValueError("a probability is not between 0 and 1")
    if abs((total := math.fsum(value.values())) - 1) > 1e-6:
        raise ValueError(f"the probabilities sum to {total:.6g}, not to 1")
    return value


def _state(value: list[Any]) -> Any:
    state = _complex(value)
    if abs((norm := float(np.linalg.norm(state))) - 1) > 1e-6:
        raise ValueError(f"the norm is {norm:.6g}, not 1")
    return state


def _unitary(value: list[Any]) -> Any:
    matrix = _complex(value)
    if float(np.abs(matrix.conj().T @ matrix - np.eye(len(matrix))).max()) > 1e-6:
        raise ValueError("the matrix is not unitary")
    return matrix


Name = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]
Amplitude = Annotated[list[float], Field(min_length=2, max_length=2)]


Kind = TypeVar("Kind")
Expected = TypeVar("Expected")


class CaseTable(StrictModel, Generic[Expected]):
    args: list[Any] = Field(default_factory=list)
    hidden: bool = False
    expected: Expected


class CircuitTable(StrictModel, Generic[Kind, Expected]):
    kind: Kind
    inputs: Python = ""
    gates: list[str] | None = None
    cases: list[CaseTable[Expected]] = Field(min_length=1)


DistributionTable = CircuitTable[Literal["distribution"], Annotated[dict[str, float], AfterValidator(_distribution)]]
StateTable = CircuitTable[Literal["state"], Annotated[list[Amplitude], AfterValidator(_state)]]


class UnitaryTable(CircuitTable[Literal["unitary"], Annotated[list[list[Amplitude]], AfterValidator(_unitary)]]):
    @model_validator(mode="after")
    def _one_size(self) -> UnitaryTable:
        if len({len(case.expected) for case in self.cases}) > 1:
            raise ValueError("the matrices of the cases have different sizes")
        return self


class UnitTestTable(StrictModel):
    kind: Literal["unit_test"]
    test: Python = Field(min_length=1)
    function: Name | None = None
    preamble: Python = ""


class LimitsTable(StrictModel):
    cpu_seconds: float = Field(default=30.0, gt=0)
    wall_seconds: float = Field(default=180.0, gt=0)
    memory_mb: int = Field(default=2048, gt=0)


class Line(StrictModel):
    """A task in one framework."""

    task_id: str = Field(min_length=1)
    framework: FrameworkName
    entry_point: Name
    prompt: str = Field(min_length=1)
    check: Annotated[DistributionTable | StateTable | UnitaryTable | UnitTestTable, Field(discriminator="kind")]
    starter: str = ""
    reference: str | None = Field(default=None, min_length=1)
    category: str = Field(default="unsorted", min_length=1)
    difficulty: str | None = Field(default=None, min_length=1)
    title: str = ""
    concepts: list[str] = Field(default_factory=list)
    errata: str | None = Field(default=None, min_length=1)
    limits: LimitsTable = LimitsTable()

    @model_validator(mode="after")
    def _test_is_there(self) -> Line:
        if isinstance(self.check, UnitTestTable):
            language = FRAMEWORKS[self.framework].language
            if language is not PYTHON:
                raise ValueError(f"a unit test requires a Python program, but answers in {language.title} are circuits")
            self.test_call()
        return self

    def test_call(self) -> tuple[str, bool]:
        """Return the name of the test function, and whether it takes the entry point as an argument.

        Raises ValueError.
        """
        assert isinstance(self.check, UnitTestTable)
        functions = {node.name for node in parse(self.check.test).body if isinstance(node, ast.FunctionDef)}
        if self.check.function is not None:
            if self.check.function not in functions:
                raise ValueError(f"check.test does not define the function {self.check.function}")
            return self.check.function, False
        if (named := test_function(self.check.test, self.entry_point)) is not None:
            return named, False
        if "check" not in functions:
            raise ValueError(f"check.test defines neither test_{self.entry_point} nor another test_* nor check")
        return "check", True
