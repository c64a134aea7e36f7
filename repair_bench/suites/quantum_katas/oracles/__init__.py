"""Oracles of the Quantum Katas, a file a family: see `docs/how-to/add-an-oracle.md`."""
