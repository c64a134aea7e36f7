"""Represent Aer's noise models by their errors, its simulators by their options, and its jobs by their results."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
from qiskit import circuit
from qiskit_aer import AerSimulator
from qiskit_aer.backends import compatibility
from qiskit_aer.jobs import AerJob
from qiskit_aer.noise import NoiseModel, QuantumError, ReadoutError, RelaxationNoisePass

from ..kinds import CannotCross, Kind
from .primitives_kinds import a, finished, if_it_crosses
from .qiskit_kinds import by_data, circuits_from_qpy, to_qpy

NAMES = ("_basis_gates", "_noise_instructions", "_noise_qubits")
"""The set-valued attributes of a noise model."""


def exact() -> Dict[type, Kind]:
    return {
        QuantumError: Kind(
            "QuantumError",
            lambda value: [value.id, to_qpy(*value.circuits), np.array(value.probabilities, float)],
            _quantum_error,
        ),
        ReadoutError: Kind("ReadoutError", lambda value: value.probabilities, ReadoutError),
        RelaxationNoisePass: Kind("RelaxationNoisePass", _relaxation_parts, _relaxation),
        NoiseModel: Kind("NoiseModel", _model_parts, _model),
        AerSimulator: Kind("AerSimulator", _simulator_parts, lambda options: AerSimulator(**options)),
        AerJob: Kind(
            "AerJob",
            lambda value: [value.job_id(), value.result(), if_it_crosses(value.backend()), value.circuits()],
            _job,
        ),
        # a simulator saves states as instances of its own classes
        compatibility.Statevector: by_data(compatibility.Statevector, ["dims"]),
        compatibility.DensityMatrix: by_data(compatibility.DensityMatrix, ["dims"]),
        compatibility.Operator: by_data(compatibility.Operator, ["input_dims", "output_dims"]),
        compatibility.SuperOp: by_data(compatibility.SuperOp, ["input_dims", "output_dims"]),
        compatibility.StabilizerState: Kind(
            "StabilizerState", lambda value: value.clifford, compatibility.StabilizerState
        ),
    }


def _quantum_error(parts: Any) -> Any:
    name, data, probabilities = parts
    error = QuantumError(list(zip(circuits_from_qpy(data), probabilities.tolist())))
    error._probs, error._id = list(probabilities), str(name)
    return error


def _relaxation_parts(value: Any) -> List[Any]:
    names = [kind.__name__ for kind in value._ops]
    times = [array.tolist() for array in (value._t1s, value._t2s, value._p1s)]
    return [*times, value._dt, names, getattr(value, "_target", None)]


def _relaxation(parts: Any) -> Any:
    t1s, t2s, populations, dt, names, target = parts
    kinds = [a(type, getattr(circuit, name)) for name in names]
    more = {} if target is None else {"target": target}
    return RelaxationNoisePass(t1s, t2s, dt, kinds or None, populations, **more)


def _model_parts(model: Any) -> List[Any]:
    return [
        [sorted(getattr(model, name)) for name in NAMES],
        model._default_quantum_errors,
        model._local_quantum_errors,
        model._default_readout_error,
        model._local_readout_errors,
        model._custom_noise_passes,
    ]


def _model(parts: Any) -> Any:
    names, default, local, readout, local_readout, passes = parts
    model = NoiseModel()
    for name, found in zip(NAMES, names):
        setattr(model, name, set(found))
    model._default_quantum_errors = {a(str, key): a(QuantumError, error) for key, error in default.items()}
    model._local_quantum_errors = {
        a(str, key): {a(tuple, qubits): a(QuantumError, error) for qubits, error in errors.items()}
        for key, errors in local.items()
    }
    model._default_readout_error = None if readout is None else a(ReadoutError, readout)
    model._local_readout_errors = {a(tuple, qubits): a(ReadoutError, error) for qubits, error in local_readout.items()}
    model._custom_noise_passes = a(list, passes)
    return model


def _simulator_parts(simulator: Any) -> Dict[str, Any]:
    if simulator._from_backend or simulator._options_properties:
        raise CannotCross("cannot transfer a simulator that was created from a backend")
    usual = AerSimulator._default_options()
    options = {
        name: value for name, value in vars(simulator.options).items() if value is not getattr(usual, name, None)
    }
    return {**options, **simulator._options_configuration}


def _job(parts: Any) -> Any:
    name, result, backend, circuits = parts
    job = AerJob(backend, str(name), None, circuits)
    job._future = finished(result)
    return job
