"""A site that presents one or more runs: a folder to serve or to open locally. `publish` writes a site.

| file | content |
| --- | --- |
| `index.html` | the leaderboards, one per suite and rule, and the runs |
| `runs/NAME/index.html` | the page of a run |
| `runs/NAME/attempts.parquet` | its record |
| `runs/NAME/attempts.b2` | a digest of each line of the record |
| `runs/NAME/run.json` | its manifest without folders and addresses of the machine |
| `runs/NAME/study.lock` and the like | further files that its attempts depend on (`layout.INPUTS`) |
| `site.json` | the versions of the tools, and the rows of the leaderboards |
| `README.md`, `eval.yaml`, `CITATION.cff` | the data card, the registration as a benchmark, and the citation |
| `SHA256SUMS`, `SHA256SUMS.sig` | the checksums of these files, and an optional signature |

The same runs always produce byte-identical files. Pages are built from the published records, so anyone can
rebuild them.
"""

from repair_bench.report.site.publishing import Published, Texts, publish, rebuild

__all__ = ["Published", "Texts", "publish", "rebuild"]
