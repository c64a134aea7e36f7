"""Conversions of values for the exchange between two processes (see `codec`). Each framework has a module that defines
the function `exact`, the function `families`, or both.

`exact()` maps individual classes to their `kinds.Kind`. `families()` returns `kinds.Family` values, each of which
covers many classes.
"""
