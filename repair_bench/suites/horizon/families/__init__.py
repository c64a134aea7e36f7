"""The families of problems, one per module."""
