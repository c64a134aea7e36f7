"""The report: a run as one HTML file that needs no network. `page` assembles it from the parts beside it and the
tables of `report.sections`.

| module | makes |
| --- | --- |
| `facts` | what was run, from the manifest |
| `figures` | every plot, as SVG inside the page |
| `episodes` | the data of the task map and the trace viewer |
| `page` | the page |
| `document` | its file, and the policy that keeps foreign scripts and the network out |

What a model wrote is data in compressed blocks, shown as text by `assets/*.js` and never as markup.
"""

from repair_bench.report.page.page import PageOptions, write

__all__ = ["PageOptions", "write"]
