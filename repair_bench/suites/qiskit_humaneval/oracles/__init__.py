"""Oracles of Qiskit HumanEval, plain and hard: see `docs/how-to/add-an-oracle.md`."""
