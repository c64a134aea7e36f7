"""repair-bench in Inspect: `tasks` runs the repair loop under `inspect eval`, and `logs` converts stored runs."""
