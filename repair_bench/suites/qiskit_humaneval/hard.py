"""Qiskit HumanEval as published, 151 problems: the hard set, whose prompts are instructions without code."""

from repair_bench.suites.qiskit_humaneval.loader import HARD

load, SEALING, ORACLES = HARD.load, HARD.sealing, HARD.oracles
