"""What is asked of which models: the experiment file, its flags, its plan, its manifest, and what it may spend."""
