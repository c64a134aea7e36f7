"""Convert Qiskit's targets and layouts to plain data, and replace passes with stand-ins.

A stand-in for a transpiler pass is an instance of the pass's nearest base class in Qiskit. When a pass manager runs the
stand-in, the stand-in encodes the circuit and every property that can be encoded. The encoded circuit and properties
are sent to the process that created the transpiler pass, and this process runs the transpiler pass. A test can
therefore use a candidate's transpiler pass in a pass manager, but the test's process runs no code of the candidate.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Tuple

from qiskit import circuit
from qiskit.circuit import Delay, Operation, library
from qiskit.converters import circuit_to_dag, dag_to_circuit
from qiskit.dagcircuit import DAGCircuit
from qiskit.passmanager import flow_controllers
from qiskit.providers import QubitProperties
from qiskit.transpiler import (
    InstructionProperties,
    Layout,
    PassManager,
    PropertySet,
    StagedPassManager,
    Target,
    TranspileLayout,
    basepasses,
    passes,
)

from ..kinds import CannotCross, Family, Kind, by_attributes, by_parts
from .primitives_kinds import if_it_crosses

MAX_QUBITS = 10_000
"""The maximum number of qubits of a target. The largest quantum devices have a thousand qubits. The number of qubits is
limited because some methods of the class Target return a list of all qubits."""
FIELDS = (
    *("description", "num_qubits", "dt", "granularity", "min_length", "pulse_alignment", "acquire_alignment"),
    *("qubit_properties", "concurrent_measurements"),
)
"""The constructor arguments of a target."""
LAYOUT = ("initial_layout", "input_qubit_mapping", "final_layout", "_input_qubit_count", "_output_qubit_list")
CONDITIONS = {"FlowControllerLinear": None, "ConditionalController": "condition", "DoWhileController": "do_while"}
"""Maps each flow controller to the name of its condition, or to None if it has no condition."""

# Qiskit compares passes with other objects by hash, and a pass can choose its hash
basepasses.BasePass.__eq__ = lambda self, other: isinstance(other, basepasses.BasePass) and hash(self) == hash(other)


def exact() -> Dict[type, Kind]:
    found: Dict[type, Kind] = {
        Target: Kind("Target", _target_parts, _target),
        InstructionProperties: by_attributes(InstructionProperties, "duration", "error"),
        QubitProperties: by_attributes(QubitProperties, "t1", "t2", "frequency"),
        # QPY cannot read a delay whose duration is a parameter
        Delay: by_attributes(Delay, "duration", "unit"),
        PropertySet: Kind("PropertySet", dict, PropertySet, holds_functions=True),
        Layout: Kind("Layout", lambda value: [list(value.get_registers()), value.get_physical_bits()], _layout),
        TranspileLayout: by_parts(TranspileLayout, lambda value: [getattr(value, name, None) for name in LAYOUT]),
        PassManager: Kind(
            "PassManager", _manager_parts, functools.partial(_manager, PassManager), holds_functions=True
        ),
        StagedPassManager: Kind("StagedPassManager", _staged_parts, _staged, holds_functions=True),
    }
    for name, function in CONDITIONS.items():
        kind = getattr(flow_controllers, name)
        found[kind] = Kind(
            name,
            functools.partial(_controller_parts, function),
            functools.partial(_controller, kind, function),
            holds_functions=True,
        )
    return found


def families() -> List[Family]:
    return [
        (lambda value: isinstance(value, basepasses.BasePass), Kind("pass", _pass_parts, _pass, holds_functions=True))
    ]


def _target_parts(target: Any) -> List[Any]:
    bounds = _angle_bounds(target)
    instructions = []
    for name in target.operation_names:
        operation = target.operation_from_name(name)
        if isinstance(operation, type):
            if _variable(operation.__name__) is not operation:
                raise CannotCross("a target with %s" % operation.__qualname__)
            instructions.append([name, operation.__name__, None, None])
        else:
            instructions.append([name, operation, dict(target[name]), bounds.get(name)])
    return [[getattr(target, field, None) for field in FIELDS], instructions]


def _angle_bounds(target: Any) -> Dict[str, Any]:
    if not getattr(target, "has_angle_bounds", bool)():
        return {}
    return {name: entry.get("angle_bounds") for name, entry in target.__getstate__()["base"]["gate_map"].items()}


def _target(parts: Any) -> Any:
    fields, instructions = parts
    options = {field: value for field, value in zip(FIELDS, fields) if value is not None}
    if options.get("num_qubits", 0) > MAX_QUBITS:
        raise CannotCross("a target has too many qubits: %d" % options["num_qubits"])
    target = Target(**options)
    for name, operation, properties, bounds in instructions:
        if isinstance(operation, str):
            target.add_instruction(_variable(operation), name=name)
        else:
            more = {} if bounds is None else {"angle_bounds": bounds}
            target.add_instruction(operation, properties, name=name, **more)
    return target


def _variable(name: str) -> Any:
    found = getattr(circuit, name, None) or getattr(library, name, None)
    if not isinstance(found, type) or not issubclass(found, Operation):
        raise CannotCross("not an operation: %s" % name[:99])
    return found


def _layout(parts: Any) -> Any:
    registers, qubits = parts
    layout = Layout(qubits)
    for register in registers:
        layout.add_register(register)
    return layout


def _pass_parts(task: Any) -> List[Any]:
    own = type(task)
    base = next(kind.__name__ for kind in own.__mro__ if _base(kind.__name__) is kind)
    return [
        base,
        own.__name__,
        hash(task),
        list(task.requires),
        list(task.preserves),
        functools.partial(_run_here, task),
    ]


def _base(name: str) -> Any:
    found = getattr(passes, name, None) or getattr(basepasses, name, None)
    return found if isinstance(found, type) and issubclass(found, basepasses.BasePass) else None


def _pass(parts: Any) -> Any:
    base, name, mark, requires, preserves, run = parts
    kind = _base(base)
    if kind is None or not isinstance(name, str) or not callable(run):
        raise CannotCross("not a pass")
    if name != base:
        kind = type(kind)(name, (kind,), {"run": _run_there, "__module__": "candidate"})
    task = kind.__new__(kind)
    basepasses.BasePass.__init__(task)
    task.requires, task.preserves, task._hash = list(requires), list(preserves), int(mark)
    vars(task).update(run=functools.partial(_run_there, task, run))
    return task


def _run_here(task: Any, given: Any, properties: Any) -> Tuple[Any, Any]:
    """Run one of this process's passes on a circuit. Return the DAG, which may be unchanged, and the property set."""
    dag = circuit_to_dag(given)
    task.property_set = PropertySet(properties)
    found = task.run(dag)
    return dag if found is None else found, _crossing(task.property_set)


def _run_there(task: Any, run: Callable[..., Any], dag: Any) -> Any:
    """Run a transpiler pass on a DAG, in the process that owns the pass. An analysis pass returns None."""
    found, properties = run(dag_to_circuit(dag), _crossing(task.property_set))
    task.property_set.update(properties)
    return None if isinstance(task, basepasses.AnalysisPass) and isinstance(found, DAGCircuit) else found


def _crossing(properties: Any) -> Dict[Any, Any]:
    return {key: value for key, value in properties.items() if value is None or if_it_crosses(value) is not None}


def _manager_parts(manager: Any) -> List[Any]:
    tasks = [list(task) if isinstance(task, (list, tuple)) else task for task in manager._tasks]
    return [tasks, manager.max_iteration, dict(manager.property_set or {}), functools.partial(_manage_here, manager)]


def _manage_here(manager: Any, circuits: Any, keywords: Any) -> Tuple[Any, Any]:
    found = manager.run(circuits, **keywords)
    return found, _crossing(manager.property_set or {})


def _manager(kind: Any, parts: Any) -> Any:
    tasks, iterations, properties, run = parts
    manager = kind(max_iteration=iterations)
    manager._tasks = tasks
    return _managed(manager, properties, run)


def _managed(manager: Any, properties: Any, run: Callable[..., Any]) -> Any:
    """Make the copy `manager` of a pass manager forward its runs to the process that owns the original.

    If a test replaces the passes of the copy, the copy runs in its own process instead.
    """
    manager.property_set = PropertySet(properties)
    before = [*manager._tasks]

    def managed(circuits: Any, *more: Any, **keywords: Any) -> Any:
        if more or manager._tasks != before:
            return type(manager).run(manager, circuits, *more, **keywords)
        found, after = run(circuits, keywords)
        manager.property_set = PropertySet(after)
        return found

    vars(manager).update(run=managed)
    return manager


def _staged_parts(manager: Any) -> List[Any]:
    stages = {stage: getattr(manager, stage, None) for stage in manager.expanded_stages}
    return [list(manager.stages), stages, dict(manager.property_set or {}), functools.partial(_manage_here, manager)]


def _staged(parts: Any) -> Any:
    names, stages, properties, run = parts
    manager = StagedPassManager(names, **{name: stage for name, stage in stages.items() if stage is not None})
    return _managed(manager, properties, run)


def _controller_parts(function: Any, controller: Any) -> List[Any]:
    condition = functools.partial(_call_here, controller, function) if function else None
    return [list(controller.tasks), condition]


def _call_here(controller: Any, function: str, properties: Any) -> bool:
    return bool(getattr(controller, function)(PropertySet(properties)))


def _controller(kind: Any, function: Any, parts: Any) -> Any:
    tasks, condition = parts
    if function is None:
        return kind(tasks)
    return kind(tasks, **{function: lambda properties: condition(_crossing(properties))})
