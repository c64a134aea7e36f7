"""How the values of each framework cross between processes: one module per framework.

`exact()` returns the kinds by class, `families()` those of many classes; a module has one of them or both.
"""
