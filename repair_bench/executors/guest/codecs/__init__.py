"""Conversions for the values of each framework, in one module per framework with `exact`, `families` or both.

`exact()` returns the kinds of individual classes, and `families()` returns the kinds that cover many classes.
"""
