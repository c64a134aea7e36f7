"""How the values of each framework cross between processes: one module a framework, see `guest.codec`."""
