"""Find the code in a model's answer, join it to the starter code, and normalise it. `extract.py` is the entry point."""
