"""Planned comparisons and their minimum detectable effects."""
