"""The one frame that a child sends, read into plain data of known shape.

A child is hostile: its bytes are decoded into the types below and nothing else. What does not fit is no result, and
decoding stops there, so that no depth or size costs anything. Texts are cleaned and cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from repair_bench.executors.guest.text import clean
from repair_bench.executors.program import Call, Script, UnitTest
from repair_bench.traces.record.records import ExceptionInfo

LARGEST = 2.0
"""No part of an amplitude, an entry of a unitary or a probability is larger, whatever its rounding."""
MAX_QUBITS = 24
MAX_BITS = 64
MAX_OUTCOMES = 1 << 20
MAX_NAMES = 1_000
"""Gates, registers or changed names."""
MAX_RETURNED = 8
NAME_LIMIT = 200
MESSAGE_LIMIT = 4_000
STRING_LIMIT = 20_000

Count = Annotated[int, Meta(ge=0, le=2**53)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Pair = Annotated[list[Number], Meta(min_length=2, max_length=2)]
Gates = Annotated[dict[str, Count], Meta(max_length=MAX_NAMES)]
Registers = Annotated[list[tuple[str, Count]], Meta(max_length=MAX_NAMES)]


@dataclass(frozen=True)
class Result:
    """What a child says of itself. `value`: see `executors.program`."""

    status: Literal["returned", "exception", "no_entry", "memory", "disk", "output_limit"]
    value: dict[str, Any] | None = None
    exception: ExceptionInfo | None = None


def read_result(call: Call | UnitTest | Script, data: bytes) -> Result | None:
    """The result in what a child sent for this call; None when that is anything but one well-formed frame."""
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
        return None if message.exception is None else Result("exception", exception=message.exception.info())
    return Result(message.status)


class _Raised(Struct, forbid_unknown_fields=True):
    type: str
    message: str
    traceback: str

    def info(self) -> ExceptionInfo:
        return ExceptionInfo(
            clean(self.type, NAME_LIMIT), clean(self.message, MESSAGE_LIMIT), clean(self.traceback, STRING_LIMIT)
        )


class _Observation(Struct, tag_field="kind", forbid_unknown_fields=True):
    """One case. `plain`: the observation as `executors.program` describes it; None when its parts do not fit."""

    def plain(self) -> dict[str, Any] | None:
        raise NotImplementedError


class _Distribution(_Observation, tag="distribution", forbid_unknown_fields=True):
    bits: Annotated[int, Meta(ge=0, le=MAX_BITS)]
    probabilities: Annotated[dict[str, Number], Meta(max_length=MAX_OUTCOMES)]
    shots: Count | None
    gates: Gates | None
    registers: Registers | None = None

    def plain(self) -> dict[str, Any] | None:
        if any(len(key) != self.bits or set(key) - {"0", "1"} for key in self.probabilities):
            return None
        known = {"kind": "distribution", "bits": self.bits, "probabilities": self.probabilities, "shots": self.shots}
        known["gates"] = _clean_names(self.gates)
        if self.registers is not None:
            known["registers"] = [[clean(name, NAME_LIMIT), bits] for name, bits in self.registers]
        return known


class _State(_Observation, tag="state", forbid_unknown_fields=True):
    qubits: Annotated[int, Meta(ge=0, le=MAX_QUBITS)]
    amplitudes: list[Pair]
    gates: Gates | None

    def plain(self) -> dict[str, Any] | None:
        if len(self.amplitudes) != 1 << self.qubits:
            return None
        gates = _clean_names(self.gates)
        return {"kind": "state", "qubits": self.qubits, "amplitudes": self.amplitudes, "gates": gates}


class _Unitary(_Observation, tag="unitary", forbid_unknown_fields=True):
    qubits: Annotated[int, Meta(ge=0, le=MAX_QUBITS)]
    matrix: list[Annotated[list[Pair], Meta(min_length=1)]]
    gates: Gates | None

    def plain(self) -> dict[str, Any] | None:
        side = 1 << self.qubits
        if len(self.matrix) != side or any(len(row) != side for row in self.matrix):
            return None
        return {"kind": "unitary", "qubits": self.qubits, "matrix": self.matrix, "gates": _clean_names(self.gates)}


class _Other(_Observation, tag="other", forbid_unknown_fields=True):
    type: str
    repr: str
    problem: str
    mismatch: Literal["type", "shape"] = "type"

    def plain(self) -> dict[str, Any]:
        return {
            "kind": "other",
            "type": clean(self.type, NAME_LIMIT),
            "repr": clean(self.repr, STRING_LIMIT),
            "problem": clean(self.problem, MESSAGE_LIMIT),
            "mismatch": self.mismatch,
        }


class _Cases(Struct, forbid_unknown_fields=True):
    cases: list[_Distribution | _State | _Unitary | _Other]

    def plain(self, count: int) -> dict[str, Any] | None:
        """One observation each of `count` cases."""
        seen = [case.plain() for case in self.cases] if len(self.cases) == count else [None]
        return None if None in seen else {"cases": seen}


class _Test(Struct, forbid_unknown_fields=True):
    """What a unit test came to; what belongs to another end than its own is passed over."""

    test: Literal["passed", "failed", "tampered"]
    vacuous: bool = False
    changed: list[str] | None = None
    error: _Raised | None = None
    calls: Count | None = None
    returned: list[str] | None = None

    def plain(self, count: int) -> dict[str, Any] | None:  # noqa: ARG002 - as `_Cases` has it
        changed = None if self.changed is None else [clean(name, NAME_LIMIT) for name in self.changed[:MAX_NAMES]]
        if self.test == "passed":
            more = {"vacuous": True} if self.vacuous else {}
            return {"test": "passed", **more, **({"changed": changed} if changed else {})}
        if self.test == "tampered":
            return None if changed is None else {"test": "tampered", "changed": changed}
        if self.error is None or self.calls is None or self.returned is None:
            return None
        returned = [clean(text, MESSAGE_LIMIT) for text in self.returned[-MAX_RETURNED:]]
        return {"test": "failed", "error": vars(self.error.info()), "calls": self.calls, "returned": returned}


class _Script(Struct, forbid_unknown_fields=True):
    """A script sends nothing besides what it prints."""

    def plain(self, count: int) -> dict[str, Any]:  # noqa: ARG002 - as `_Cases` has it
        return {}


def _clean_names(gates: dict[str, int] | None) -> dict[str, int] | None:
    return None if gates is None else {clean(name, NAME_LIMIT): count for name, count in gates.items()}


_Value = TypeVar("_Value", _Cases, _Test, _Script)


class _Said(Struct, Generic[_Value], forbid_unknown_fields=True):
    status: Literal["returned", "exception", "no_entry", "memory", "disk", "output_limit"]
    value: _Value | None = None
    exception: _Raised | None = None
    nonce: str = ""
    """Shows that a guarded test was run to its end (`executors.sealed`)."""


_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    Call: msgspec.json.Decoder(_Said[_Cases]),
    UnitTest: msgspec.json.Decoder(_Said[_Test]),
    Script: msgspec.json.Decoder(_Said[_Script]),
}
