"""Solve rates and repair curves with their intervals."""
