"""The settings of a run: the experiment file, its options, its plan, its manifest, and its spending limits."""
