"""The page of a run: one HTML file that needs no network, with the tables of `report.sections`.

The texts of models are data in compressed blocks, shown as text by `assets/*.js` and never as markup.
"""

from repair_bench.report.page.page import PageOptions, write

__all__ = ["PageOptions", "write"]
