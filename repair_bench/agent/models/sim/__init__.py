"""Simulated models, whose abilities are known."""
