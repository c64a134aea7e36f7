"""Helpers for tests; the tool itself does not import them.

- `ScriptedModel`: a model with scripted answers.
- `attempt`, `attempts_of`, `run`, `study`: functions that return synthetic attempts and runs.
- `written`: a function that writes synthetic attempts to a run directory.
- `drive`: a function that runs episodes with the real loop, executor and store.
"""

from repair_bench.testing.driving import drive
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, study, written
from repair_bench.testing.scripted_model import ScriptedModel

__all__ = ["ScriptedModel", "attempt", "attempts_of", "drive", "run", "study", "written"]
