"""The Quantum Katas in Qiskit as published: 350 problems in 26 categories, each with a unit test."""

from repair_bench.suites.quantum_katas.loader import KATAS

load, SEALING, ORACLES = KATAS.load, KATAS.sealing, KATAS.oracles
