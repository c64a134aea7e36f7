"""Items, slices and shapes of OpenQASM 3 values: arrays, qubits, bits, and the bits of numbers."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

from .openqasm3_errors import Refused
from .openqasm3_memory import Bits, Qubits
from .openqasm3_values import BIT, MACHINE_BITS, Type, Value, settled


def one_of(value: Any, place: int) -> Any:
    """Return the item at a position. Raises `Refused`, as do all functions below."""
    if isinstance(value, Value) and value.type.size is None and value.type.integral:
        if settled(value).raw < 0 or not 0 <= place < MACHINE_BITS - 1:
            problem = "the value of this bit depends on the size of {0}: declare a size, as in {0}[32]"
            raise Refused(problem.format(value.type))
        return Value(BIT, (value.raw >> place) & 1)
    (number,) = places_of(value, [place])
    if isinstance(value, list):
        return value[number]
    if isinstance(value, Value):
        return Value(BIT, (settled(value).raw >> number) & 1)
    return type(value)((value[0][number],), True)


def taken_from(value: Any, places: Sequence[int]) -> Any:
    numbers = places_of(value, places)
    if isinstance(value, list):
        return [value[number] for number in numbers]
    if isinstance(value, Value):
        if not numbers:
            raise Refused("a slice of bits must not be empty")
        raw = settled(value).raw
        return Value(Type("bit", len(numbers)), sum(((raw >> n) & 1) << place for place, n in enumerate(numbers)))
    return type(value)(_distinct(tuple(value[0][number] for number in numbers)))


def joined(left: Any, right: Any) -> Any:
    if isinstance(left, Qubits) and isinstance(right, Qubits):
        return Qubits(_distinct(left.numbers + right.numbers))
    if isinstance(left, Bits) and isinstance(right, Bits):
        return Bits(_distinct(left.slots + right.slots))
    raise Refused("qubits can be joined only with qubits, and bits only with bits")


def _distinct(numbers: Tuple[int, ...]) -> Tuple[int, ...]:
    if len(set(numbers)) < len(numbers):
        raise Refused("the same qubit or bit appears twice")
    return numbers


def places_of(value: Any, places: Sequence[int]) -> List[int]:
    """Convert positions to nonnegative indices. Negative positions count from the end."""
    size = length(value)
    found = []
    for place in places:
        if not -size <= place < size:
            raise Refused("index {} is out of range for {} items".format(place, size))
        found.append(place % size)
    return found


def length(value: Any) -> int:
    if isinstance(value, (Bits, Qubits)):
        if value.single:
            raise Refused("a single {} cannot be indexed".format("bit" if isinstance(value, Bits) else "qubit"))
        return len(value[0])
    if isinstance(value, Value) and value.type.size is not None and value.type.kind != "float":
        return value.type.size
    if isinstance(value, list):
        return len(value)
    raise Refused("this value has no items")


def shape(value: Any) -> List[int]:
    """Return the length of each dimension of an array. An empty slice has unknown inner dimensions."""
    return [len(value), *(shape(value[0]) if value else [])] if isinstance(value, list) else []


def of_shape(lengths: Sequence[int], value: Any) -> Any:
    return [of_shape(lengths[1:], value) for _ in range(lengths[0])] if lengths else value
