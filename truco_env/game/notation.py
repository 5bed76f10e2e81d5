"""Notation: one text form for a hand and for a match, printed and parsed without loss.

::

    truco-env match 1
    ruleset argentino
    players 2
    option flor_mode off
    seed 7

    hand 1 normal dealer 1 scores 0 0 won 0 0
    deal 0 7O 6O 4C
    deal 1 7B 5B 12C
    0 truco
    1 quiero
    ...
    end scores 2 0 won 0 0

The header names the form and its version, the rules with the options that differ from the rule set's defaults, and the seed of the
deals to come. A ``hand`` line gives the position before the deal, with the word ``set`` after it where it does not follow from the hand
before; a ``seed`` line before it changes the seed. Each move is a line, ``SEAT NAME``; a seña adds the seats that saw it: ``seen 2 3``.
``end`` closes a finished hand with its result, which is checked when a match is loaded. Deals are always written out, so a text does
not depend on how seeds are turned into cards. Blank lines, and what follows a ``#``, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from truco_env.engine.record import KINDS
from truco_env.errors import ActionError, CardError, NotationError, RulesError
from truco_env.game.events import AnswerGiven, CallMade, CardDiscarded, CardPlayed, Event, FlorPassed, SeatLeft, SenaMade
from truco_env.game.moves import check_name
from truco_env.game.position import MAX_SEED, Position
from truco_env.rules.actions import CALL_NAMES, Action
from truco_env.rules.cards import parse_card
from truco_env.rules.options import OPTIONS, OptionValue, Rules
from truco_env.rules.text import option_text, read_option

VERSION: Final = 1
_HEADER: Final = "truco-env match"
_NUMBER: Final = re.compile(r"(0|[1-9][0-9]{0,19})\Z", re.ASCII)


class Move(NamedTuple):
    """One move: who, its name, and for a seña the seats that saw it."""

    seat: int
    name: str
    seers: tuple[int, ...] | None = None

    def __str__(self) -> str:
        """Return the move as a line, such as ``0 truco``.

        >>> str(Move(0, "sena:tres", (2, 3)))
        '0 sena:tres seen 2 3'
        """
        seen = "" if self.seers is None else " seen" + "".join(f" {seat}" for seat in self.seers)
        return f"{self.seat} {self.name}{seen}"


class Result(NamedTuple):
    """What a finished hand left: the visible scores and the legs won, by account."""

    scores: tuple[int, ...]
    won: tuple[int, ...]


def move_of(event: Event) -> Move | None:
    """Return the move that an event records, ``None`` for what only follows from moves."""
    match event:
        case CardPlayed(seat, card):
            return Move(seat, card)
        case CallMade(seat, name) | AnswerGiven(seat, name) | SeatLeft(seat, name):
            return Move(seat, name)
        case CardDiscarded(seat, card) if card is not None:
            return Move(seat, f"discard:{card}")
        case FlorPassed(seat):
            return Move(seat, CALL_NAMES[Action.PASO])
        case SenaMade(seat, name, seers):
            return Move(seat, name, seers)
    return None


@dataclass(frozen=True)
class Hand:
    """A hand as it was set up, dealt and played."""

    number: int
    """1 for the first hand of the match."""
    position: Position
    """What stood before it, every part given."""
    deal: tuple[tuple[str, ...], ...]
    """Cards by seat."""
    moves: tuple[Move, ...] = ()
    result: Result | None = None
    """``None`` while the hand is unfinished."""
    follows: bool = True
    """Whether the position is what the rules make of the hand before; otherwise it was set up."""
    seed: int = 0
    """The seed of the match in this hand."""

    def __str__(self) -> str:
        return print_hand(self)


@dataclass(frozen=True)
class Match:
    """A match: its rules, the seed of its deals, and its hands so far."""

    rules: Rules
    seed: int
    hands: tuple[Hand, ...] = field(default=())

    def __str__(self) -> str:
        return print_match(self)


def _numbers(values: tuple[int, ...]) -> str:
    return " ".join(map(str, values))


def print_hand(hand: Hand) -> str:
    """Return the lines of a hand, each ended by a newline; its seed stands outside, in the match."""
    mark = "" if hand.follows else " set"
    lines = [f"hand {hand.number} {hand.position}{mark}"]
    lines += [f"deal {seat} {' '.join(cards)}" for seat, cards in enumerate(hand.deal)]
    lines += map(str, hand.moves)
    if hand.result is not None:
        lines.append(f"end scores {_numbers(hand.result.scores)} won {_numbers(hand.result.won)}")
    return "\n".join(lines) + "\n"


def print_match(match: Match) -> str:
    """Return a match as text; ``parse_match`` reads it back as an equal value."""
    rules = match.rules
    lines = [f"{_HEADER} {VERSION}", f"ruleset {rules.ruleset}", f"players {rules.players}"]
    for name, option in sorted(OPTIONS.items()):
        value = getattr(rules, name)
        if name in rules.options and value != option.default(rules.ruleset):
            lines.append(f"option {name} {option_text(value)}")
    lines.append(f"seed {match.seed}\n")
    text, seed = "\n".join(lines), match.seed
    for hand in match.hands:
        text += "\n" + ("" if hand.seed == seed else f"seed {hand.seed}\n") + print_hand(hand)
        seed = hand.seed
    return text


@dataclass(frozen=True)
class _Line:
    """A line of the text: its number and its words."""

    number: int
    words: tuple[str, ...]

    def fail(self, reason: str) -> NotationError:
        return NotationError(f"line {self.number}, {' '.join(self.words)[:80]!r}: {reason}")

    def number_at(self, i: int, what: str, most: int = 9999) -> int:
        word = self.words[i] if i < len(self.words) else ""
        if not _NUMBER.match(word) or int(word) > most:
            raise self.fail(f"{what} must be a whole number from 0 to {most}, not {word[:30]!r}")
        return int(word)

    def expect(self, i: int, word: str) -> None:
        if i >= len(self.words) or self.words[i] != word:
            raise self.fail(f"word {i + 1} must be {word!r}")

    def expect_end(self, length: int) -> None:
        if len(self.words) != length:
            raise self.fail(f"it has {len(self.words)} words where {length} belong")


class _Reader:
    """The meaningful lines of a text, one ahead."""

    def __init__(self, text: str) -> None:
        self._lines = self._split(text)
        self.line: _Line | None = next(self._lines, None)
        self.last = 0

    @staticmethod
    def _split(text: str) -> Iterator[_Line]:
        for number, line in enumerate(text.split("\n"), 1):
            words = tuple(line.partition("#")[0].split())
            if words:
                yield _Line(number, words)

    def key(self) -> str:
        """The first word of the line ahead, empty at the end."""
        return "" if self.line is None else self.line.words[0]

    def take(self, expected: str) -> _Line:
        """Return the line ahead and go on."""
        if self.line is None:
            raise NotationError(f"the text ends after line {self.last} where {expected} must follow")
        line, self.last = self.line, self.line.number
        self.line = next(self._lines, None)
        return line

    def take_key(self, key: str) -> _Line:
        """Return the line ahead, which must begin with ``key``, and go on."""
        line = self.take(f"a line {key!r}")
        if line.words[0] != key:
            raise line.fail(f"a line {key!r} must stand here")
        return line


def parse_match(text: str) -> Match:
    """Read a match. Only its form is checked; ``Game.from_notation`` also replays it.

    Raises:
        NotationError: the text is no match notation; the message names the line and what is wrong with it.
    """
    if not isinstance(text, str):
        raise NotationError(f"a notation is text, not {type(text).__name__}")
    reader = _Reader(text)
    _parse_version(reader.take("the header"))
    rules = _parse_rules(reader)
    line = reader.take_key("seed")
    line.expect_end(2)
    seed = line.number_at(1, "the seed", MAX_SEED)
    hands: list[Hand] = []
    current = seed
    while reader.line is not None:
        if reader.key() == "seed":
            line = reader.take_key("seed")
            line.expect_end(2)
            current = line.number_at(1, "the seed", MAX_SEED)
        hand = _parse_hand(reader, rules, current)
        if hands and hand.number != hands[-1].number + 1:
            raise NotationError(f"hand {hand.number} stands after hand {hands[-1].number}")
        if hands and hands[-1].result is None:
            raise NotationError(f"hand {hand.number} follows hand {hands[-1].number}, which has no line 'end'")
        hands.append(hand)
    return Match(rules, seed, tuple(hands))


def _parse_version(line: _Line) -> None:
    if " ".join(line.words[:2]) != _HEADER:
        raise line.fail(f"the text must begin with '{_HEADER} {VERSION}'")
    line.expect_end(3)
    if line.words[2] != str(VERSION):
        raise line.fail(f"version {line.words[2][:20]!r} is not known; this program reads version {VERSION}")


def _parse_rules(reader: _Reader) -> Rules:
    first = reader.take_key("ruleset")
    first.expect_end(2)
    line = reader.take_key("players")
    line.expect_end(2)
    players = line.number_at(1, "the number of players", 8)
    options: dict[str, OptionValue] = {}
    while reader.key() == "option":
        line = reader.take_key("option")
        line.expect_end(3)
        name = line.words[1]
        if name in options:
            raise line.fail(f"option {name} stands twice")
        try:
            options[name] = read_option(name, line.words[2])
        except RulesError as error:
            raise line.fail(str(error)) from error
    try:
        return Rules(first.words[1], players, **options)
    except RulesError as error:
        raise NotationError(f"the rules cannot be: {error}") from error


def _parse_hand(reader: _Reader, rules: Rules, seed: int) -> Hand:
    head, accounts = reader.take_key("hand"), rules.n_accounts
    follows = head.words[-1] != "set"
    head.expect_end(7 + 2 * accounts + (0 if follows else 1))
    kind = head.words[2]
    if kind not in KINDS:
        raise head.fail(f"the kind must be one of {', '.join(KINDS)}")
    head.expect(3, "dealer")
    dealer = head.number_at(4, "the dealer", rules.players - 1)
    scores, won = _parse_account(head, 5, accounts)
    deal = tuple(_parse_cards(reader.take_key("deal"), seat) for seat in range(rules.players))
    moves: list[Move] = []
    while reader.key()[:1].isdigit():
        moves.append(_parse_move(reader.take("a move"), rules.players))
    result: Result | None = None
    if reader.key() == "end":
        line = reader.take_key("end")
        line.expect_end(3 + 2 * accounts)
        result = _parse_account(line, 1, accounts)
    elif reader.line is not None and reader.key() not in ("hand", "seed"):
        raise reader.line.fail("a move 'SEAT NAME', 'end', 'seed' or 'hand' must stand here")
    number = head.number_at(1, "the number of the hand", 2**31 - 1)
    if number == 0:
        raise head.fail("hands are counted from 1")
    return Hand(number, Position(dealer, scores, won, kind), deal, tuple(moves), result, follows, seed)


def _parse_account(line: _Line, start: int, accounts: int) -> Result:
    """Read ``scores 0 0 won 0 0`` from word ``start`` on."""
    line.expect(start, "scores")
    line.expect(start + accounts + 1, "won")
    scores = tuple(line.number_at(start + 1 + i, "a score") for i in range(accounts))
    return Result(scores, tuple(line.number_at(start + accounts + 2 + i, "legs won") for i in range(accounts)))


def _parse_cards(line: _Line, seat: int) -> tuple[str, ...]:
    if line.number_at(1, "the seat") != seat:
        raise line.fail(f"the cards of seat {seat} must stand here")
    if len(line.words) not in (5, 6):
        raise line.fail("a hand is three cards (gallo's dealer: four)")
    try:
        for word in line.words[2:]:
            parse_card(word)
    except CardError as error:
        raise line.fail(str(error)) from error
    return line.words[2:]


def _parse_move(line: _Line, players: int) -> Move:
    seat = line.number_at(0, "the seat", players - 1)
    name = line.words[1] if len(line.words) > 1 else ""
    try:
        check_name(name)
    except ActionError as error:
        raise line.fail(str(error)) from error
    if not name.startswith("sena:"):
        line.expect_end(2)
        return Move(seat, name)
    line.expect(2, "seen")
    seers = tuple(line.number_at(i, "a seat", players - 1) for i in range(3, len(line.words)))
    if list(seers) != sorted(set(seers) - {seat}):
        raise line.fail("the seats that saw it must ascend, and its maker is not one of them")
    return Move(seat, name, seers)
