"""Represent the fake devices in IBM's client by their class names. A local job is converted to plain data in the same
way as a job from Qiskit.
"""

from __future__ import annotations

from typing import Any, List

from qiskit_ibm_runtime import fake_provider
from qiskit_ibm_runtime.fake_provider.fake_backend import FakeBackendV2

from ..kinds import CannotCross, Family, Kind


def families() -> List[Family]:
    return [(_is_known, Kind("fake", lambda value: type(value).__name__, _fake))]


def _is_known(value: Any) -> bool:
    return isinstance(value, FakeBackendV2) and _class(type(value).__name__) is type(value)


def _class(name: str) -> Any:
    return getattr(fake_provider, name, None)


def _fake(name: Any) -> Any:
    kind = _class(name)
    if not isinstance(kind, type) or not issubclass(kind, FakeBackendV2):
        raise CannotCross("%s is not a fake device" % name[:99])
    return kind()
