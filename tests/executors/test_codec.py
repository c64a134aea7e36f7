"""The encoding of values between a candidate's process and its test, and the values that it refuses."""

import json
import math
import zlib
from collections import Counter, OrderedDict, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import cirq
import numpy as np
import pennylane  # noqa: F401 - the table includes the kinds of imported frameworks
import pytest
import qiskit.circuit.library as gates
import qiskit.quantum_info as info
import sympy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pennylane import numpy as pnp
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, qpy
from qiskit.circuit import Parameter
from qiskit.primitives import BitArray
from qiskit.result import Counts, QuasiDistribution
from qiskit.transpiler import CouplingMap
from random_circuits import circuits, in_qiskit

from repair_bench.executors.guest import codec, kinds
from repair_bench.executors.guest.codec import decode, encode
from repair_bench.executors.guest.kinds import CannotCross


def crossed(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)))


limit = codec.LARGEST
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(-limit, limit) | st.complex_numbers(max_magnitude=limit)
) | (st.text(max_size=20) | st.binary(max_size=20) | st.fractions() | st.builds(range, st.integers(-9, 9)))
hashable = st.recursive(scalars, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
values = st.recursive(
    hashable | st.sets(hashable, max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner) | st.dictionaries(hashable, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_plain_values_keep_value_and_class(value: Any) -> None:
    back = crossed(value)
    assert back == value
    assert repr(type(back)) == repr(type(value))
    assert codec.same(encode(back), encode(value)) or isinstance(value, set | frozenset | list | tuple | dict)


class Trusting(codec.Link):
    trusts = True


def handed_over(value: Any) -> Any:
    """Encode a value of the test, and return it as the candidate decodes it."""
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)), Trusting())


@given(arrays.arrays(st.sampled_from(["f8", "c16", "i4", "u1", "?", "<U3"]), arrays.array_shapes(max_side=4)))
def test_arrays_keep_every_bit(array: Any) -> None:
    back = handed_over(array)
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    back[...] = array  # the decoded array is writable


@given(circuits)
def test_decoded_circuits_equal_the_originals(steps: list[Any]) -> None:
    circuit = in_qiskit(steps)
    assert crossed(circuit) == circuit


theta = Parameter("theta")
parametrised = QuantumCircuit(1)
parametrised.rx(theta, 0)
q = cirq.LineQubit.range(2)


@pytest.mark.parametrize(
    "value",
    [
        Counter("abca"),
        OrderedDict(b=1, a=2),
        deque([1, 2], 3),
        Fraction(1, 3),
        slice(1, None, 2),
        np.float64(0.1),
        np.bool_(True),
        np.array(3),
        info.Statevector([1, 0, 0, 0], dims=(2, 2)),
        info.DensityMatrix(np.eye(2) / 2),
        info.Operator(np.eye(4)),
        info.SparsePauliOp(["XX", "ZY"], [1, 2j]),
        info.Pauli("-iXY"),
        info.PauliList(["XI", "ZZ"]),
        info.Clifford(gates.HGate()),
        info.StabilizerState(info.Clifford(gates.HGate())),
        info.Choi(np.eye(4)),
        theta,
        parametrised,
        gates.HGate(),
        gates.RXGate(0.2),
        gates.XGate().control(2),
        gates.UnitaryGate(np.eye(4)),
        QuantumRegister(2, "a"),
        ClassicalRegister(2, "b"),
        QuantumRegister(2, "a")[1],
        Counts({"00": 3, "11": 4}),
        QuasiDistribution({0: 0.5, 3: 0.5}),
        BitArray(np.array([[1], [0]], dtype=np.uint8), 2),
        cirq.Circuit(cirq.H(q[0]), cirq.CNOT(*q), cirq.measure(*q, key="m")),
        q[0],
        cirq.Rx(rads=0.5),
        cirq.X ** (sympy.Symbol("t") * 2 / 3 + sympy.pi),
        cirq.ParamResolver({"t": 0.5, sympy.Symbol("u"): sympy.Symbol("v") + 1}),
        cirq.Points("t", [1, 2.5]),
        cirq.Circuit(cirq.CircuitOperation(cirq.FrozenCircuit(cirq.X(q[0])), repetitions=2)),
        cirq.X(q[0]).with_classical_controls(sympy.Xor(sympy.IndexedBase("m")[0], sympy.IndexedBase("m")[1])),
        pnp.tensor([1.0, 2.0], requires_grad=True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_decoded_framework_objects_equal_the_originals(value: Any) -> None:
    back = crossed([value])[0]
    assert isinstance(back, type(value))
    assert np.all(back == value)
    assert codec.same(encode(back), encode(value))  # encoding the decoded value shows no change


def test_numbers_that_json_lacks_are_encoded() -> None:
    back = handed_over([math.inf, -math.inf, math.nan, complex(0, math.inf), 10**1000])
    assert back[0] == math.inf
    assert back[1] == -math.inf
    assert math.isnan(back[2])
    assert back[3:] == [complex(0, math.inf), 10**1000]


@pytest.mark.parametrize(
    "number",
    [
        *(math.inf, -math.inf, math.nan, 1.1e150, complex(0, -1e200), complex(1.7e308, 1.7e308), Decimal("1e151")),
        *(Decimal("nan"), np.float64(1e200), np.complex64(3e30), np.float16(300), np.array([0, math.nan])),
        *(np.array([[1e200]]), np.array([-1e200j]), np.int8(-100), np.array([1, -(2**63)]), pnp.tensor([1e200])),
    ],
    ids=repr,
)
def test_a_candidate_cannot_send_an_overflowing_number(number: Any) -> None:
    with pytest.raises(CannotCross):
        encode({"a": [number]}, Trusting())
    sent = json.loads(json.dumps(encode({"a": [number]}), allow_nan=False))
    with pytest.raises(CannotCross):
        decode(sent)
    assert decode(sent, Trusting())["a"]


def test_a_coupling_map_keeps_its_edges() -> None:
    assert list(crossed(CouplingMap([[0, 1], [1, 2]])).get_edges()) == [(0, 1), (1, 2)]


class Unknown:
    pass


class OwnList(list):  # type: ignore[type-arg]
    __eq__ = lambda *_: True  # type: ignore[assignment]  # noqa: E731
    __hash__ = None  # type: ignore[assignment]


circular: list[Any] = []
circular.append(circular)


@pytest.mark.parametrize(
    "value",
    [
        *(
            Unknown(),
            Unknown,
            QuantumCircuit,
            object(),
            print,
            (n for n in ()),
            np.array([Unknown()]),
        ),
        *(circular, 1 << 5000, np.zeros(1 << 22), "x" * (1 << 25), [0] * 600_000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_unknown_endless_or_large_values_are_refused(value: Any) -> None:
    with pytest.raises(CannotCross):
        encode(value)


def test_a_subclass_is_encoded_as_its_base_class() -> None:
    class Name(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = str.__hash__

    class Table(dict[Any, Any]):
        def items(self) -> Any:
            return [("no", "such")]

    back = crossed([OwnList([1]), Name("x"), Table(a=Name("y"))])
    assert back == [[1], "x", {"a": "y"}]
    assert [type(item) for item in back] == [list, str, dict]


def test_a_value_of_an_unknown_class_needs_a_link() -> None:
    class Link(codec.Link):
        tags = frozenset({"link"})

        def leave(self, value: Any, encode: Any) -> Any:
            return {"link": encode("print")}

        def arrive(self, tag: str, data: Any, decode: Any) -> Any:
            return decode(data)

    assert encode([print], Link()) == [{"link": "print"}]
    assert decode([{"link": "print"}], Link()) == ["print"]
    with pytest.raises(CannotCross):
        decode([{"link": "print"}])


@pytest.mark.slow
def test_only_bounded_qpy_of_the_current_version_is_read() -> None:
    packed = kinds.table().by_tag["circuit"].to_parts(QuantumCircuit(1))
    data = bytearray(zlib.decompress(packed))
    assert data[6] == qpy.common.QPY_VERSION
    data[6] = 10
    for other in (zlib.compress(bytes(data)), zlib.compress(bytes(1 << 28)), bytes(data)):
        with pytest.raises(CannotCross):
            decode({"circuit": encode(other)})


@pytest.mark.slow
def test_a_circuit_of_many_gates_is_compressed() -> None:
    circuit = QuantumCircuit(1)
    for _ in range(10_000):
        circuit.h(0)
        circuit.t(0)
    packed = kinds.table().by_tag["circuit"].to_parts(circuit)
    assert 20 * len(packed) < len(zlib.decompress(packed))
    assert crossed(circuit) == circuit


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(sorted(kinds.table().by_tag)) | st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=10,
)


@pytest.mark.slow
@given(junk)
def test_invalid_data_is_refused_or_decodes_to_a_known_value(data: Any) -> None:
    try:
        value = decode(data)
    except CannotCross:
        return
    assert type(value).__module__.split(".")[0] != __name__
