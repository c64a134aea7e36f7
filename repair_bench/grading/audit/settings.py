"""How thorough an audit is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The settings of an audit."""

    redraws: int = 1000
    """How often a correct answer is judged again."""
    mutants_per_task: int | None = 24
    """Mutants that are run, more where fewer than 10 of them run to their end; None for all, 0 for none."""
    runs: int = 3
    """How often the reference is executed, each time under another seed."""
    seed: int = 0
    """Seed of everything that is drawn."""
