"""Incorrect answers made from correct ones: values at a candidate's process boundary with one change.

A value is decoded into its transferred form (`guest.codec`). A number, text, array or circuit in it is changed, or a
part is replaced with a value of another type. One generator makes all random choices.
"""

from __future__ import annotations

import base64
import copy
import decimal
import fractions
import io
import math
import random
import zlib
from typing import Any

import numpy as np
from mutated_circuits import HUGE, Circuits, as_one
from qiskit import QuantumCircuit, qpy
from qiskit.quantum_info import Operator, Statevector

from repair_bench.executors.guest import codec

LEAVES = ("circuit", "gate", "ndarray", "scalar", "complex", "float", "bytes", "member", "Parameter")
"""Tags of values whose parts are not changed."""
KEPT = ("function", "iterator", "object", "instance", "yours")
"""Tags of objects that stay on the candidate's side."""


class Mutator:
    """Seeded changes."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def changed(self, data: Any) -> tuple[Any, str]:
        """Return the JSON form of a value with one change, and its description."""
        if self._random.random() < 0.08:
            return self._instead(data)
        return self._somewhere(copy.deepcopy(data))

    def of_the_same_type(self, data: Any) -> tuple[Any, str]:
        """Return a changed argument of the same type."""
        for _ in range(20):
            found, what = self._somewhere(copy.deepcopy(data))
            if type(found) is type(data) and (not isinstance(data, dict) or set(found) == set(data)):
                return found, what
        return data, "nothing"

    def _somewhere(self, data: Any) -> tuple[Any, str]:
        if isinstance(data, list):
            return self._in_list(data)
        if not isinstance(data, dict):
            return self._plain(data)
        ((tag, parts),) = data.items()
        if tag in ("circuit", "gate"):
            return self._circuit(tag, parts) if self._random.random() < 0.97 else self._instead(data)
        if tag in ("ndarray", "scalar"):
            return (
                self._array(tag, codec.decode(data, TRUSTED)) if self._random.random() < 0.95 else self._instead(data)
            )
        if tag in ("complex", "float"):
            return self._plain(codec.decode(data, TRUSTED))
        if tag in KEPT or tag in LEAVES or self._random.random() < 0.1:
            return self._instead(data)
        if tag in ("dict", "OrderedDict", "Counter", "Counts", "QuasiDistribution", "ProbDistribution"):
            return self._in_dict(tag, parts)
        found, what = self._somewhere(parts)
        return {tag: found}, f"{tag}: {what}"

    def _in_list(self, items: list[Any]) -> tuple[Any, str]:
        if not items or self._random.random() < 0.25:
            way = self._random.choice(["reversed", "emptied", "shorter", "longer", "doubled", "nested", "rotated"])
            made = {
                "reversed": items[::-1],
                "emptied": [],
                "shorter": items[:-1],
                "longer": [*items, *items[-1:]],
                "doubled": items * 2,
                "nested": [items],
                "rotated": items[1:] + items[:1],
            }
            return made[way], f"a list {way}"
        place = self._random.randrange(len(items))
        items[place], what = self._somewhere(items[place])
        return items, what

    def _in_dict(self, tag: str, parts: Any) -> tuple[Any, str]:
        """Change a dict. `parts`: its pairs, or a dict of another kind by its dict."""
        inner = parts if tag == "dict" else parts["dict"]
        way = self._random.choice(["keys", "values", "emptied", "fewer", "more", "scaled", "swapped", "one"])
        if not inner and way != "more":
            way = "emptied"
        place = self._random.randrange(len(inner)) if inner else 0
        if way == "keys":
            inner[place][0], _ = self._plain_or_instead(inner[place][0])
        elif way == "values":
            inner[place][1], _ = self._somewhere(inner[place][1])
        elif way == "emptied":
            inner = []
        elif way == "fewer":
            del inner[place]
        elif way == "more":
            inner.append(
                [self._random.choice(["", "0", "1", "x", 0, None]), self._random.choice([0, 1, -1, 1e-9, 1e12])]
            )
        elif way == "scaled":
            factor = self._random.choice([0, -1, 2, 1e149, 10**12, math.inf, math.nan])
            inner = [[key, codec.encode(value * factor)] if _is_number(value) else [key, value] for key, value in inner]
        elif way == "swapped" and len(inner) > 1:
            values = [value for _, value in inner]
            inner = [[key, value] for (key, _), value in zip(inner, values[1:] + values[:1], strict=True)]
        else:
            inner = [inner[0]]
        return {tag: inner if tag == "dict" else {"dict": inner}}, f"a dict: {way}"

    def _plain_or_instead(self, data: Any) -> tuple[Any, str]:
        return self._plain(data) if data is None or isinstance(data, bool | int | float | str) else self._instead(data)

    def _plain(self, value: Any) -> tuple[Any, str]:
        made = self._random.choice(list(_near(value, self._random)))
        try:
            return codec.encode(made), f"{value!r:.40} as {made!r:.40}"
        except codec.CannotCross:
            return None, "a value that cannot be transferred"

    def _instead(self, data: Any) -> tuple[Any, str]:
        """Return a value of another type."""
        made = self._random.choice(INSTEAD)
        if made is NESTED:
            return self._random.choice([[data], {"tuple": [data]}, {"dict": [[0, data]]}, {"set": []}]), "nested"
        return copy.deepcopy(codec.encode(made)), f"replaced by {made!r:.40}"

    def _array(self, tag: str, value: Any) -> tuple[Any, str]:
        array = np.atleast_1d(np.asarray(value))
        ways = [name for name in dir(Arrays) if not name.startswith("_")]
        way = self._random.choice(ways)
        with np.errstate(all="ignore"):
            try:
                found = getattr(Arrays(self._random), way)(array)
            except Exception:  # noqa: BLE001 - the change is not applicable to this array
                return self._instead(None)
        if tag == "scalar" and np.size(found):
            found = np.asarray(found).reshape(-1)[0]
        return codec.encode(found), f"an array: {way}"

    def _circuit(self, tag: str, packed: Any) -> tuple[Any, str]:
        (circuit,) = qpy.load(io.BytesIO(zlib.decompress(base64.b64decode(packed["bytes"]))))
        ways = [name for name in dir(Circuits) if not name.startswith("_")]
        way = self._random.choice(ways)
        try:
            found = getattr(Circuits(self._random), way)(circuit)
            if tag == "gate":
                found = found if len(found.data) == 1 else as_one(found)
            file = io.BytesIO()
            qpy.dump([found], file)
        except Exception:  # noqa: BLE001 - the change is not applicable to this circuit
            return self._instead(None)
        return {tag: codec.encode(zlib.compress(file.getvalue(), 1))}, f"a {tag}: {way}"


class _Trusted(codec.Link):
    trusts = True


TRUSTED = _Trusted()
NESTED = object()
INSTEAD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 0.5, "", "0", "1", "x", [], {}, (), set(), frozenset(), [[]], [None], [0], [1]),
    *(math.nan, math.inf, -math.inf, HUGE, complex(HUGE, HUGE), 1e149, complex(math.nan, 0), b"", range(0), 10**400),
    *(
        np.empty(0),
        np.empty((0, 0)),
        np.float64(0),
        np.array(1.0),
        np.int8(-128),
        np.zeros(1),
        np.zeros((1, 1)),
        NESTED,
    ),
    *(np.array([]).astype(bool), np.array(True), decimal.Decimal("NaN"), fractions.Fraction(1, 2), Ellipsis, NESTED),
    *(np.full(4, complex(HUGE, HUGE)), np.full((2, 2), complex(HUGE, HUGE)), QuantumCircuit(1), QuantumCircuit(2, 2)),
    *(
        Operator(np.eye(2)),
        Statevector([1, 0]),
        Statevector(np.full(4, complex(HUGE, HUGE))),
        Operator(np.zeros((4, 4))),
    ),
]
"""Replacements for arbitrary parts."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _near(value: Any, choose: random.Random) -> list[Any]:
    """Return values that are close to this value or equal to it in some sense."""
    if isinstance(value, bool):
        return [not value, int(not value), str(value), None, np.bool_(not value), float(not value), [], math.nan]
    if isinstance(value, str):
        flipped = value.translate(str.maketrans("01", "10"))
        place = choose.randrange(len(value) + 1)
        return [
            value[::-1],
            flipped,
            value + " ",
            value[:-1],
            value + value,
            "",
            value.upper(),
            value[:place] + "0" + value[place:],
        ]
    if isinstance(value, complex):
        return [
            -value,
            value.conjugate(),
            value * 1j,
            value + 0.1,
            value * 2,
            abs(value),
            complex(math.nan, 0),
            value * 1e149,
            0j,
            complex(HUGE, HUGE),
        ]
    if isinstance(value, int | float):
        other = [
            -value,
            value + 1,
            value - 1,
            value * 2,
            value + 0.1,
            value / 3,
            0,
            1,
            str(value),
            [value],
            math.nan,
            math.inf,
        ]
        other += [HUGE, 1e149, -1e149, complex(0, value), complex(HUGE, HUGE), np.array([]), decimal.Decimal("sNaN")]
        whole = int(value) if math.isfinite(value) else 0
        return [
            *other,
            np.int64(whole % 2**62 - 2**63),
            np.int8((whole - 128 + 128) % 256 - 128),
            np.uint8((whole - 1) % 256),
        ]
    return [0, "", [], {}, False, math.nan, np.empty(0)]


class Arrays:
    """Changes of an array."""

    def __init__(self, choose: random.Random) -> None:
        self._choose = choose

    def negated(self, array: Any) -> Any:
        return -array

    def scaled(self, array: Any) -> Any:
        return array * self._choose.choice([0, 0.5, 1.1, 2, 10, 1e149, 1e-9])

    def overflowing(self, array: Any) -> Any:
        return np.full(array.shape, complex(HUGE, HUGE))

    def overflowing_in_single_precision(self, array: Any) -> Any:
        return np.full(array.shape, 2.9e38 + 2.9e38j, np.complex64)

    def overflowing_in_one_place(self, array: Any) -> Any:
        return self._with(array.astype(complex), complex(HUGE, HUGE))

    def not_a_number(self, array: Any) -> Any:
        return np.full(array.shape, np.nan)

    def not_a_number_in_one_place(self, array: Any) -> Any:
        return self._with(array.astype(complex if array.dtype.kind == "c" else float), np.nan)

    def infinite(self, array: Any) -> Any:
        return np.full(array.shape, np.inf)

    def large(self, array: Any) -> Any:
        return np.full(array.shape, 1e149)

    def other_in_one_place(self, array: Any) -> Any:
        return self._with(array.copy(), self._choose.choice([0, 1, 2, -1, 0.5]))

    def transposed(self, array: Any) -> Any:
        return array.T

    def conjugated(self, array: Any) -> Any:
        return array.conj()

    def of_another_phase(self, array: Any) -> Any:
        return array * np.exp(1j * self._choose.random())

    def reversed(self, array: Any) -> Any:
        return array[::-1]

    def rolled(self, array: Any) -> Any:
        return np.roll(array, 1)

    def empty(self, array: Any) -> Any:
        return array[:0]

    def without_items(self, array: Any) -> Any:
        return np.empty((*array.shape, 0))

    def of_one_item(self, array: Any) -> Any:
        return array.reshape(-1)[:1]

    def of_one_row(self, array: Any) -> Any:
        return array[:1]

    def flat(self, array: Any) -> Any:
        return array.reshape(-1)

    def deeper(self, array: Any) -> Any:
        return array[np.newaxis]

    def as_integers(self, array: Any) -> Any:
        return array.real.astype(np.int64)

    def as_booleans(self, array: Any) -> Any:
        return array.astype(bool)

    def as_texts(self, array: Any) -> Any:
        return array.astype(str)

    def lowest_of_small_integers(self, array: Any) -> Any:
        return (array.real.astype(np.int64) - 128).astype(np.int8)

    def lowest_integers(self, array: Any) -> Any:
        return np.full(array.shape, np.iinfo(np.int64).min)

    def zeros(self, array: Any) -> Any:
        return np.zeros_like(array)

    def ones(self, array: Any) -> Any:
        return np.ones_like(array)

    def in_half_precision(self, array: Any) -> Any:
        return (array.real * 1e5).astype(np.float16)

    def _with(self, array: Any, value: Any) -> Any:
        array.reshape(-1)[self._choose.randrange(array.size)] = value
        return array
