"""The table of suites."""

import subprocess
import sys

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import UsageError


def test_every_suite_in_the_table_has_a_description() -> None:
    assert set(suites.describe()) == set(suites.SUITES)
    assert all(suites.describe().values())


def test_an_unknown_suite_names_the_known() -> None:
    with pytest.raises(UsageError, match=r"'quanbench'.*aligned, conventions, horizon, quanbench-plus"):
        run_to_end(suites.load("quanbench"))


def test_an_unknown_framework_names_the_known() -> None:
    with pytest.raises(UsageError, match=r"'braket'.*qiskit, pennylane, cirq"):
        run_to_end(suites.load("aligned", frameworks=["braket"]))


def test_naming_the_suites_imports_none_of_them() -> None:
    script = "import sys; from repair_bench import suites; suites.describe(); print(sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "repair_bench.suites.aligned" not in modules
    assert "numpy" not in modules
