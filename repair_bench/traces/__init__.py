"""The record of an attempt, and the store on disk. `analysis` interprets the records."""
