"""The record of an attempt, and the run directory that stores records. `analysis` interprets the records."""
