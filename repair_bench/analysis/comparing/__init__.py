"""Paired comparisons of arms, models and runs."""
