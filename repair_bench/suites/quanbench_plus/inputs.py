"""The arguments that QuanBench+ publishes for entry points with parameters. Each call receives newly created arguments.

All angles are theta = 25 pi / 54. The graph in task 04 lists its nodes in the order in which the nodes first appear in
the published list of edges: 0, 3, 4, 1, 2.
"""

from __future__ import annotations

from math import pi
from typing import Any

THETA = 25 * pi / 54

EDGES = [[0, 3], [0, 4], [1, 3], [1, 4], [2, 3], [2, 4]]

ARGS: dict[str, tuple[Any, ...]] = {
    "04": (EDGES, [THETA] * 5, [THETA] * 5),
    "06": (THETA,),
    "29": (1, 0),
    "39": ([THETA] * 2,),
    "40": ([THETA] * 8,),
    "41": ([THETA] * 8,),
    "42": (THETA, THETA, THETA),
}
"""The arguments as JSON, by task ID; the entry points of tasks that are not listed take no arguments."""

SAMPLED = {"pennylane"}
"""The frameworks whose problems ask for 1000 samples instead of a circuit."""

GRAPH = """
import networkx as nx


def inputs(edges, beta, gamma):
    graph = nx.Graph()
    graph.add_edges_from(edges)
    return graph, beta, gamma
"""

UNKNOWN_STATE = {
    "qiskit": """
from qiskit import QuantumCircuit


def inputs(theta):
    unknown_state = QuantumCircuit(1)
    unknown_state.h(0)
    unknown_state.rz(theta, 0)
    return (unknown_state,)
""",
    "cirq": """
import cirq


def inputs(theta):
    qubit = cirq.LineQubit(0)
    return (cirq.Circuit(cirq.H(qubit), cirq.rz(theta)(qubit)),)
""",
    "pennylane": """
import pennylane as qml


def inputs(theta):
    @qml.qnode(qml.device("default.qubit", wires=1))
    def unknown_state():
        qml.Hadamard(wires=0)
        qml.RZ(theta, wires=0)
        return qml.state()

    return (unknown_state,)
""",
}


def setup(task_id: str, framework: str) -> str:
    """Return the source code of a function `inputs` that converts JSON arguments to framework objects.

    Return "" if the task needs no conversion.
    """
    if task_id == "04":
        return GRAPH
    return UNKNOWN_STATE[framework] if task_id == "06" else ""
