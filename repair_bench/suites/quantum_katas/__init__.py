"""The Quantum Katas in Qiskit as published: 350 problems in 26 categories, each with a unit test."""

from repair_bench.suites.quantum_katas.loader import ORACLES, SEALING, load

__all__ = ["ORACLES", "SEALING", "load"]
