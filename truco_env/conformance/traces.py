"""Traces: replay long recorded games and compare every step with them.

A trace is one line of JSON: a match with the seat to act, the legal moves and the scores at every move, the events and the results.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

from truco_env.conformance.documents import line_of
from truco_env.errors import CaseError, TrucoError
from truco_env.game.events import (
    AnswerGiven,
    CallMade,
    CardDiscarded,
    CardPlayed,
    DuelBegun,
    Event,
    FlorTold,
    HandDealt,
    JocForaWon,
    LegWon,
    MatchWon,
    NobodyWon,
    NumberTold,
    PointsWon,
    ScoreClamped,
    SeatLeft,
    TrickDecided,
)
from truco_env.game.game import Game, Winner
from truco_env.rules.text import read_options

TRACE_SUFFIXES: Final = (".jsonl", ".jsonl.gz")
_KEYS: Final = ("ruleset", "players", "options", "start", "hands", "match_over", "winner")


@dataclass(frozen=True)
class Trace:
    """A long game with the right answer, one line of its file."""

    path: Path
    line: int
    values: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.path.name}: line {self.line} ({line_of(self.values['ruleset'])}, {line_of(self.values['players'])} players)"


def load_traces(path: str | Path) -> Iterator[Trace]:
    """Read a trace file, plain or compressed, line by line.

    Raises:
        CaseError: it cannot be read, or a line is no trace.
    """
    path = Path(path)
    try:
        with _open_text(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield Trace(path, number, _read_trace(path, number, line))
    except (OSError, EOFError, UnicodeError, zlib.error) as error:
        raise CaseError(f"{path}: cannot be read: {error}") from error


def _open_text(path: Path) -> TextIO:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def _read_trace(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{path}: line {number} is no JSON: {line_of(error)}") from error
    missing = [key for key in _KEYS if not isinstance(values, dict) or key not in values]
    if missing:
        raise CaseError(f"{path}: line {number} is no trace: it lacks {', '.join(missing)}")
    trace: dict[str, Any] = values
    return trace


def run_trace(trace: Trace) -> list[str]:
    """Replay a trace and return where it first differs, empty if nowhere."""
    values = trace.values
    try:
        game = Game(values["ruleset"], values["players"], **read_options(values["options"]))
        for number, hand in enumerate(values["hands"], 1):
            failure = _begin_hand(game, values["start"], hand, number) or _replay_hand(game, hand)
            if failure is not None:
                return [f"hand {number}: {failure}"]
    except TrucoError as error:
        return [str(error)]
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:  # values of another form than a trace has
        raise CaseError(f"{trace.path}: line {trace.line} is no trace: {line_of(repr(error))}") from error
    failure = differ(values["match_over"], game.match_over)
    if failure is not None:
        return [f"match_over: {failure}"]
    failure = differ(values["winner"], _plain_winner(game.winner))
    return [] if failure is None else [f"winner: {failure}"]


def _plain_winner(winner: Winner) -> object:
    return list(winner) if isinstance(winner, tuple) else winner


def _begin_hand(game: Game, start: dict[str, Any], hand: dict[str, Any], number: int) -> str | None:
    if number == 1:
        game.deal(hand["deal"], dealer=start["dealer"], scores=start["scores"], won=start["won"], kind=start["kind"], seed=0)
    else:
        game.next_hand(hand["deal"])
    told = (hand["kind"], hand["dealer"], list(hand["scores_start"]), list(hand["won_start"]))
    return differ(told, (game.kind, game.dealer, list(game.scores), list(game.won)))


def _replay_hand(game: Game, hand: dict[str, Any]) -> str | None:
    for number, step in enumerate(hand["steps"], 1):
        found = (game.to_act, game.phase, game.legal)
        if found != (step["seat"], step["phase"], step["legal"]):
            expected = f"seat {step['seat']} in {step['phase']} with {text_of(step['legal'])}"
            return f"before step {number}: expected {expected}, found seat {found[0]} in {found[1]} with {text_of(found[2])}"
        game.play(step["action"])
        if list(game.scores) != step["scores_after"]:
            return f"after step {number}, {step['action']}: scores: {differ(step['scores_after'], list(game.scores))}"
    if not game.hand_over:
        return "it is not over after its last step"
    end = differ((hand["scores_end"], hand["won_end"]), (list(game.scores), list(game.won)))
    if end is not None:
        return f"at the end, scores and legs: {end}"
    return _differ_events(game, hand["events"])


def _differ_events(game: Game, expected: list[list[Any]]) -> str | None:
    """Compare what happened. With ``end_of_hand`` a trace lists all points last, this log where they were decided."""
    told = [_as_traced(event) for event in game.events]
    found = [record for record in told if record is not None]
    wanted = [_same_reason(record) for record in expected]
    if game.rules.scoring_time == "end_of_hand":
        found, wanted = sorted(found, key=str), sorted(wanted, key=str)
    for number, (ours, theirs) in enumerate(zip(found, wanted, strict=False), 1):
        if ours != theirs:
            return f"event {number}: {differ(theirs, ours)}"
    return None if len(found) == len(wanted) else f"it has {len(found)} events, not {len(wanted)}"


def _same_reason(record: list[Any]) -> list[Any]:
    """A first-trick price of 1 is the price of any other trick; a trace may give either reason."""
    return [*record[:3], "mazo"] if record[0] == "points" and record[2:] == [1, "mazo_first_trick"] else record


def _as_traced(event: Event) -> list[Any] | None:
    """An event in the form of a trace; ``None`` for those that a trace does not have."""
    match event:
        case CardPlayed(seat, name) | CallMade(seat, name) | AnswerGiven(seat, name) | SeatLeft(seat, name):
            return [event.kind, seat, name]
        case NumberTold(seat, value) | FlorTold(seat, value):
            return [event.kind, seat, value]
        case TrickDecided(trick, winner):
            return ["trick", trick, "P" if winner == "parda" else winner]
        case PointsWon(account, _, points, reason):
            return ["points", account, points, reason]
        case ScoreClamped(account, _, points):
            return ["clamp", account, points]
        case HandDealt(deal, dealer, mano):
            return ["hand", deal, dealer, mano]
        case DuelBegun(mano, rival):
            return ["duel", mano, rival]
        case CardDiscarded(seat):
            return ["discard", seat]
        case LegWon(account):
            return ["game", account]
        case MatchWon(accounts):
            return ["match", accounts[0] if len(accounts) == 1 else list(accounts)]
        case JocForaWon(account):
            return ["joc_fora", account]
        case NobodyWon():
            return ["nobody"]
    return None


def differ(expected: object, found: object) -> str | None:
    """Return what was expected and what was found, ``None`` if they are equal."""
    return None if expected == found else f"expected {text_of(expected)}, found {text_of(found)}"


def text_of(value: object) -> str:
    """Return a value as text, the items of a list in a row."""
    return " ".join(map(str, value)) or "nothing" if isinstance(value, list | tuple) else str(value)
