"""Everything a person looks at: tables, plots, the page, exports. `analysis` computes; here is how it looks."""
