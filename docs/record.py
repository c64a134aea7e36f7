"""Record a first run as an animated SVG: `python docs/record.py docs/images/first-run.svg`.

The command is really run, and the recording ends with its plot. Pauses are shortened so that the recording takes about
20 seconds. Programs that do not animate SVG files show the last frame.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from html import escape
from pathlib import Path

COMMAND = "repair-bench run --framework qiskit --limit 10 --max-attempts 5 --out runs/first"
PLOT = "runs/first/plots/repair-curve.svg"
TYPING, OUTPUT, PLOT_AT = 1.5, 14.0, 18.0
"""Seconds until the output starts, from its first to its last line, and until the plot appears."""
COLUMNS, LINE, CHARACTER, MARGIN = 92, 19, 8.43, 16
STYLE = """
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre }
    .typed { fill: #7ee787 }
    .notice { fill: #ffa657 }
    g { animation: appear 1ms both }
    @keyframes appear { from { opacity: 0 } }
    @media (prefers-reduced-motion: reduce) { g { animation: none } }"""


def recorded(command: str, folder: Path) -> list[tuple[float, str]]:
    """Run a command. Return the lines of its output, each with the seconds since the start."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": str(COLUMNS), "PYTHONUNBUFFERED": "1"}
    start, lines = time.monotonic(), []
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command.split(), cwd=folder, env=environment, **options) as process:
        lines.extend((time.monotonic() - start, line.rstrip()) for line in process.stdout)
    if process.returncode:
        raise SystemExit(f"{command} failed: {lines[-1][1]}")
    return lines


def drawn(lines: list[tuple[float, str]], plot: str) -> str:
    """Return the recording: the command, its output and its plot, which appear one after the other."""
    scale = min(1.0, OUTPUT / max(lines[-1][0], 0.1))
    shown = [(0.0, f"$ {COMMAND}", "typed")]
    shown += [(TYPING + at * scale, text, "notice" if "SIMULATED" in text else "line") for at, text in lines]
    width, top = round(COLUMNS * CHARACTER) + 2 * MARGIN, (len(shown) + 1) * LINE + MARGIN
    across, down = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', plot).groups())
    high = (width - 2 * MARGIN) * down / across
    rows = [
        f'  <g style="animation-delay: {at:.2f}s"><text class="{kind}" x="{MARGIN}" y="{MARGIN + LINE * row}">'
        f"{escape(text)}</text></g>"
        for row, (at, text, kind) in enumerate(shown, start=1)
    ]
    image = b64encode(plot.encode()).decode()
    place = f'x="{MARGIN}" y="{top}" width="{width - 2 * MARGIN}" height="{high:.0f}"'
    rows.append(
        f'  <g style="animation-delay: {PLOT_AT}s"><image {place} href="data:image/svg+xml;base64,{image}"/></g>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + high + MARGIN:.0f}" role="img">'
    title = "  <title>A run of repair-bench in a terminal, and its repair curve</title>"
    back = '  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>'
    return "\n".join([head, title, f"  <style>{STYLE}\n  </style>", back, *rows, "</svg>", ""])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        output = recorded(COMMAND, Path(temporary))
        plot = (Path(temporary) / PLOT).read_text(encoding="utf-8")
    Path(sys.argv[1]).write_text(drawn(output, plot), encoding="utf-8")
