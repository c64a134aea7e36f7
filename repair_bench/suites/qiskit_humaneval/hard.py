"""The hard set of Qiskit HumanEval as published: 151 problems, whose prompts are instructions without code."""

from repair_bench.suites.qiskit_humaneval.loader import HARD

load, SEALING, ORACLES = HARD.load, HARD.sealing, HARD.oracles
