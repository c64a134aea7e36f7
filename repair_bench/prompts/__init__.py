"""What a model is told, and what is taken from its answer."""
