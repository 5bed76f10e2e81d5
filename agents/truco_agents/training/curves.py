"""Curves: what a run measured over time, as CSV and as a picture."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from truco_agents.files import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CSV: Final = "curves.csv"
PNG: Final = "curves.png"


class Curves:
    """Rows of numbers by column; a row lacks the columns that were not measured then.

    Column names: ``steps``, ``seconds`` of training, ``win/NAME`` and ``eval/NAME`` (shares of wins, from training matches and from
    evaluations, the latter with ``eval_low/`` and ``eval_high/``, the 95 % interval, and ``eval_points/``, points per hand), ``train/...``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[dict[str, float]] = []

    def add(self, row: Mapping[str, float]) -> None:
        """Add a row."""
        self.rows.append(dict(row))

    @property
    def columns(self) -> list[str]:
        """All columns, in the order of their first use."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def read(self, *, up_to: int) -> None:
        """Read the rows of the folder's CSV up to a number of steps: what a run had measured at a checkpoint."""
        path = self.folder / CSV
        self.rows = []
        if not path.is_file():
            return
        with path.open(encoding="utf-8", newline="") as file:
            for record in csv.DictReader(file):
                row = {name: float(value) for name, value in record.items() if value}
                if row["steps"] <= up_to:
                    self.rows.append(row)

    def write(self) -> None:
        """Write the CSV, all of it or nothing."""
        with replace_file(self.folder / CSV) as draft, draft.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.columns)
            writer.writeheader()
            writer.writerows({name: f"{value:.8g}" for name, value in row.items()} for row in self.rows)

    def plot(self, title: str) -> None:
        """Write the picture: wins in evaluations, wins in training, and the state of the policy over millions of decisions."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(13, 8), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title)
        (top_left, top_right), (low_left, low_right) = figure.subplots(2, 2, sharex=True)
        self._draw_wins(top_left, "eval/", "Wins in evaluations (95 % interval)")
        self._draw_wins(top_right, "win/", "Wins against the opponents of training (smoothed)")
        self._draw_lines(
            low_left,
            {
                "train/entropy": "entropy of the policy (nat)",
                "train/approx_kl": "KL divergence of an update",
                "train/divergence": "KL divergence from the average",
            },
        )
        low_left.set_title("Policy")
        low_left.set_yscale("log")
        self._draw_lines(
            low_right, {"train/explained_variance": "explained variance of the value", "train/clip_fraction": "share of clipped ratios"}
        )
        low_right.set_title("Value, clipping")
        low_right.set_ylim(-0.05, 1.05)
        for axes in (top_left, top_right, low_left, low_right):
            axes.grid(alpha=0.3)
            if axes.get_legend_handles_labels()[0]:
                axes.legend(fontsize="small")
        for axes in (low_left, low_right):
            axes.set_xlabel("decisions of the learner (millions)")
        with replace_file(self.folder / PNG) as draft:
            figure.savefig(draft, format="png", dpi=100)

    def _draw_wins(self, axes: Axes, prefix: str, title: str) -> None:
        names = sorted({column.partition("/")[2] for column in self.columns if column.startswith(("eval/", "win/"))})
        for i, name in enumerate(names):
            steps, rates = self._series(f"{prefix}{name}")
            if not steps:
                continue
            color = f"C{i}"
            if prefix == "eval/":
                axes.plot(steps, [100 * x for x in rates], marker="o", markersize=3, color=color, label=name)
                low, high = (self._series(f"eval_{end}/{name}")[1] for end in ("low", "high"))
                axes.fill_between(steps, [100 * x for x in low], [100 * x for x in high], alpha=0.15, color=color, linewidth=0)
            else:
                axes.plot(steps, [100 * x for x in _smooth(rates)], color=color, label=name)
        axes.set_title(title)
        axes.set_ylabel("share of wins (%)")
        axes.set_ylim(0, 100)
        axes.axhline(50, color="grey", linewidth=0.8, linestyle=":")

    def _draw_lines(self, axes: Axes, labels: Mapping[str, str]) -> None:
        for column, label in labels.items():
            steps, values = self._series(column)
            if steps:
                axes.plot(steps, values, label=label)

    def _series(self, column: str) -> tuple[Sequence[float], Sequence[float]]:
        points = [(row["steps"] / 1e6, row[column]) for row in self.rows if column in row and math.isfinite(row[column])]
        return [x for x, _ in points], [y for _, y in points]


def _smooth(values: Sequence[float]) -> list[float]:
    """Return means that forget a twentieth of what was before at every value."""
    smooth: list[float] = []
    for i, value in enumerate(values):
        share = max(1 / (i + 1), 0.05)
        smooth.append(value if i == 0 else smooth[-1] + share * (value - smooth[-1]))
    return smooth
