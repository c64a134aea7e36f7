"""The page of a run: one HTML file that needs no network, with the tables of `report.sections`.

| module | content |
| --- | --- |
| `facts` | the settings of the run, from the manifest |
| `figures` | every plot, as SVG inside the page |
| `episodes` | the data of the task map and the trace viewer |
| `page` | the page |
| `document` | its file, and the policy that blocks foreign scripts and the network |

The texts of models are data in compressed blocks, shown as text by `assets/*.js` and never as markup.
"""

from repair_bench.report.page.page import PageOptions, write

__all__ = ["PageOptions", "write"]
