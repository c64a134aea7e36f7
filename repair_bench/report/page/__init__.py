"""The page of a run: one HTML file that needs no network, with the tables of `report.sections`.

Model output is stored as data in compressed blocks; `assets/*.js` shows it as text, never as markup.
"""

from repair_bench.report.page.page import PageOptions, write

__all__ = ["PageOptions", "write"]
