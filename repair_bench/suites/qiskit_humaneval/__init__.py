"""The plain set of Qiskit HumanEval as published: 151 problems, whose prompts are code to complete."""

from repair_bench.suites.qiskit_humaneval.loader import PLAIN

load, SEALING, ORACLES = PLAIN.load, PLAIN.sealing, PLAIN.oracles
