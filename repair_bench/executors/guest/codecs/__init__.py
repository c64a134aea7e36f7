"""Conversions of values for the exchange between two processes (see `codec`). Each framework has a module that defines
the function `exact`, the function `families`, or both.

`exact()` returns a `codec.Kind` for each of several classes. `families()` returns `codec.Family` values, each of which
covers many classes.
"""
