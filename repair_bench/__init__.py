"""repair-bench: measure how well language models repair their own quantum programs."""

__version__ = "0.1.0"
