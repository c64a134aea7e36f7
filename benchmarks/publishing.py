"""What publishing costs: 20 made-up runs of about 10,000 episodes each, with the page, the record and the sums of all.

    python benchmarks/publishing.py [--quick] [--json FILE]

`publish` runs as a command of its own and is timed from its start to its end, with the CPU seconds of all its
processes, since other work on the machine makes it wait. The runs are seeded; their texts are short, so that what is
measured is the work an attempt takes and not how long a model wrote. Where there is a Chromium, the first paint of the
index and of a run's page are measured in it, too: seconds from the navigation on, without a network.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import parse, report

from repair_bench.testing.made_up_runs import study, written


def make(folder: Path, runs: int, samples: int, seed: int) -> tuple[list[str], int, int]:
    """Write runs, each of a model of its own; their directories, and how many episodes and attempts they have."""
    directories, episodes, attempts = [], 0, 0
    for number in range(runs):
        made, manifest = study(
            models=(f"sim/{number:02}",), policies=("default", "none"), samples=samples, seed=seed + number
        )
        name = f"run-{number:02}"
        named = manifest.replaced(name=name)
        directories.append(str(written(folder / name, made, named)))
        episodes += len({attempt.episode for attempt in made})
        attempts += len(made)
    return directories, episodes, attempts


def cpu() -> float:
    """CPU seconds of the processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_paints(pages: list[Path]) -> list[float | None]:
    """Seconds to the first contentful paint of each page, in one headless Chromium; None where there is no browser."""
    driver = shutil.which("chromedriver")
    if driver is None:
        print("no first paint: put chromium and chromedriver on the PATH")
        return [None] * len(pages)
    from selenium import webdriver
    from selenium.webdriver.support.ui import WebDriverWait

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    ask = "return performance.getEntriesByName('first-contentful-paint').map((paint) => paint.startTime)[0]"
    try:
        found: list[float | None] = []
        for page in pages:
            browser.get(page.as_uri())
            painted = WebDriverWait(browser, 30).until(lambda shown: shown.execute_script(ask))
            found.append(round(painted / 1_000, 2))
        return found
    finally:
        browser.quit()


def main() -> None:
    options = parse(__doc__)
    runs, samples = (2, 1) if options.quick else (20, 40)
    with tempfile.TemporaryDirectory() as scratch:
        directories, episodes, attempts = make(Path(scratch), runs, samples, options.seed)
        out = Path(scratch) / "site"
        command = [sys.executable, "-m", "repair_bench", "publish", *directories, "--out", str(out)]
        began, before = time.monotonic(), cpu()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds, used = time.monotonic() - began, cpu() - before
        index, run = first_paints([out / "index.html", min(out.rglob("run-00*/index.html"))])
        row = {
            "runs": runs,
            "episodes": episodes,
            "attempts": attempts,
            "seconds": round(seconds, 1),
            "CPU s": round(used, 1),
            "index painted s": index,
            "run painted s": run,
            "index KiB": round((out / "index.html").stat().st_size / 2**10),
            "site MiB": round(sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 2**20, 1),
        }
    report("Publishing runs", [row], options.json)


if __name__ == "__main__":
    main()
