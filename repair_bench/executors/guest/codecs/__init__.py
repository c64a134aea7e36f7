"""The conversions of each framework's values: one module per framework, with `exact`, `families` or both.

`exact()` returns the kinds by class, `families()` those of many classes.
"""
