"""Oracles for Qiskit HumanEval and for its hard variant. See `docs/how-to/add-an-oracle.md`."""
