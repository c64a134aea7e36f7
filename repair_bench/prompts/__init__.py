"""The messages of an attempt, and the code in its answer. This package sends no request and executes no code."""

VERSION = "1"
"""The version of all texts that models read. Increment it with every change; the changelog lists the changes."""
