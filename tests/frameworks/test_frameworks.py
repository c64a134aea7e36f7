"""The framework files import no framework, match the guest, and name existing gates."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

from repair_bench import frameworks
from repair_bench.executors.fork_server import GUEST
from repair_bench.frameworks import BUILT_IN, FRAMEWORKS, Framework
from repair_bench.frameworks.gates import GATES
from repair_bench.frameworks.parsed_program import ParsedProgram

ROOM = Path(frameworks.__file__).parent


def test_the_package_imports_no_framework() -> None:
    for path in ROOM.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not {name.split(".")[0] for name in names} & {"numpy", *BUILT_IN}, path


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_framework_has_a_file_and_an_adapter(name: str) -> None:
    assert import_module(f"repair_bench.frameworks.{name}").FRAMEWORK is FRAMEWORKS[name]
    assert (GUEST / "adapters" / f"{name}_adapter.py").is_file()


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_heavy_import_pattern_matches_the_extra_preload(name: str) -> None:
    adapter = (GUEST / "adapters" / f"{name}_adapter.py").read_text(encoding="utf-8")
    assert (FRAMEWORKS[name].heavy_import_pattern is not None) == ("\nEXTRA_PRELOAD" in adapter)


@pytest.mark.parametrize("framework", [FRAMEWORKS[name] for name in BUILT_IN], ids=BUILT_IN)
def test_gate_names_are_in_the_vocabulary(framework: Framework) -> None:
    assert set(framework.gates.values()) <= set(GATES)
    assert set(framework.mistakes.misspelt) <= set(framework.gates)


def test_every_gate_and_its_alternatives_are_in_a_framework() -> None:
    assert {gate for framework in FRAMEWORKS.values() for gate in framework.gates.values()} == set(GATES)
    assert {other for gate in GATES.values() for other in gate.instead} <= set(GATES)


@pytest.mark.parametrize("framework", [FRAMEWORKS[name] for name in BUILT_IN], ids=BUILT_IN)
def test_the_first_of_several_gate_names_is_the_usual_one(framework: Framework) -> None:
    usual = {"qiskit": "cx", "pennylane": "CNOT", "cirq": "CNOT", "openqasm3": "cx"}
    assert framework.usual_name("cx") == usual[framework.name]
    assert framework.usual_name("no such gate") is None


def test_a_framework_without_a_program_class_has_no_gates() -> None:
    program = ParsedProgram(ast.parse("import qiskit\nqc = qiskit.QuantumCircuit(1)\nqc.h(0)\n"), FRAMEWORKS["qiskit"])
    assert program.module == "qiskit"
    assert (program.applications(), program.places(), program.measures(), program.exponents()) == ([], [], [], [])
