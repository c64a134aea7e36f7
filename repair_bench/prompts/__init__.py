"""The messages of an attempt, and the code extracted from its answer. Nothing here calls a model or runs code."""
