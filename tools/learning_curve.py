"""The learning curve of the README: ``python -m tools.learning_curve RUN`` draws ``docs/learning-curve.png`` from ``RUN/curves.csv``."""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path
from typing import Final

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

OUT: Final = Path(__file__).parent.parent / "docs" / "learning-curve.png"


def draw(curves: Path, out: Path) -> None:
    """Draw the matches won in evaluations, with their 95 % intervals, over the decisions of the learner."""
    with curves.open(encoding="utf-8", newline="") as file:
        rows = [{column: float(text) for column, text in row.items() if text} for row in csv.DictReader(file)]
    names = sorted({found[1] for row in rows for column in row if (found := re.match(r"eval/(.+)", column))})
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for name in names:
        points = [row for row in rows if f"eval/{name}" in row]
        steps = [row["steps"] / 1e6 for row in points]
        wins, low, high = ([100 * row[f"{kind}/{name}"] for row in points] for kind in ("eval", "eval_low", "eval_high"))
        axes.plot(steps, wins, marker="o", markersize=3, label=f"against {name}")
        axes.fill_between(steps, low, high, alpha=0.15, linewidth=0)
    axes.axhline(50, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xlabel("decisions of the learner (millions)")
    axes.set_ylabel("matches won (%)")
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", loc="lower right")
    figure.savefig(out, format="png", dpi=110)


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description="Draw the learning curve of the README.")
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a training run")
    draw(parser.parse_args().run / "curves.csv", OUT)


if __name__ == "__main__":
    main()
