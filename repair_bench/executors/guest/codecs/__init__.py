"""Conversions for framework values: each framework has a module that defines `exact`, `families` or both.

`exact()` returns the kinds of individual classes, and `families()` returns the kinds that cover many classes.
"""
