"""The settings of a run: experiment file, command-line options, plan, manifest, and spending limits."""
