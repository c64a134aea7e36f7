"""Presentation of results: tables, plots, pages, sites and exports. `analysis` computes the figures."""
