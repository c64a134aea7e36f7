"""Qiskit HumanEval as published, 151 problems: the hard set, whose prompts are instructions without code."""

from repair_bench.suites.qiskit_humaneval.loader import FACTS, HARD, ORACLES
from repair_bench.suites.qiskit_humaneval.loader import load_hard as load

SEALING = FACTS[HARD]

__all__ = ["ORACLES", "SEALING", "load"]
