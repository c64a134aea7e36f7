"""What tests need, ours and those of other packages; no part of the tool imports it, and it asserts nothing.

- `ScriptedModel`: a model that says what it is told to say.
- `attempt`, `attempts_of`, `run`, `study`: attempts and whole runs, made up; `written`: a run directory of them.
- `drive`: episodes through the real loop, executor and store.
"""

from repair_bench.testing.driving import drive
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, study, written
from repair_bench.testing.scripted_model import ScriptedModel

__all__ = ["ScriptedModel", "attempt", "attempts_of", "drive", "run", "study", "written"]
