"""Simulated models with known abilities."""
