"""Training data: examples from recorded repairs, and the loop as an environment with rewards. Does not train models."""
