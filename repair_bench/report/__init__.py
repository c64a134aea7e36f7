"""Present results as tables, plots, pages, sites and exports. `analysis` computes the figures."""
