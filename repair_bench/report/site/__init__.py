"""One run or many as a folder that can be put on any web server, or opened as it is: `publish` writes it.

| file | holds |
| --- | --- |
| `index.html` | the leaderboards, a suite and rule each, and the runs |
| `runs/NAME/index.html` | the page of a run |
| `runs/NAME/attempts.parquet` | its record |
| `runs/NAME/attempts.b2` | a digest of each line of that |
| `runs/NAME/run.json` | its manifest, without what says something of the machine's folders and addresses alone |
| `runs/NAME/study.lock` and the like | what else decided its attempts (`layout.BESIDE`) |
| `site.json` | the versions that made it, and the rows of the leaderboards, as data |
| `README.md`, `CITATION.cff` | the data card and the citation |
| `SHA256SUMS` | the checksums of all of these |
| `SHA256SUMS.sig` | a signature of the checksums, where the site is signed |

The same runs give the same bytes. Pages are made from the published records, so that anyone can make them again.
"""

from repair_bench.report.site.publishing import Published, Texts, publish, rebuild

__all__ = ["Published", "Texts", "publish", "rebuild"]
