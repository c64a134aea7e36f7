"""The conversions of each framework's values: one module per framework, with `exact`, `families` or both.

`exact()` returns the kinds of individual classes, and `families()` the kinds that cover many classes.
"""
