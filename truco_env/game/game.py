"""Game: one table, played move by move by name; the friendly face of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Self, SupportsIndex, TypeAlias

import numpy as np

from truco_env.engine.jit import engine_version
from truco_env.engine.record import KINDS, PHASES
from truco_env.errors import PositionError
from truco_env.game.course import Course, Start, begin_course, follow_course
from truco_env.game.events import Event, read_events, seats_of
from truco_env.game.moves import action_name, legal_names, make_move
from truco_env.game.notation import Hand, Match, parse_match, print_match
from truco_env.game.position import Hands, check_number, position_of
from truco_env.game.replay import replay_match
from truco_env.game.sampling import Sampler
from truco_env.game.table import SIZE, Table, wrap
from truco_env.game.view import View, make_view
from truco_env.rules.actions import Action
from truco_env.rules.options import Rules

Winner: TypeAlias = int | tuple[int, ...] | None

_ACTIONS: Final = tuple(Action)


class Game:
    """A game at one table: deal, play by name, look, copy, save.

    Args:
        ruleset: ``argentino``, ``reglamento``, ``truc_valencia`` or ``trucomano``; or a finished ``Rules``, and nothing else.
        players: seats at the table; 3 is the gallo.
        **options: options of the rule book (rules.md 7).

    Raises:
        RulesError: unknown rule set, player count, option or value.

    >>> game = Game("argentino", players=2, flor_mode="off")
    >>> game.deal(["7O 6O 4C", "7B 5B 12C"], dealer=1)
    >>> game.to_act, game.legal
    (0, ['4C', '6O', '7O', 'envido', 'falta_envido', 'mazo', 'real_envido', 'truco'])
    >>> for move in ("envido", "quiero", "truco", "no_quiero"):
    ...     game.play(move)
    >>> game.scores, game.hand_over
    ((3, 0), True)
    >>> [str(event) for event in game.events[3:5]]
    ['seat 0 tells 33', '+2 for A (envido_won)']
    """

    __slots__ = ("_finished", "_sampler", "_start", "_table")
    __hash__ = None  # type: ignore[assignment]

    _table: Table
    _start: Start | None
    _finished: tuple[tuple[bytes, Start], ...]
    _sampler: Sampler | None  # of this position

    def __init__(self, ruleset: str | Rules = "argentino", players: int = 2, **options: object) -> None:
        if isinstance(ruleset, Rules):
            if options or players not in (2, ruleset.players):
                raise TypeError("give either a Rules or a rule set's name, players and options")
            rules = ruleset
        else:
            rules = Rules(ruleset, players, **options)
        self._take(Course(Table(rules)))

    def _take(self, course: Course) -> None:
        self._table, self._start, self._finished = course
        self._sampler = None

    @property
    def _course(self) -> Course:
        return Course(self._table, self._start, self._finished)

    # Dealing.

    def deal(
        self,
        hands: Hands | None = None,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
        won: Sequence[int] | None = None,
        kind: str | None = None,
    ) -> None:
        """Begin a match, or set up a position, and deal its first hand. What was played before is forgotten.

        Args:
            hands: the cards by seat, as ``["7O 6O 4C", "7B 5B 12C"]`` or as lists of names; gallo's dealer may have four. By default
                they are drawn from ``seed``.
            seed: 0 to 2**64 - 1; fixes all deals of the match that are not given. By default fresh entropy.
            dealer: the seat that deals. By default as the rules say if the cards are drawn, else the last seat, so that seat 0 is mano.
            scores: points before the hand, by side, in gallo by seat. By default 0.
            won: legs won before, by account like ``scores``. By default 0.
            kind: with ``pica_pica``, ``"redonda"`` or ``"pica"``. By default a pica-pica if ``scores`` are given and the leading one is
                in the band, else a redonda (rules.md 6.1).

        Raises:
            CardError: a card that is none, not of the deck, given twice, or a wrong number of cards.
            PositionError: a dealer, score, number of legs, kind or seed that cannot be.
        """
        position = position_of(dealer, scores, won, kind)
        self._take(begin_course(self._table.blank(), position, hands, seed))

    def next_hand(
        self,
        hands: Hands | None = None,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
        won: Sequence[int] | None = None,
        kind: str | None = None,
    ) -> None:
        """Deal the next hand of the match, after a finished one: dealer, kind and scores follow from the rules.

        Args:
            hands: the cards by seat, as in ``deal``; by default drawn from the match's seed.
            seed: a new seed for the deals from here on; by default the match's.
            dealer: sets up another dealer than the rules give.
            scores: sets up other scores.
            won: sets up other legs.
            kind: sets up another kind of deal.

        Raises:
            CardError: as in ``deal``.
            PositionError: as in ``deal``, or the hand is not over, or the match is.
        """
        position = position_of(dealer, scores, won, kind)
        self._take(follow_course(self._course, position, hands, seed))

    # Whose turn, and what may be done.

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self._table.rules

    @property
    def table(self) -> Table:
        """The game's own bytes, for what works on records; whoever writes to them answers for what is written."""
        return self._table

    @property
    def to_act(self) -> int | None:
        """The seat to act; ``None`` when the hand is over."""
        seat = int(self._table.to_act[0])
        return seat if seat >= 0 else None

    @property
    def phase(self) -> str:
        """The phase of rules.md 1.5, or ``"hand_over"``."""
        return PHASES[self._table["phase"]]

    @property
    def legal_actions(self) -> list[Action]:
        """The legal actions of the seat to act, ascending; empty when the hand is over."""
        bits = int(self._table.legal[0])
        return [action for action in _ACTIONS if bits >> action & 1]

    @property
    def legal(self) -> list[str]:
        """The names of the legal moves of the seat to act, sorted."""
        return legal_names(self._table)

    def action_name(self, action: SupportsIndex) -> str:
        """Return the name of an action of the seat to act, such as ``"7O"`` for ``Action.PLAY_2``.

        Raises:
            ActionError: there is no such action.
        """
        return action_name(self._table, action)

    def play(self, move: str | SupportsIndex, *, seat: int | None = None) -> None:
        """Make a move for the seat to act.

        Args:
            move: a name such as ``"7O"``, ``"truco"``, ``"discard:4C"``, or an ``Action``.
            seat: who makes it, if that is to be checked.

        Raises:
            ActionError: ``move`` is no action in any rule set.
            IllegalActionError: it is one, but not legal now. The game is unchanged, as after any error.
        """
        make_move(self._table, move, seat)
        self._sampler = None

    # What came of it.

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of the leg, by side (A = even seats first), in gallo by seat."""
        return self._table.scores()

    @property
    def won(self) -> tuple[int, ...]:
        """Legs (toros, camas, partidas) won, by account like ``scores``."""
        return self._table.won()

    @property
    def hand_over(self) -> bool:
        """Whether the hand (in a pica-pica: all its duels) is over, or none was dealt yet."""
        return bool(self._table.games["hand_over"][0])

    @property
    def match_over(self) -> bool:
        """Whether the match is over."""
        return bool(self._table.games["match_over"][0])

    @property
    def winner(self) -> Winner:
        """Who won the match: a side (0 = A), in gallo a seat; a tuple of seats where ``gallo_tie`` shares it; ``None`` before."""
        winners = seats_of(self._table["winners"])
        if not winners or not self.match_over:
            return None
        return winners[0] if len(winners) == 1 else winners

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._table["dealer"])

    @property
    def mano(self) -> int:
        """Mano of the hand, in a pica-pica of the duel."""
        return int(self._table["mano"])

    @property
    def kind(self) -> str:
        """normal, redonda or pica."""
        return KINDS[self._table["kind"]]

    @property
    def seed(self) -> int:
        """The seed of the deals that are not given."""
        return int(self._table["seed"])

    @property
    def hand_number(self) -> int:
        """1 for the first hand of the match, 0 before the first deal."""
        return int(self._table["hand_no"]) + 1

    @property
    def events(self) -> list[Event]:
        """All that happened in this hand, in order, with what is secret; ``events_for`` is a seat's share of it."""
        return read_events(self._table.games, 0, gallo=self.rules.gallo)

    def events_for(self, seat: int) -> list[Event]:
        """Return what happened in this hand as ``seat`` knows it."""
        self._check_seat(seat)
        return [seen for event in self.events if (seen := event.seen_by(seat)) is not None]

    @property
    def hand(self) -> Hand:
        """The current hand as a record: its position, deal and moves so far.

        Raises:
            PositionError: nothing has been dealt.
        """
        return self._course.hand

    @property
    def history(self) -> tuple[Hand, ...]:
        """The finished hands of the match before the current one."""
        return self._course.history

    # What a seat knows.

    def _check_seat(self, seat: int) -> None:
        check_number(seat, "seat", self.rules.players - 1)
        if self._start is None:
            raise PositionError("nothing has been dealt")

    def view(self, seat: int) -> View:
        """Return everything that ``seat`` may know of the hand, and nothing else.

        Raises:
            PositionError: there is no such seat, or nothing has been dealt.
        """
        legal = tuple(self.legal) if seat == self.to_act else ()
        return make_view(self._table.games, self.rules, seat, tuple(self.events_for(seat)), legal, self.winner)

    def observe_text(self, seat: int) -> str:
        """Return ``view(seat)`` as a few lines of text, for people and for language models."""
        return self.view(seat).to_text()

    def sample_hidden(self, seat: int, rng: np.random.Generator) -> Self:
        """Return a copy in which all that ``seat`` cannot see is drawn anew, consistently with what it knows (``hidden.py``).

        Every consistent deal is equally likely. The copy has the current hand only, in a match that goes on with a seed of its own:
        neither earlier hands nor later deals of this game can be read from it.

        Args:
            seat: whose knowledge is kept; ``view(seat)`` of the copy is the same.
            rng: source of the draw.

        Raises:
            PositionError: there is no such seat, or nothing has been dealt.
        """
        self._check_seat(seat)
        table, start = self._table, self._start
        assert start is not None
        if self._sampler is None or self._sampler.seat != seat:
            blank = table.blank()
            accounts = table.accounts
            blank.games["scores"][0, :accounts], blank.games["won"][0, :accounts] = start.scores, start.won
            for name in ("hand_no", "dealer", "kind"):
                blank.games[name] = table.games[name]
            self._sampler = Sampler(table.games, table.record, seat, blank.raw)
        raw = np.zeros(2 * SIZE, dtype=np.uint8)  # padding between fields is compared too
        raw[SIZE:] = self._sampler.blank
        self._sampler.draw(wrap(raw), rng)
        return self._of(Course(table.beside(raw[:SIZE].copy()), start._replace(follows=True)))

    # Copying and saving.

    @classmethod
    def _of(cls, course: Course) -> Self:
        game = cls.__new__(cls)
        game._take(course)
        return game

    def copy(self) -> Self:
        """Return an independent copy: cards, log, history, seed. Both go on with the same deals."""
        twin = self.__class__.__new__(self.__class__)
        twin._table, twin._start, twin._finished, twin._sampler = self._table.copy(), self._start, self._finished, None
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "engine": engine_version(),
            "rules": self.rules,
            "record": self._table.raw.tobytes(),
            "start": self._start,
            "finished": self._finished,
            "notation": self.notation(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled game; one of another version of the engine is replayed from its notation."""
        if state["engine"] == engine_version():
            table = Table(state["rules"], np.frombuffer(state["record"], dtype=np.uint8).copy())
            self._take(Course(table, state["start"], state["finished"]))
        else:
            self._take(replay_match(parse_match(state["notation"])))

    def __repr__(self) -> str:
        table = f"{self.rules.ruleset}, {self.rules.players} players"
        if self.hand_number == 0:
            return f"<Game {table}: nothing dealt yet>"
        doing = "match over" if self.match_over else "hand over" if self.hand_over else f"seat {self.to_act} to act"
        return f"<Game {table}: hand {self.hand_number}, scores {self.scores}, {doing}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._course == other._course

    def match(self) -> Match:
        """Return the match so far as a value: rules, seed, hands."""
        return self._course.match()

    def notation(self) -> str:
        """Return the match as text (``notation.py``): rules, seed, every hand with its deal and moves.

        >>> game = Game("trucomano")
        >>> game.deal(["7O 6O 4C", "7B 5B 12C"], seed=7)
        >>> game.play("truco")
        >>> print(game.notation())
        truco-env match 1
        ruleset trucomano
        players 2
        seed 7
        <BLANKLINE>
        hand 1 normal dealer 1 scores 0 0 won 0 0
        deal 0 4C 6O 7O
        deal 1 5B 7B 12C
        0 truco
        <BLANKLINE>
        """
        return print_match(self.match())

    @classmethod
    def from_notation(cls, text: str) -> Self:
        """Load a match from its text, by replaying it; it goes on as the saved one would.

        Raises:
            NotationError: the text is no notation, or does not replay; the message says where.
        """
        return cls.from_match(parse_match(text))

    @classmethod
    def from_match(cls, match: Match) -> Self:
        """Load a match from its value, by replaying it.

        Raises:
            NotationError: it does not replay.
        """
        return cls._of(replay_match(match))
