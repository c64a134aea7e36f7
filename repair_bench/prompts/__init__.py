"""The messages of an attempt, and the code extracted from its answer. Nothing here calls a model or runs code."""

VERSION = "1"
"""The version of all texts that models read. Increment it with every change; the changelog lists the changes."""
