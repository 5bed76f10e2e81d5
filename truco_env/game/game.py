"""Game: one table, played move by move by name; the friendly face of the engine."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from truco_env.engine import entries
from truco_env.engine.jit import JIT, engine_version
from truco_env.engine.record import GAME_DTYPE, HAND_OVER, KINDS, PHASES
from truco_env.engine.rules_record import record_of
from truco_env.errors import ActionError, IllegalActionError, PositionError
from truco_env.game.events import Event, read_events, seats_of
from truco_env.game.notation import Hand, Match, Result, check_name, move_of, parse_match, print_match
from truco_env.game.position import Hands, check_hands, check_kind, check_number, check_scores, check_seed, check_won, kind_at
from truco_env.game.replay import replay_match
from truco_env.game.sampling import Sampler
from truco_env.game.view import View, make_view
from truco_env.rules.actions import CALL_NAMES, N_ACTIONS, Action
from truco_env.rules.cards import N_CARDS, card_name, parse_card
from truco_env.rules.options import Rules

Winner: TypeAlias = int | tuple[int, ...] | None

_ACTIONS: Final = tuple(Action)
_SIZE: Final = GAME_DTYPE.itemsize
_CALLS: Final = {name: int(action) for action, name in CALL_NAMES.items()}
_NAMES: Final = [CALL_NAMES.get(action, "") for action in Action]
_CARD_IDS: Final = {card_name(card): card for card in range(N_CARDS)}
_DISCARD_0: Final = int(Action.DISCARD_0)
_TRUCO: Final = int(Action.TRUCO)


def _check_action(action: SupportsIndex) -> int:
    try:
        index = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:
        index = -1
    if not 0 <= index < N_ACTIONS:
        raise ActionError(f"{action!r} is no action: it is a name, or an id from 0 to {N_ACTIONS - 1}")
    return index


class _Start(NamedTuple):
    """What the record of a hand no longer tells: scores and legs before it, and whether it follows from the hand before."""

    scores: tuple[int, ...]
    won: tuple[int, ...]
    follows: bool


def _wrap(raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.void]:
    """Return the game records that lie in ``raw``, uint8 of shape (k * record size,)."""
    games: npt.NDArray[np.void] = np.ndarray(len(raw) // _SIZE, GAME_DTYPE, raw)
    return games if JIT else games.view(np.recarray)


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

    __slots__ = ("_games", "_history", "_legal", "_raw", "_record", "_rules", "_sampler", "_start", "_to_act")
    __hash__ = None  # type: ignore[assignment]

    _rules: Rules
    _raw: npt.NDArray[np.uint8]
    _record: npt.NDArray[np.void]  # of the rules
    _games: npt.NDArray[np.void]
    _legal: npt.NDArray[np.int64]
    _to_act: npt.NDArray[np.int8]
    _history: tuple[tuple[bytes, _Start], ...]  # records of the finished hands
    _start: _Start | None  # of the hand being played
    _sampler: Sampler | None  # of this position

    def __init__(self, ruleset: str | Rules = "argentino", players: int = 2, **options: object) -> None:
        if isinstance(ruleset, Rules):
            if options or players not in (2, ruleset.players):
                raise TypeError("give either a Rules or a rule set's name, players and options")
            self._rules = ruleset
        else:
            self._rules = Rules(ruleset, players, **options)
        self._attach(np.zeros(_SIZE, dtype=np.uint8))
        self._history = ()
        self._start = None
        self._games["hand_no"], self._games["hand_over"], self._games["phase"] = -1, 1, HAND_OVER
        self._to_act[0] = -1

    def _attach(self, raw: npt.NDArray[np.uint8]) -> None:
        self._raw = raw
        self._record = record_of(self._rules)
        self._games = games = _wrap(raw)
        self._legal = games["legal"]
        self._to_act = games["to_act"]
        self._sampler = None

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
        if kind is None and self._rules.pica_pica and scores is not None:
            kind = kind_at(self._rules, scores)
        if dealer is None and hands is not None:
            dealer = self._rules.players - 1
        self._begin(hands, check_seed(seed), dealer=dealer, scores=scores, won=won, kind=kind, number=1)

    def _begin(
        self,
        hands: Hands | None,
        seed: int,
        *,
        dealer: int | None,
        scores: Sequence[int] | None,
        won: Sequence[int] | None,
        kind: str | None,
        number: int,
    ) -> None:
        raw = np.zeros(_SIZE, dtype=np.uint8)
        games = _wrap(raw)
        entries.begin_match(games, 0, self._record, np.uint64(seed))
        self._set_position(games, dealer=dealer, scores=scores, won=won, kind=kind)
        if hands is None:
            entries.deal_next(games, 0, self._record)
        else:
            games["hand_no"] = number - 1
            self._set_hands(games, hands)
        self._attach(raw)
        self._history = ()
        self._start = self._start_of(games, follows=True)

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
        if self._start is None:
            raise PositionError("there is no hand to follow: begin a match with deal()")
        if not self.hand_over:
            raise PositionError(f"the hand is not over: seat {self.to_act} is to act")
        if self.match_over:
            raise PositionError("the match is over: begin another with deal()")
        raw = self._raw.copy()
        games = _wrap(raw)
        if seed is not None:
            games["seed"] = check_seed(seed)
        follows = dealer is None and scores is None and won is None and kind is None
        if follows and hands is None:
            entries.deal_next(games, 0, self._record)
        else:
            entries.move_deal_on(games, 0, self._record)
            self._set_position(games, dealer=dealer, scores=scores, won=won, kind=kind)
            self._set_hands(games, self._draw_hands(games) if hands is None else hands)
        history = (*self._history, (self._raw.tobytes(), self._start))
        self._attach(raw)
        self._history = history
        self._start = self._start_of(games, follows=follows)

    def _set_position(
        self,
        games: npt.NDArray[np.void],
        *,
        dealer: int | None,
        scores: Sequence[int] | None,
        won: Sequence[int] | None,
        kind: str | None,
    ) -> None:
        rules, accounts = self._rules, self._rules.n_accounts
        if dealer is not None:
            games["dealer"] = check_number(dealer, "dealer", rules.players - 1)
        if scores is not None:
            games["scores"][0, :accounts] = check_scores(rules, scores)
        if won is not None:
            games["won"][0, :accounts] = check_won(rules, won)
        if kind is not None:
            games["kind"] = check_kind(rules, kind)

    def _set_hands(self, games: npt.NDArray[np.void], hands: Hands) -> None:
        """Begin the hand with these cards in ``games``, whose position is set."""
        games["cards"][0, : self._rules.players] = check_hands(self._rules, hands, int(games["dealer"][0]))
        entries.set_up_hand(games, 0, self._record)

    def _draw_hands(self, games: npt.NDArray[np.void]) -> list[list[str]]:
        """The cards that the seed gives for the hand whose position is set in ``games``."""
        raw = games.view(np.uint8).copy()
        before = _wrap(raw)
        before["hand_no"] -= 1
        before["dealer"] = (before["dealer"] - 1) % self._rules.players
        entries.deal_next(before, 0, self._record)
        return self._card_names(before)

    def _card_names(self, games: npt.NDArray[np.void]) -> list[list[str]]:
        cards: list[list[int]] = games["cards"][0, : self._rules.players].tolist()
        return [[card_name(card) for card in hand if card >= 0] for hand in cards]

    def _start_of(self, games: npt.NDArray[np.void], *, follows: bool) -> _Start:
        accounts = self._rules.n_accounts
        return _Start(tuple(games["scores"][0, :accounts].tolist()), tuple(games["won"][0, :accounts].tolist()), follows)

    # Whose turn, and what may be done.

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self._rules

    @property
    def to_act(self) -> int | None:
        """The seat to act; ``None`` when the hand is over."""
        seat = int(self._to_act[0])
        return seat if seat >= 0 else None

    @property
    def phase(self) -> str:
        """The phase of rules.md 1.5, or ``"hand_over"``."""
        return PHASES[self._games["phase"][0]]

    @property
    def legal_actions(self) -> list[Action]:
        """The legal actions of the seat to act, ascending; empty when the hand is over."""
        bits = int(self._legal[0])
        return [action for action in _ACTIONS if bits >> action & 1]

    @property
    def legal(self) -> list[str]:
        """The names of the legal moves of the seat to act, sorted."""
        bits = int(self._legal[0])
        cards: list[int] = self._games["cards"][0, self._to_act[0]].tolist()
        names: list[str] = []
        while bits:
            action = (bits & -bits).bit_length() - 1
            bits &= bits - 1
            if action < _DISCARD_0:
                names.append(card_name(cards[action]))
            elif action < _TRUCO:
                names.append(f"discard:{card_name(cards[action - _DISCARD_0])}")
            else:
                names.append(_NAMES[action])
        return sorted(names)

    def action_name(self, action: SupportsIndex) -> str:
        """Return the name of an action of the seat to act, such as ``"7O"`` for ``Action.PLAY_2``.

        Raises:
            ActionError: there is no such action.
        """
        index = _check_action(action)
        if index >= _TRUCO:
            return _NAMES[index]
        slot = index if index < _DISCARD_0 else index - _DISCARD_0
        card = int(self._games["cards"][0, self._to_act[0], slot])
        if self._to_act[0] < 0 or card < 0:
            return Action(index).name.lower()
        return card_name(card) if index < _DISCARD_0 else f"discard:{card_name(card)}"

    def play(self, move: str | SupportsIndex, *, seat: int | None = None) -> None:
        """Make a move for the seat to act.

        Args:
            move: a name such as ``"7O"``, ``"truco"``, ``"discard:4C"``, or an ``Action``.
            seat: who makes it, if that is to be checked.

        Raises:
            ActionError: ``move`` is no action in any rule set.
            IllegalActionError: it is one, but not legal now. The game is unchanged, as after any error.
        """
        action = self._action_named(move) if isinstance(move, str) else _check_action(move)
        if seat is not None and seat != self._to_act[0]:
            raise self._refusal(move, seat)
        if not entries.try_action(self._games, 0, self._record, action):
            raise self._refusal(move, int(self._to_act[0]))
        self._sampler = None

    def _action_named(self, name: str) -> int:
        """The action of a name, N_ACTIONS for a card that the seat to act does not hold."""
        action = _CALLS.get(name)
        if action is not None:
            return action
        first = 0
        card = _CARD_IDS.get(name)
        if card is None and name.startswith("discard:"):
            first, card = _DISCARD_0, _CARD_IDS.get(name[8:])
        if card is None:
            check_name(name)
        cards: list[int | None] = self._games["cards"][0, self._to_act[0]].tolist()
        slots = 3 if first == 0 else 4
        return first + cards.index(card) if card in cards[:slots] else N_ACTIONS

    def _refusal(self, move: str | SupportsIndex, seat: int) -> IllegalActionError:
        name = move if isinstance(move, str) else self.action_name(move)
        if self._start is None:
            return IllegalActionError(f"{name!r} is not legal: nothing has been dealt")
        if self.hand_over:
            return IllegalActionError(f"{name!r} is not legal: the {'match' if self.match_over else 'hand'} is over")
        if seat != self.to_act:
            return IllegalActionError(f"{name!r} of seat {seat} is not legal: seat {self.to_act} is to act, seat {seat} has no move")
        return IllegalActionError(f"{name!r} of seat {seat} is not legal in phase {self.phase}: legal moves are {', '.join(self.legal)}")

    # What came of it.

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of the leg, by side (A = even seats first), in gallo by seat."""
        return tuple(self._games["scores"][0, : self._rules.n_accounts].tolist())

    @property
    def won(self) -> tuple[int, ...]:
        """Legs (toros, camas, partidas) won, by account like ``scores``."""
        return tuple(self._games["won"][0, : self._rules.n_accounts].tolist())

    @property
    def hand_over(self) -> bool:
        """Whether the hand (in a pica-pica: all its duels) is over, or none was dealt yet."""
        return bool(self._games["hand_over"][0])

    @property
    def match_over(self) -> bool:
        """Whether the match is over."""
        return bool(self._games["match_over"][0])

    @property
    def winner(self) -> Winner:
        """Who won the match: a side (0 = A), in gallo a seat; a tuple of seats where ``gallo_tie`` shares it; ``None`` before."""
        winners = seats_of(int(self._games["winners"][0]))
        if not winners or not self.match_over:
            return None
        return winners[0] if len(winners) == 1 else winners

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._games["dealer"][0])

    @property
    def mano(self) -> int:
        """Mano of the hand, in a pica-pica of the duel."""
        return int(self._games["mano"][0])

    @property
    def kind(self) -> str:
        """normal, redonda or pica."""
        return KINDS[self._games["kind"][0]]

    @property
    def seed(self) -> int:
        """The seed of the deals that are not given."""
        return int(self._games["seed"][0])

    @property
    def hand_number(self) -> int:
        """1 for the first hand of the match, 0 before the first deal."""
        return int(self._games["hand_no"][0]) + 1

    @property
    def events(self) -> list[Event]:
        """All that happened in this hand, in order, with what is secret; ``events_for`` is a seat's share of it."""
        return read_events(self._games, 0, gallo=self._rules.gallo)

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
        if self._start is None:
            raise PositionError("nothing has been dealt")
        return self._read_hand(self._games, self._start)

    @property
    def history(self) -> tuple[Hand, ...]:
        """The finished hands of the match before the current one."""
        return tuple(self._read_hand(_wrap(np.frombuffer(record, dtype=np.uint8)), start) for record, start in self._history)

    def _read_hand(self, games: npt.NDArray[np.void], start: _Start) -> Hand:
        accounts, dealer = self._rules.n_accounts, int(games["dealer"][0])
        deal = self._card_names(games)
        if games["discarded"][0] >= 0:
            deal[dealer] = sorted([*deal[dealer], card_name(int(games["discarded"][0]))], key=parse_card)
        moves = (move_of(event) for event in read_events(games, 0, gallo=self._rules.gallo))
        result = Result(tuple(games["scores"][0, :accounts].tolist()), tuple(games["won"][0, :accounts].tolist()))
        return Hand(
            number=int(games["hand_no"][0]) + 1,
            kind=KINDS[games["kind"][0]],
            dealer=dealer,
            scores=start.scores,
            won=start.won,
            deal=tuple(map(tuple, deal)),
            moves=tuple(move for move in moves if move is not None),
            result=result if games["hand_over"][0] else None,
            follows=start.follows,
            seed=int(games["seed"][0]),
        )

    # What a seat knows.

    def _check_seat(self, seat: int) -> None:
        check_number(seat, "seat", self._rules.players - 1)
        if self._start is None:
            raise PositionError("nothing has been dealt")

    def view(self, seat: int) -> View:
        """Return everything that ``seat`` may know of the hand, and nothing else.

        Raises:
            PositionError: there is no such seat, or nothing has been dealt.
        """
        legal = tuple(self.legal) if seat == self.to_act else ()
        return make_view(self._games, self._rules, seat, tuple(self.events_for(seat)), legal, self.winner)

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
        start, games = self._start, self._games
        assert start is not None
        if self._sampler is None or self._sampler.seat != seat:
            raw = np.zeros(_SIZE, dtype=np.uint8)
            blank = _wrap(raw)
            accounts = self._rules.n_accounts
            blank["scores"][0, :accounts], blank["won"][0, :accounts] = start.scores, start.won
            for name in ("hand_no", "dealer", "kind"):
                blank[name] = games[name]
            self._sampler = Sampler(games, self._record, seat, raw)
        raw = np.zeros(2 * _SIZE, dtype=np.uint8)  # padding between fields is compared too
        raw[_SIZE:] = self._sampler.blank
        self._sampler.draw(_wrap(raw), rng)
        twin = self._blank_copy()
        twin._attach(raw[:_SIZE].copy())
        twin._history = ()
        twin._start = start._replace(follows=True)
        return twin

    # Copying and saving.

    def _blank_copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin._rules = self._rules
        return twin

    def copy(self) -> Self:
        """Return an independent copy: cards, log, history, seed. Both go on with the same deals."""
        twin = self._blank_copy()
        twin._attach(self._raw.copy())
        twin._history = self._history
        twin._start = self._start
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "engine": engine_version(),
            "rules": self._rules,
            "record": self._raw.tobytes(),
            "start": self._start,
            "history": self._history,
            "notation": self.notation(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled game; one of another version of the engine is replayed from its notation."""
        self._rules = state["rules"]
        if state["engine"] == engine_version():
            self._attach(np.frombuffer(state["record"], dtype=np.uint8).copy())
            self._start, self._history = state["start"], state["history"]
        else:
            game = type(self).from_notation(state["notation"])
            self._attach(game._raw)
            self._start, self._history = game._start, game._history

    def __repr__(self) -> str:
        table = f"{self.rules.ruleset}, {self.rules.players} players"
        if self.hand_number == 0:
            return f"<Game {table}: nothing dealt yet>"
        doing = "match over" if self.match_over else "hand over" if self.hand_over else f"seat {self.to_act} to act"
        return f"<Game {table}: hand {self.hand_number}, scores {self.scores}, {doing}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        same = self._rules == other._rules and self._start == other._start and self._history == other._history
        return same and self._raw.tobytes() == other._raw.tobytes()

    def match(self) -> Match:
        """Return the match so far as a value: rules, seed, hands."""
        hands = () if self._start is None else (*self.history, self.hand)
        return Match(self._rules, hands[0].seed if hands else self.seed, hands)

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
        game = cls(match.rules)
        game._games["seed"] = match.seed
        replay_match(game, match)
        return game
