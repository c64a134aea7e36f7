"""Draw `docs/images/social-card.png`, the picture that other sites show with a link to the documentation."""

import json
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[1]
ARMS = {
    "default": ("feedback", "#1f5fbf"),
    "verdict": ("only “incorrect”", "#b35900"),
    "none": ("independent answers", "#6b6b6b"),
}


def draw() -> None:
    """Draw 1200 by 630 pixels: the name, the question, and repair curves of the first study."""
    mpl.use("agg")
    figure = plt.figure(figsize=(12, 6.3), dpi=100, facecolor="#f4f6ff")
    figure.text(0.05, 0.82, "repair-bench", fontsize=46, fontweight="bold", color="#1b2a6b")
    figure.text(
        0.05, 0.71, "How well do language models repair their own quantum programs?", fontsize=23, color="#333333"
    )
    axes = figure.add_axes((0.11, 0.15, 0.58, 0.47), facecolor="none")
    published = json.loads((ROOT / "studies" / "2026-first" / "site" / "site.json").read_text(encoding="utf-8"))
    rows = [standing["row"] for standing in published["standings"] if standing["run"] == "run"]
    for row in rows:
        if row["suite"].startswith("conventions") and row["condition"] in ARMS:
            label, colour = ARMS[row["condition"]]
            rates = [100 * point["rate"] for point in row["fb"]]
            axes.plot(rates, color=colour, linewidth=5, marker="o", markersize=11, clip_on=False)
            axes.annotate(
                label,
                (len(rates) - 1, rates[-1]),
                xytext=(18, -8),
                textcoords="offset points",
                fontsize=20,
                color=colour,
            )
    axes.set(ylim=(0, 100), yticks=(0, 50, 100), xlim=(0, 5))
    axes.set_xlabel("repairs", fontsize=20)
    axes.set_ylabel("solved, %", fontsize=20)
    axes.tick_params(labelsize=18)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(ROOT / "docs" / "images" / "social-card.png", metadata={"Software": None})


if __name__ == "__main__":
    draw()
