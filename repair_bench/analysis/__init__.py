"""Analyses of recorded attempts, one question per module. `report` formats the results."""
