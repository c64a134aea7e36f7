"""The second fork server, for programs that name rarely used packages: the outcome is the same."""

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program, UnitTest, needs_extra_imports

SEEN = "import sys\ndef answer():\n    return ['{module}' in sys.modules, len(sys.modules)]\n"


@pytest.mark.parametrize(
    ("source", "wide"),
    [
        ("import matplotlib.pyplot as plt", True),
        ("from qiskit import transpile", True),
        ("circuit.draw(output='mpl')", True),
        ("from qiskit import QuantumCircuit", False),
        ("matplotlibrary = simple = 1", False),
    ],
)
def test_the_packages_that_a_program_names_select_its_server(source: str, wide: bool) -> None:
    assert needs_extra_imports(Program("qiskit", source, Call("answer", "values"))) is wide
    assert not needs_extra_imports(Program("cirq", source, Call("answer", "values")))
    beside = UnitTest(entry_point="answer", test="def test(): pass", function="test", preamble=source)
    assert needs_extra_imports(Program("qiskit", "", beside)) is wide


@pytest.mark.slow
def test_both_servers_report_equal_outcomes_and_versions() -> None:
    async def go() -> None:
        async with LocalExecutor(2) as executor:
            lean = SEEN.format(module="matplot" + "lib.pyplot").replace("'matplotlib", "'matplot' + 'lib")
            wide = f"{lean}# matplotlib\n"
            for source, wanted in ((lean, "False"), (wide, "True")):
                check = f"def test(): assert answer()[0] is {wanted}"
                test = UnitTest(entry_point="answer", test=check, function="test", sealing=None)
                outcome = await executor.run(Program("qiskit", source, test))
                assert outcome.value == {"test": "passed"}, source
            assert "matplotlib" in executor.versions("qiskit")

    run_to_end(go())
