"""One run or many as a folder that can be put on any web server, or opened as it is: `publish` writes it.

| file | holds |
| --- | --- |
| `index.html` | the leaderboards, a suite and rule each, and the runs |
| `runs/NAME/index.html` | the page of a run |
| `runs/NAME/attempts.parquet` | its record |
| `runs/NAME/attempts.b2` | a digest of each line of that |
| `runs/NAME/run.json` | its manifest, without what says something of the machine's folders and addresses alone |
| `site.json` | the version that made it, and the rows of the leaderboards, as data |
| `README.md`, `CITATION.cff` | the data card and the citation |
| `SHA256SUMS` | the checksums of all of these |

The same runs give the same bytes.
"""

from repair_bench.report.site.publishing import Published, publish

__all__ = ["Published", "publish"]
