"""The plot: speed and its growth by batch size, and what more seats cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from benchmarks.catalogue import GROUPS, SEATS, SIZES
from benchmarks.results import Results, Spread

_ORANGE, _BLUE, _GREEN, _GREY = "#d95f02", "#1f5fa8", "#2f8f4e", "#777777"
_SERIES: Final = (("batch", "Batch, random play", _BLUE), ("step", "Batch.step alone", _GREEN))


def draw(results: Results, path: Path) -> bool:
    """Draw the plot into a PNG file; return False, and draw nothing, if no batch sizes were measured."""
    if len(_by_size(results, "batch")) < 2:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4), layout="constrained")
    speed, growth, seats = figure.subplots(1, 3)
    _draw_speed(speed, results)
    _draw_growth(growth, results)
    _draw_seats(seats, results)
    for axes in (speed, growth, seats):
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=100)
    return True


def _by_size(results: Results, prefix: str) -> dict[int, Spread]:
    return {size: spread for size in SIZES if (spread := results.spread(f"{prefix}-{size}"))}


def _draw_speed(axes: Any, results: Results) -> None:
    for prefix, label, colour in _SERIES:
        spreads = _by_size(results, prefix)
        axes.plot(list(spreads), [s.median for s in spreads.values()], "o-", color=colour, label=label)
        axes.fill_between(
            list(spreads), [s.low for s in spreads.values()], [s.high for s in spreads.values()], color=colour, alpha=0.2, lw=0
        )
    peers = {int(w.arguments["size"]): s for g in GROUPS for w in g.workloads if w.peer == "pgx" and (s := results.spread(w.name))}
    if peers:
        axes.plot(list(peers), [s.median for s in peers.values()], "s--", color=_ORANGE, label="Pgx leduc_holdem")
    axes.set(xscale="log", yscale="log", xlabel="games in the batch", title="decisions a second")


def _draw_growth(axes: Any, results: Results) -> None:
    for prefix, label, colour in _SERIES:
        spreads = _by_size(results, prefix)
        axes.plot(list(spreads), [1e3 * size / s.median for size, s in spreads.items()], "o-", color=colour, label=label)
    spreads = _by_size(results, "batch")
    of_one = 1e3 / spreads[max(spreads)].median
    axes.plot(list(spreads), [of_one * size for size in spreads], ":", color=_GREY, label="proportional to the games")
    axes.set(xscale="log", yscale="log", xlabel="games in the batch", title="milliseconds a step")


def _draw_seats(axes: Any, results: Results) -> None:
    names = {seats: f"seats-{seats}" if seats != 2 else "batch-1024" for seats in SEATS}
    spreads = {seats: spread for seats, name in names.items() if (spread := results.spread(name))}
    axes.plot(list(spreads), [1e9 / s.median for s in spreads.values()], "o-", color=_BLUE, label="Batch, 1024 games, random play")
    axes.set(xlabel="seats", title="nanoseconds a decision", ylim=(0, None), xticks=SEATS)
