"""Oracles of the Quantum Katas, one file per family: see `docs/how-to/add-an-oracle.md`."""
