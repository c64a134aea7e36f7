"""The code in a model's answer: found among its prose, joined, and normalised. `extract.py` is the entry point."""
