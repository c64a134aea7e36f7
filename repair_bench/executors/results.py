"""Decode the frame that a child process sends. The result is plain data with a known structure.

Children are untrusted: the bytes that they send are decoded only into the types defined in this module. Decoding stops
at the first mismatch, so a malformed frame costs little time even if the frame is large or deeply nested. Strings are
cleaned and truncated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from repair_bench.executors.guest.text import clean_json
from repair_bench.executors.program import Call, Script, UnitTest
from repair_bench.traces.record.records import ExceptionInfo

LARGEST = 2.0
"""The largest accepted absolute value of a probability, and of the real or imaginary part of a complex number. The
limit includes a margin for rounding errors."""
MAX_QUBITS = 24
MAX_BITS = 64
MAX_OUTCOMES = 1 << 20
MAX_OPERATIONS = 100_000
MAX_NAMES = 1_000
"""The maximum number of entries in each of these collections: gate names, registers, changed names."""
MAX_RETURNED = 8
NAME_LIMIT = 200
MESSAGE_LIMIT = 4_000
STRING_LIMIT = 20_000
LIMITS = {
    "gates": NAME_LIMIT,
    "registers": NAME_LIMIT,
    "operations": NAME_LIMIT,
    "type": NAME_LIMIT,
    "message": MESSAGE_LIMIT,
    "problem": MESSAGE_LIMIT,
    "repr": STRING_LIMIT,
    "traceback": STRING_LIMIT,
}
"""The maximum number of characters per text, for each field that contains texts."""

Count = Annotated[int, Meta(ge=0, le=2**53)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Pair = Annotated[list[Number], Meta(min_length=2, max_length=2)]
Gates = Annotated[dict[str, Count], Meta(max_length=MAX_NAMES)]
Qubit = Annotated[int, Meta(ge=0, lt=MAX_BITS)]
Operation = tuple[
    Annotated[str, Meta(max_length=NAME_LIMIT)], Annotated[list[Qubit], Meta(max_length=MAX_BITS)], float | None
]
Registers = Annotated[list[tuple[str, Count]], Meta(max_length=MAX_NAMES)]


@dataclass(frozen=True)
class Result:
    """The result that a child reports. `executors.program` describes `value`."""

    status: Literal["returned", "exception", "no_entry", "memory", "disk", "output_limit"]
    value: dict[str, Any] | None = None
    exception: ExceptionInfo | None = None


def read_result(call: Call | UnitTest | Script, data: bytes) -> Result | None:
    """Return the result that a child sent for a call, or None if `data` is not exactly one well-formed frame."""
    body = data[4:]
    if len(data) < 4 or int.from_bytes(data[:4], "big") != len(body):
        return None
    try:
        message = _DECODERS[type(call)].decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if message.status == "returned":
        cases = len(call.cases) if isinstance(call, Call) else 1
        value = None if message.value is None else message.value.plain(cases)
        return None if value is None else Result("returned", value)
    if message.status == "exception":
        raised = message.exception
        return None if raised is None else Result("exception", exception=ExceptionInfo(**_fields(raised)))
    return Result(message.status)


class _Strict(Struct, forbid_unknown_fields=True):
    pass


def _fields(data: _Strict) -> dict[str, Any]:
    """Return the received fields, after cleaning and truncating the texts of the fields in `LIMITS`."""
    sent = {name: value for name, value in msgspec.structs.asdict(data).items() if value is not UNSET}
    return {name: clean_json(value, LIMITS[name]) if name in LIMITS else value for name, value in sent.items()}


class _Raised(_Strict):
    type: str
    message: str
    traceback: str


class _Observation(_Strict, tag_field="kind"):
    def fits(self) -> bool:
        """Whether the parts of the observation have consistent sizes."""
        return True


class _Distribution(_Observation, tag="distribution"):
    bits: Annotated[int, Meta(ge=0, le=MAX_BITS)]
    probabilities: Annotated[dict[str, Number], Meta(max_length=MAX_OUTCOMES)]
    shots: Count | None
    gates: Gates | None
    registers: Registers | UnsetType = UNSET
    integer_keys: bool | UnsetType = UNSET

    def fits(self) -> bool:
        return all(len(key) == self.bits and not set(key) - {"0", "1"} for key in self.probabilities)


class _State(_Observation, tag="state"):
    qubits: Annotated[int, Meta(ge=0, le=MAX_QUBITS)]
    amplitudes: list[Pair]
    gates: Gates | None

    def fits(self) -> bool:
        return len(self.amplitudes) == 1 << self.qubits


class _Unitary(_Observation, tag="unitary"):
    qubits: Annotated[int, Meta(ge=0, le=MAX_QUBITS)]
    matrix: list[Annotated[list[Pair], Meta(min_length=1)]]
    gates: Gates | None

    def fits(self) -> bool:
        side = 1 << self.qubits
        return len(self.matrix) == side and all(len(row) == side for row in self.matrix)


class _Circuit(_Observation, tag="circuit"):
    qubits: Annotated[int, Meta(ge=0, le=MAX_BITS)]
    operations: Annotated[list[Operation], Meta(max_length=MAX_OPERATIONS)]


class _Other(_Observation, tag="other"):
    type: str
    repr: str
    problem: str
    mismatch: Literal["type", "shape"] = "type"


class _Cases(_Strict):
    cases: list[_Distribution | _State | _Unitary | _Circuit | _Other]

    def plain(self, count: int) -> dict[str, Any] | None:
        """Return the observations if there are exactly `count`, all of them consistent; otherwise None."""
        if len(self.cases) != count or not all(case.fits() for case in self.cases):
            return None
        return {"cases": [{"kind": case.__struct_config__.tag, **_fields(case)} for case in self.cases]}


class _Test(_Strict):
    """The result of a unit test. Fields that do not belong to this kind of result are ignored."""

    test: Literal["passed", "failed", "tampered"]
    vacuous: bool = False
    changed: list[str] | None = None
    error: _Raised | None = None
    calls: Count | None = None
    returned: list[str] | None = None

    def plain(self, _count: int) -> dict[str, Any] | None:
        changed = None if self.changed is None else clean_json(self.changed[:MAX_NAMES], NAME_LIMIT)
        if self.test == "passed":
            more = {"vacuous": True} if self.vacuous else {}
            return {"test": "passed", **more, **({"changed": changed} if changed else {})}
        if self.test == "tampered":
            return None if changed is None else {"test": "tampered", "changed": changed}
        if self.error is None or self.calls is None or self.returned is None:
            return None
        returned = clean_json(self.returned[-MAX_RETURNED:], MESSAGE_LIMIT)
        return {"test": "failed", "error": _fields(self.error), "calls": self.calls, "returned": returned}


class _Script(_Strict):
    """The result of a script. The result is empty, because the output is read from the script's output streams."""

    def plain(self, _count: int) -> dict[str, Any]:
        return {}


_Value = TypeVar("_Value", _Cases, _Test, _Script)


class _Frame(_Strict, Generic[_Value]):
    status: Literal["returned", "exception", "no_entry", "memory", "disk", "output_limit"]
    value: _Value | None = None
    exception: _Raised | None = None
    nonce: str = ""
    """A secret that proves that a guarded test was completed (`executors.sealed`)."""


_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    Call: msgspec.json.Decoder(_Frame[_Cases]),
    UnitTest: msgspec.json.Decoder(_Frame[_Test]),
    Script: msgspec.json.Decoder(_Frame[_Script]),
}
