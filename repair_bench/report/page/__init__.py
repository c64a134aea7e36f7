"""The page of a run: one HTML file that needs no network access, with the tables of `report.sections`.

Model output is stored in compressed blocks of data, which `assets/*.js` shows as text, never as markup.
"""

from repair_bench.report.page.page import PageOptions, write

__all__ = ["PageOptions", "write"]
