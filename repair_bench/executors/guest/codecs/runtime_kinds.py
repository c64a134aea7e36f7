"""The vendor's client in local testing: fake devices by the names of their classes, jobs as finished ones."""

from __future__ import annotations

from typing import Any, Dict, List

from qiskit_ibm_runtime import fake_provider
from qiskit_ibm_runtime.fake_provider.fake_backend import FakeBackendV2
from qiskit_ibm_runtime.fake_provider.local_runtime_job import LocalRuntimeJob

from ..codec import CannotCross, Family, Kind
from .primitives_kinds import job, job_apart


def exact() -> Dict[type, Kind]:
    return {LocalRuntimeJob: Kind("LocalRuntimeJob", job_apart, job)}


def families() -> List[Family]:
    return [(_is_known, Kind("fake", lambda value: type(value).__name__, _fake))]


def _is_known(value: Any) -> bool:
    return isinstance(value, FakeBackendV2) and _class(type(value).__name__) is type(value)


def _class(name: str) -> Any:
    return getattr(fake_provider, name, None)


def _fake(name: Any) -> Any:
    kind = _class(name)
    if not isinstance(kind, type) or not issubclass(kind, FakeBackendV2):
        raise CannotCross("no fake device: %s" % name[:99])
    return kind()
