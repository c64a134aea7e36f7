"""Read arrays, counts and samples that are plain Python or NumPy values, not objects of a quantum framework."""

from __future__ import annotations

import math
from collections import Counter
from numbers import Integral, Number
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

import numpy as np

from ..text import printed
from . import forms
from .forms import Gates, Observation, Unreadable

TOLERANCE = 1e-4
"""The largest accepted deviation from 1, for a sum of probabilities and for the norm of a state. Single precision
causes deviations of about 1e-6."""

MAX_PARTS = 16
"""The maximum number of elements that are read from a returned tuple, list or dictionary."""


def read(value: Any, form: str, *, shots: Optional[int] = None, gates: Gates = None) -> Observation:
    """Convert an array, counts, probabilities or samples to an observation of the form `form`.

    `shots`: the number of samples from which the value was computed; None if unknown. Raises `Unreadable`.
    """
    if isinstance(value, Mapping):
        if form != "distribution":
            raise Unreadable("returned {}; {} was expected".format(forms.a(value), forms.EXPECTED[form]))
        return _mapping(value, shots, gates)
    array = None if form == "circuit" else _array(value)
    if array is None:
        raise Unreadable("returned {}; {} was expected".format(forms.a(value), forms.EXPECTED[form]))
    if form == "unitary":
        return forms.unitary(_unitary(array), gates)
    if form == "state":
        return forms.state(_state(array), gates)
    return _distribution(array, shots, gates)


def samples(rows: Iterable[str], *, gates: Gates = None) -> Observation:
    """Compute the distribution of measurement outcomes from samples. `rows`: one bit string per shot."""
    return _mapping(Counter(rows), None, gates)


def state_distribution(vector: Any, gates: Gates = None) -> Observation:
    """Return the distribution of the bits that result from measuring all qubits, the most significant bit first."""
    vector = np.asarray(vector, dtype=complex).reshape(-1)
    return _table(np.abs(vector) ** 2, None, gates)


def parts(value: Any) -> List[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []


def the_one(value: Any, kind: Any, name: str) -> Any:
    """Return the value itself if its type is `kind`, otherwise its only part of type `kind`.

    Return None if no part has the type `kind`. Raises `Unreadable` if several parts have the type `kind`.
    """
    if isinstance(value, kind):
        return value
    found = [part for part in parts(value) if isinstance(part, kind)]
    if len(found) > 1:
        raise Unreadable("returned {} {}s; one was expected".format(len(found), name))
    return found[0] if found else None


def read_any(
    value: Any, form: str, reader: Callable[[Any], Observation], *, shots: Optional[int] = None, gates: Gates = None
) -> Observation:
    """Read a value that does not belong to a framework. If the value is unreadable, apply `reader` to its parts."""
    try:
        return read(value, form, shots=shots, gates=gates)
    except Unreadable:
        found: List[Observation] = []
        for part in parts(value)[:MAX_PARTS]:
            try:
                found.append(reader(part))
            except Unreadable:
                continue
        if len(found) != 1:
            raise
        return found[0]


def _array(value: Any) -> Optional[np.ndarray]:
    """Convert a value to a numeric or boolean array, or None. Strings such as "010" in a list become bits."""
    if not isinstance(value, (np.ndarray, list, tuple)) and not hasattr(value, "__array__"):
        return None
    if isinstance(value, (list, tuple)) and value and all(_is_bits(item) for item in value):
        rows = [[int(bit) for bit in item.replace(" ", "")] for item in value]
        return np.array(rows) if len({len(row) for row in rows}) == 1 else None
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return None
    return array if array.dtype.kind in "biufc" and array.ndim and array.size else None


def _is_bits(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and set(value) <= {"0", "1", " "}


def _power_of_two(size: int) -> bool:
    return size > 1 and size & (size - 1) == 0


def _state(array: np.ndarray) -> np.ndarray:
    vector = array.reshape(-1).astype(complex)
    norm = float(np.linalg.norm(vector))
    if max(array.shape) != array.size or not _power_of_two(array.size):
        problem = "returned an array of shape {}; a state vector has 2^n amplitudes".format(array.shape)
        raise Unreadable(problem, shape=True)
    if not abs(norm - 1) <= TOLERANCE:  # True for NaN too
        hint = "; these look like probabilities" if array.dtype.kind in "fiu" and _sums_to_one(array) else ""
        raise Unreadable("returned a vector of norm {:.4g}; a state has norm 1{}".format(norm, hint))
    return vector / norm


def _unitary(array: np.ndarray) -> np.ndarray:
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not _power_of_two(len(array)):
        problem = "returned an array of shape {}; a unitary matrix is 2^n x 2^n".format(array.shape)
        raise Unreadable(problem, shape=True)
    matrix = array.astype(complex)
    if not np.allclose(matrix.conj().T @ matrix, np.eye(len(matrix)), atol=TOLERANCE):
        raise Unreadable("returned a matrix that is not unitary")
    return matrix


def _distribution(array: np.ndarray, shots: Optional[int], gates: Gates) -> Observation:
    if array.dtype.kind == "c":
        if np.abs(array.imag).max() > 1e-9 or not _sums_to_one(array.real) or array.real.min() < -1e-9:
            return state_distribution(_state(array), gates)
        array = array.real
    flat = array.reshape(-1)
    likely = _power_of_two(flat.size) and _sums_to_one(flat) and flat.min() > -1e-9
    floats = array.dtype.kind == "f"
    if likely and ((floats and set(array.shape) <= {1, 2, flat.size}) or (array.ndim == 1 and shots is None)):
        return _table(flat, shots, gates)
    bits = _bit_rows(array, shots)
    if bits is not None:
        return samples(("".join(row) for row in bits.astype(int).astype(str).tolist()), gates=gates)
    if floats and array.ndim == 1 and _power_of_two(array.size):
        if abs(float(np.linalg.norm(array)) - 1) < TOLERANCE:
            return state_distribution(array, gates)
        problem = "returned {} numbers that sum to {:.4g}; probabilities sum to 1"
        raise Unreadable(problem.format(array.size, float(array.sum())))
    raise Unreadable("returned an array of shape {} that is neither probabilities nor samples".format(array.shape))


def _bit_rows(array: np.ndarray, shots: Optional[int]) -> Optional[np.ndarray]:
    """Convert samples to an array of bits with one row per shot. Return None if the samples cannot be converted.

    Eigenvalues 1 and -1 become 0 and 1.
    """
    if array.ndim == 3 and array.shape[-1] == 1:  # a list of columns
        array = array[..., 0]
    if array.ndim > 2:
        return None
    values = set(np.unique(array).tolist())
    if values <= {0, 1}:
        bits = array
    elif values <= {1, -1}:
        bits = (1 - array) / 2
    else:
        return None
    if bits.ndim == 1:
        return bits.reshape(-1, 1)
    lying = bits.shape[0] < bits.shape[1]
    if lying and (bits.shape[1] == shots or (bits.shape[0] != shots and bits.shape[1] > forms.MAX_BITS)):
        return bits.T
    return bits


def _table(probabilities: np.ndarray, shots: Optional[int], gates: Gates) -> Observation:
    bits = probabilities.size.bit_length() - 1
    forms.check_size(0, bits)
    total = float(probabilities.sum())
    keyed = {format(i, "0{}b".format(bits)): float(probabilities[i]) / total for i in np.flatnonzero(probabilities)}
    return forms.distribution(keyed, bits, shots=shots, gates=gates)


def _mapping(value: Mapping[Any, Any], shots: Optional[int], gates: Gates) -> Observation:
    if not value:
        raise Unreadable("returned an empty {}".format(type(value).__name__))
    numbers = [_number(number) for number in value.values()]
    if not all(-1e-9 <= number < math.inf for number in numbers):
        raise Unreadable("returned a {} whose values are neither counts nor probabilities".format(type(value).__name__))
    keys, bits, integer_keys = _keys(list(value))
    total = sum(numbers)
    counted = all(isinstance(number, Integral) for number in value.values()) or total > 1.5
    if total <= 0 or (counted and abs(total - round(total)) > 1e-6):
        raise Unreadable("returned a {} whose values sum to {:.4g}".format(type(value).__name__, total))
    if not counted and abs(total - 1) > TOLERANCE:
        raise Unreadable("returned probabilities that sum to {:.4g}, not to 1".format(total))
    probabilities: Dict[str, float] = {}
    for key, number in zip(keys, numbers):
        probabilities[key] = probabilities.get(key, 0.0) + number / total
    observation = forms.distribution(probabilities, bits, shots=round(total) if counted else shots, gates=gates)
    return {**observation, "integer_keys": True} if integer_keys else observation


def _keys(keys: List[Any]) -> Tuple[List[str], int, bool]:
    """Convert all keys to bit strings of equal length. Return the bit strings, their length, and whether the keys are
    integers.

    Integer keys, and hexadecimal keys such as "0x1", are padded to the width of the largest key.
    """
    integers = False
    # the keys of Cirq's `multi_measurement_histogram` are tuples, also if there is only one measurement key
    numbers = [key[0] if isinstance(key, tuple) and len(key) == 1 else key for key in keys]
    if all(_is_bits(key) for key in keys):
        texts = [key.replace(" ", "") for key in keys]
    elif all(isinstance(key, str) and key.startswith("0x") for key in keys):
        texts, integers = _binary([int(key, 16) for key in keys]), True
    elif all(isinstance(number, Integral) and int(number) >= 0 for number in numbers):
        texts, integers = _binary([int(number) for number in numbers]), True
    elif all(isinstance(key, tuple) and key and all(bit in (0, 1) for bit in key) for key in keys):
        texts = ["".join(str(int(bit)) for bit in key) for key in keys]
    elif all(isinstance(key, (Number, np.number)) and key in (1, -1) for key in keys):  # counts of an observable
        texts = ["0" if key == 1 else "1" for key in keys]
    else:
        raise Unreadable("returned outcomes that are not bit strings: {}".format(printed(keys[0], 60)))
    widths = {len(text) for text in texts}
    if len(widths) != 1:
        raise Unreadable("returned outcomes of different lengths: {}".format(sorted(widths)))
    bits = widths.pop()
    forms.check_size(0, bits)
    return texts, bits, integers


def _binary(numbers: List[int]) -> List[str]:
    width = max(1, max(numbers).bit_length())
    return [format(number, "0{}b".format(width)) for number in numbers]


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _sums_to_one(array: np.ndarray) -> bool:
    return abs(float(array.sum()) - 1) < TOLERANCE
