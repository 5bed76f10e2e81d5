"""A game as text for a terminal: score, table, tricks, calls and told numbers, as a seat or as everybody together sees it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from truco_env.errors import PositionError
from truco_env.game.events import (
    AnswerGiven,
    CallMade,
    CardPlayed,
    DuelBegun,
    Event,
    FlorPassed,
    HandDealt,
    JocForaWon,
    LegWon,
    MatchWon,
    NobodyWon,
    NumberTold,
    PointsWon,
    ScoreClamped,
    SeatLeft,
    SenaMade,
    TrickDecided,
    account_name,
)
from truco_env.game.game import Game
from truco_env.game.view import View
from truco_env.rules.actions import CALL_NAMES, display_word
from truco_env.rules.cards import TIERS, parse_card

_ACTIONS: Final = {name: action for action, name in CALL_NAMES.items()}
_WIDTH: Final = 100
_INDENT: Final = 10
_OUTCOMES: Final = (NumberTold, PointsWon, ScoreClamped, LegWon, MatchWon, JocForaWon, NobodyWon)  # they end a trick's line


def render_ansi(game: Game, perspective: int | str = "all", *, previous: Sequence[Event] = ()) -> str:
    """Draw the current hand of a game.

    Args:
        game: a game with a hand dealt.
        perspective: a seat: only what it may know; ``"all"``: every card.
        previous: events of the hand before, whose points are then told in a line.

    Returns:
        Plain text of a few lines, without a newline at the end.

    Raises:
        PositionError: there is no such seat, or nothing has been dealt.
    """
    if perspective == "all":
        views = [game.view(seat) for seat in range(game.rules.players)]
        events: Sequence[Event] = game.events
    elif isinstance(perspective, int) and not isinstance(perspective, bool):
        views = [game.view(perspective)]
        events = views[0].events
    else:
        raise PositionError(f"perspective={perspective!r} is not possible: it is a seat, or 'all'")
    view = views[0]
    if view.legs_to_win == 1:
        events = [event for event in events if not isinstance(event, LegWon)]  # the match says it all
    lines = [
        *_heading(view),
        *([] if perspective == "all" else [_viewer(view)]),
        *_last_hand(previous),
        "",
        *_table(game, view, views),
        *_story(events, game.rules.ruleset),
    ]
    lines.append(_decision(game, view, whole=perspective == "all"))
    return "\n".join(line.rstrip() for line in lines)


def _heading(view: View) -> list[str]:
    gallo = view.players == 3
    points = "   ".join(f"{account_name(i, gallo=gallo)} {score}" for i, score in enumerate(view.scores))
    legs = "   legs " + "-".join(map(str, view.won)) if view.legs_to_win > 1 else ""
    kind = "" if view.kind == "normal" else f" ({view.kind}{'' if view.duel is None else f', duel {view.duel}'})"
    worth = "the match" if view.worth == 5 else f"{view.worth} point{'s' if view.worth > 1 else ''}"
    return [
        f"{view.ruleset}, {view.players} players, to {view.target}   hand {view.hand_number}{kind}   worth {worth}",
        f"score   {points}{legs}",
    ]


def _viewer(view: View) -> str:
    envido = "" if view.envido is None else f", envido {view.envido}"
    flor = "" if view.flor is None else f", flor {view.flor}"
    return f"view    seat {view.seat}{envido}{flor}"


def _last_hand(events: Sequence[Event]) -> list[str]:
    told = [str(event) for event in events if isinstance(event, PointsWon | ScoreClamped | LegWon | JocForaWon)]
    return ["before  " + ", ".join(told or ["nobody scored"])] if events else []


def _table(game: Game, view: View, views: Sequence[View]) -> list[str]:
    """One line per seat: who it is, its cards, what it played and said."""
    known = {other.seat: other for other in views}
    best = _best_plays(view, game.rules.deck)
    rows: list[tuple[str, ...]] = [("", "seat", "side", "cards", "trick 1", "trick 2", "trick 3", "told", "")]
    to_act = game.to_act if len(views) > 1 else view.to_act
    for seat in range(view.players):
        played = list(view.played.get(seat, ()))
        tricks = [f"{card}{'*' if (seat, card) in best else ''}" for card in played] + [""] * (3 - len(played))
        numbers = [str(view.numbers[seat])] if seat in view.numbers else []
        if seat in view.flores:
            value = view.flores[seat]
            numbers.append("flor" if value is None else f"flor {value}")
        side = known[seat].side if seat in known else _side(view, seat)
        cards = _cards(view, known.get(seat), seat)
        rows.append((">" if seat == to_act else "", f"{seat}", side, cards, *tricks, " ".join(numbers), _role(view, seat)))
    if view.trick_winners:
        rows.append(("", "", "", "won by", *view.trick_winners, *[""] * (3 - len(view.trick_winners)), "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _side(view: View, seat: int) -> str:
    if view.players == 3:
        return "B" if seat == view.dealer else "A"
    return "AB"[seat & 1]


def _cards(view: View, own: View | None, seat: int) -> str:
    """The cards in a seat's hand; those played are dots, those that the viewer does not know are question marks."""
    played = view.played.get(seat, ())
    if own is not None:
        dealt: Sequence[str] = own.dealt
    elif seat in view.shown:
        dealt = view.shown[seat]
    else:
        count = 4 if view.players == 3 and seat == view.dealer and view.phase == "discard" else 3
        return " ".join(["?".ljust(3)] * (count - len(played)) + [".".ljust(3)] * len(played))
    return " ".join(("." if card in played else card).ljust(3) for card in dealt)


def _role(view: View, seat: int) -> str:
    words = ["mano"] if seat == view.mano else []
    if seat == view.dealer:
        words.append("dealer")
    left = dict(view.left).get(seat)
    if left is not None:
        words.append(f"left ({left})")
    elif seat not in view.active and not view.hand_over:
        words.append("not in this duel")
    return ", ".join(words)


def _best_plays(view: View, deck: int) -> set[tuple[int, str]]:
    """The plays that won, or tied for, the finished tricks of this hand or duel."""
    best: set[tuple[int, str]] = set()
    for winner, plays in zip(view.trick_winners, view.table, strict=False):
        if winner == "parda" or not plays:
            continue
        owners = [(seat, card) for seat, card in plays if _side(view, seat) == winner]
        top = max(TIERS[deck, parse_card(card)] for _, card in owners)
        best |= {(seat, card) for seat, card in owners if TIERS[deck, parse_card(card)] == top}
    return best


def _story(events: Iterable[Event], ruleset: str) -> list[str]:
    """What happened, a line or more for each trick, after an empty line."""
    parts: list[tuple[str, list[str]]] = []
    trick = 1
    for event in events:
        if isinstance(event, HandDealt):
            continue
        if isinstance(event, DuelBegun):
            parts.append((f"duel {event.mano}-{event.rival}", []))
            trick = 1
            continue
        title = f"trick {trick}"
        if not parts or (parts[-1][0] != title and not (isinstance(event, _OUTCOMES) and parts[-1][1])):
            parts.append((title, []))
        parts[-1][1].append(_say(event, ruleset))
        if isinstance(event, TrickDecided):
            trick = event.trick + 1
    lines = [""]
    for title, told in parts:
        lines += textwrap.wrap(", ".join(told), _WIDTH, initial_indent=title.ljust(_INDENT), subsequent_indent=" " * _INDENT) or [title]
    return lines


def _say(event: Event, ruleset: str) -> str:
    """An event in a few words."""
    if isinstance(event, CardPlayed):
        return f"{event.seat} plays {event.card}"
    if isinstance(event, CallMade):
        return f"{event.seat}: {_word(event.call, ruleset)}"
    if isinstance(event, AnswerGiven):
        return f"{event.seat}: {_word(event.answer, ruleset)}"
    if isinstance(event, SeatLeft):
        return f"{event.seat}: {_word(event.way, ruleset)}"
    if isinstance(event, SenaMade):
        seen = "" if event.seers is None else f" (seen by {' '.join(map(str, event.seers)) or 'nobody'})"
        return f"{event.seat} signs {event.sena.removeprefix('sena:')}{seen}"
    if isinstance(event, TrickDecided):
        return "parda" if event.winner == "parda" else f"{event.winner} takes it"
    if isinstance(event, FlorPassed):
        return f"{event.seat}: paso"
    return str(event).removeprefix("seat ")


def _word(name: str, ruleset: str) -> str:
    return display_word(_ACTIONS[name], ruleset)


def _decision(game: Game, view: View, *, whole: bool) -> str:
    if view.match_over:
        winners = view.winner if isinstance(view.winner, tuple) else (view.winner,)
        names = " and ".join(account_name(winner, gallo=view.players == 3) for winner in winners if winner is not None)
        return f"the match is over: {names} won"
    if view.hand_over:
        return "the hand is over"
    seat, phase = (game.to_act, game.phase) if whole else (view.to_act, view.phase)
    moves = game.legal if whole else list(view.legal)
    if seat is None or not moves:
        return "waiting" if seat is None else f"seat {seat} is to act ({phase})"
    return "\n".join(
        textwrap.wrap(
            f"seat {seat} is to act ({phase}): {', '.join(_explain(move, view.ruleset) for move in moves)}", _WIDTH, subsequent_indent="  "
        )
    )


def _explain(move: str, ruleset: str) -> str:
    """A move, with the word that is said for it where that is another."""
    if move not in _ACTIONS or move.startswith("sena:"):
        return move
    word = _word(move, ruleset)
    return move if word == move.replace("_", " ") else f"{move} ({word})"
