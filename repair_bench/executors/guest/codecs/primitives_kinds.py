"""Convert the results of Qiskit's primitives and backends to plain data. The receiving process gets a finished job that
contains the result of the original job.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Dict

from qiskit import primitives
from qiskit.primitives.primitive_job import PrimitiveJob
from qiskit.result import Result
from qiskit.result.models import ExperimentResultData, MeasLevel, MeasReturnType

from ..codec import encode, may_bear
from ..kinds import CannotCross, Kind, by_attributes


def exact() -> Dict[type, Kind]:
    found: Dict[type, Kind] = {
        primitives.PrimitiveResult: Kind(
            "PrimitiveResult",
            lambda value: [list(value), value.metadata],
            lambda parts: primitives.PrimitiveResult(
                [a(primitives.PubResult, one) for one in a(list, parts[0])], a(dict, parts[1])
            ),
        ),
        primitives.DataBin: Kind(
            "DataBin",
            lambda value: [list(value.shape), dict(value.items())],
            lambda parts: primitives.DataBin(shape=tuple(parts[0]), **attributes(parts[1])),
        ),
        primitives.BitArray: by_attributes(primitives.BitArray, "array", "num_bits"),
        MeasLevel: Kind("MeasLevel", int, MeasLevel),
        MeasReturnType: Kind("MeasReturnType", lambda value: value.value, MeasReturnType),
        PrimitiveJob: Kind("PrimitiveJob", lambda value: [value.job_id(), value.result()], _job),
        Result: Kind("Result", lambda value: value.to_dict(), _result),
    }
    for kind in (primitives.PubResult, primitives.SamplerPubResult):
        found[kind] = Kind(
            kind.__name__,
            lambda value: [value.data, value.metadata],
            lambda parts, kind=kind: kind(a(primitives.DataBin, parts[0]), a(dict, parts[1])),  # type: ignore[misc]
        )
    return found


def finished(result: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def if_it_crosses(value: Any) -> Any:
    try:
        encode(value)
    except CannotCross:
        return None
    return value


def _result(parts: Any) -> Any:
    for experiment in parts["results"]:
        if any(not isinstance(name, str) or hasattr(ExperimentResultData, name) for name in experiment["data"]):
            raise CannotCross("an ExperimentResultData has unexpected attributes")
        attributes(experiment)
    return Result.from_dict(attributes(parts))


def attributes(parts: Any) -> Any:
    if not all(may_bear(name, value) for name, value in parts.items()):
        raise CannotCross("callable attributes")
    return parts


def _job(parts: Any) -> Any:
    name, result = parts
    found = PrimitiveJob(lambda: None)
    found._future, found._job_id = finished(result), str(name)
    return found


def a(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise CannotCross("found a %s instead of a %s" % (type(value).__name__, kind.__name__))
    return value
