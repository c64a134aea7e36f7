"""The comparisons that a study plans, and the differences that it can find."""
