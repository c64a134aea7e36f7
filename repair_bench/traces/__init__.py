"""The record of an attempt, and the store on disk. What the records mean is the business of `analysis`."""
