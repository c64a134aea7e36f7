"""What a model is told, and what is taken from its answer. It asks no model and runs no code."""
