"""What people read: results as rich tables on a terminal, as Markdown tables elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from truco_agents.arena.estimate import Estimate, estimate_mean, estimate_rate
from truco_agents.arena.exploit import Exploitability, describe_bounds
from truco_agents.arena.result import MatchResult
from truco_agents.arena.tournament import Tournament
from truco_env.rules.options import describe_rules

_INTERVAL = "95 % interval"
_PLAIN_WIDTH = 240  # wide enough that no cell wraps where there is no terminal


def open_console(file: IO[str]) -> Console:
    """Return a console on ``file``: coloured on a terminal, plain and unwrapped elsewhere."""
    return Console(file=file, highlight=False) if file.isatty() else Console(file=file, highlight=False, width=_PLAIN_WIDTH)


def print_match(console: Console, result: MatchResult) -> None:
    """Print one result."""
    a, b = result.labels
    console.print(f"A = {escape(a)}, B = {escape(b)}; {_conditions(result)}")
    table = _new_table(console, "A against B", "mean", _INTERVAL)
    unit = "matches" if result.episode == "match" else "hands"
    table.add_row("points per hand", *_points(result.points_per_hand()))
    table.add_row(f"{unit} won", *_rate(result.win_rate()))
    for where, rate in result.win_rate_by_seating().items():
        table.add_row(f"  {where}", *_rate(rate))
    advantage = result.seat_advantage()
    if advantage is not None:
        table.add_row("  difference", *_rate(advantage, signed=True))
    if result.episode == "match":
        table.add_row("hands per match", *_plain(result.hands_per_match()))
    _print(console, table)


def print_tournament(console: Console, tournament: Tournament) -> None:
    """Print the pay-off matrix, and the ratings with their anchor if no pairing is missing."""
    first = next(iter(tournament.results.values()))
    console.print(f"tournament; {_conditions(first)}")
    unit = "matches" if first.episode == "match" else "hands"
    payoff = _new_table(console, f"{unit} won by row from column", *map(escape, tournament.labels))
    for i, label in enumerate(tournament.labels):
        played = [(min(i, j), max(i, j)) in tournament.results for j in range(len(tournament.labels))]
        payoff.add_row(escape(label), *(_rate(tournament.win_rate(i, j))[0] if played[j] else "" for j in range(len(tournament.labels))))
    _print(console, payoff)
    if not tournament.complete:
        return
    console.print()
    anchor = escape(tournament.labels[tournament.anchor])
    ratings = _new_table(console, "agent", f"Elo ({anchor} = 0)", _INTERVAL, "worst pairing")
    for index, rating in sorted(enumerate(tournament.ratings()), key=lambda item: -item[1].mean):
        worst = min((j for j in range(len(tournament.labels)) if j != index), key=lambda j: tournament.win_rate(index, j).mean)
        interval = "" if index == tournament.anchor else f"{rating.low:+.0f}..{rating.high:+.0f}"
        against = f"{_rate(tournament.win_rate(index, worst))[0]} against {escape(tournament.labels[worst])}"
        ratings.add_row(escape(tournament.labels[index]), f"{rating.mean:+.0f}", interval, against)
    _print(console, ratings)


def print_table(console: Console, results: Sequence[MatchResult]) -> None:
    """Print one agent's results against several others on one deal set, with the mean over them and the worst if there are several."""
    console.print(f"{escape(results[0].labels[0])}; {_conditions(results[0])}")
    unit = "matches" if results[0].episode == "match" else "hands"
    table = _new_table(console, "against", "points per hand", _INTERVAL, f"{unit} won", _INTERVAL)
    for result in results:
        table.add_row(escape(result.labels[1]), *_points(result.points_per_hand()), *_rate(result.win_rate()))
    if len(results) > 1:
        points = estimate_mean(np.mean([result.group_points for result in results], axis=0))
        wins = estimate_rate(np.mean([result.group_wins for result in results], axis=0))
        table.add_row("mean of these", *_points(points), *_rate(wins))
        worst = min(results, key=lambda result: result.win_rate().mean)
        label = f"worst: {escape(worst.labels[1])}"
        table.add_row(label, *_points(worst.points_per_hand()), *_rate(worst.win_rate()))
    _print(console, table)


def print_exploitability(console: Console, result: Exploitability) -> None:
    """Print what a best response gains, in points and in chances to win the match."""
    study = result.study
    ours, theirs = study.scores
    console.print(
        f"best response to {escape(result.label)}; {escape(describe_rules(study.rules))}; scores {ours}-{theirs}; "
        f"{len(result.measured)} own hands; seed {study.seed}; grain {study.grain:g}"
    )
    for words, upper in describe_bounds(result):
        table = _new_table(console, f"gain per hand, {words}", "points", _INTERVAL, "chance to win the match", _INTERVAL)
        points, wins = result.gains("points", upper=upper), result.gains("win", upper=upper)
        for where, gain in points.items():
            together = "together (exploitability)" if ours == theirs else "together"
            table.add_row(together if where == "together" else f"as {where}", *_points(gain), *_rate(wins[where], signed=True))
        _print(console, table)


def _conditions(result: MatchResult) -> str:
    unit = "matches" if result.episode == "match" else "single hands"
    seatings = result.scores.points.shape[1]
    return f"{escape(describe_rules(result.rules))}; {unit}; {result.groups} deal groups x {seatings} seatings; deals {result.deals}"


def _new_table(console: Console, first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else box.MARKDOWN)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", overflow="fold", no_wrap=name == _INTERVAL)
    return table


def _print(console: Console, table: Table) -> None:
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as capture:
        console.print(table)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    console.print("\n".join(line for line in lines if line), markup=False)


def _points(estimate: Estimate) -> tuple[str, str]:
    return f"{estimate.mean:+.3f}", f"{estimate.low:+.3f}..{estimate.high:+.3f}"


def _rate(estimate: Estimate, *, signed: bool = False) -> tuple[str, str]:
    sign = "+" if signed else ""
    mean, low, high = (f"{100 * value:{sign}.1f}" for value in (estimate.mean, estimate.low, estimate.high))
    return f"{mean}%", f"{low}..{high}%"


def _plain(estimate: Estimate) -> tuple[str, str]:
    return f"{estimate.mean:.2f}", f"{estimate.low:.2f}..{estimate.high:.2f}"
