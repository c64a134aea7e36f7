"""Checks that judge answers by outcome distribution, by state, by unitary or by unit test."""

from repair_bench.suites.checks.distribution import DistributionCheck
from repair_bench.suites.checks.judge import Case, CircuitCheck
from repair_bench.suites.checks.state import StateCheck
from repair_bench.suites.checks.unit_test import UnitTestCheck
from repair_bench.suites.checks.unitary import UnitaryCheck

CIRCUIT_CHECKS: dict[str, type[CircuitCheck]] = {
    check.observe: check for check in (DistributionCheck, StateCheck, UnitaryCheck)
}
"""The check class for each kind of observation."""

__all__ = ["CIRCUIT_CHECKS", "Case", "CircuitCheck", "DistributionCheck", "StateCheck", "UnitTestCheck", "UnitaryCheck"]
