"""The version of repair-bench."""

__version__ = "1.0.0"
