"""Table: the bytes of one game, and the few things that are done to them: deal, set up, copy."""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from truco_env.engine import entries
from truco_env.engine.jit import with_fields
from truco_env.engine.record import GAME_DTYPE, HAND_OVER, KINDS
from truco_env.engine.rules_record import record_of
from truco_env.game.position import Hands, Position, check_hands
from truco_env.rules.cards import card_name
from truco_env.rules.options import Rules

SIZE: Final = GAME_DTYPE.itemsize  #: bytes of one game


def wrap(raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.void]:
    """Return the game records that lie in ``raw``, uint8 of shape (k * SIZE,), without copying them."""
    return with_fields(np.ndarray(len(raw) // SIZE, GAME_DTYPE, raw))


class Table:
    """One game as bytes. Nothing is checked but positions and cards; ``moves.make_move`` carries out an action.

    Args:
        rules: the rules of the table.
        raw: where the game lies, uint8 (SIZE,); by default a game in which nothing has been dealt, in memory of its own.

    Attributes:
        rules: the rules of the table.
        accounts: number of its running scores.
        raw: the bytes.
        record: the compiled rules, one ``RULES_DTYPE`` record.
        games: the bytes as an array of one ``GAME_DTYPE`` record.
        legal: its legal actions as a bit mask, int64 (1,).
        to_act: the seat to act, -1 for nobody, int8 (1,).
    """

    __slots__ = ("accounts", "games", "legal", "raw", "record", "rules", "to_act")

    rules: Rules
    accounts: int
    raw: npt.NDArray[np.uint8]
    record: npt.NDArray[np.void]
    games: npt.NDArray[np.void]
    legal: npt.NDArray[np.int64]
    to_act: npt.NDArray[np.int8]

    def __init__(self, rules: Rules, raw: npt.NDArray[np.uint8] | None = None) -> None:
        self.rules = rules
        self.accounts = rules.n_accounts
        self.record = record_of(rules)
        self.raw = np.zeros(SIZE, dtype=np.uint8) if raw is None else raw
        self.games = games = wrap(self.raw)
        self.legal, self.to_act = games["legal"], games["to_act"]
        if raw is None:
            games["hand_no"], games["hand_over"], games["phase"] = -1, 1, HAND_OVER
            self.to_act[0] = -1

    def copy(self) -> Self:
        """Return an independent copy, in memory of its own."""
        return self.beside(self.raw.copy())

    def beside(self, raw: npt.NDArray[np.uint8]) -> Self:
        """Return the game that lies in ``raw``, uint8 (SIZE,), at a table of the same rules."""
        twin = self.__class__.__new__(self.__class__)  # searches copy often: the rules need not be looked up again
        twin.rules, twin.accounts, twin.record, twin.raw = self.rules, self.accounts, self.record, raw
        twin.games = games = with_fields(np.ndarray(1, GAME_DTYPE, raw))
        twin.legal, twin.to_act = games["legal"], games["to_act"]
        return twin

    def blank(self) -> Self:
        """Return a game at a table of the same rules whose bytes are all zero, as ``begin`` wants it."""
        return self.beside(np.zeros(SIZE, dtype=np.uint8))

    # Dealing.

    def begin(self, seed: int, position: Position, hands: Hands | None = None, *, number: int = 1) -> None:
        """Begin a match in bytes that are all zero, and deal its first hand.

        Args:
            seed: the seed of the match.
            position: what is set up; a part that is None is as the rules say.
            hands: the cards by seat; by default drawn from the seed.
            number: which hand of its match the given hands are, from 1.

        Raises:
            CardError: a deal that cannot be.
            PositionError: a position that cannot be.
        """
        entries.begin_match(self.games, 0, self.record, np.uint64(seed))
        self._set_position(position)
        if hands is None:
            entries.deal_next(self.games, 0, self.record)
        else:
            self.games["hand_no"] = number - 1
            self.set_hands(hands)

    def deal_on(self, position: Position, hands: Hands | None = None) -> None:
        """Deal the hand after a finished one.

        Args:
            position: what is set up instead of what follows from the rules.
            hands: the cards by seat; by default drawn from the seed, for the position that is set up.

        Raises:
            CardError: a deal that cannot be.
            PositionError: a position that cannot be.
        """
        if hands is None and position.as_ruled:
            entries.deal_next(self.games, 0, self.record)
            return
        entries.move_deal_on(self.games, 0, self.record)
        self._set_position(position)
        self.set_hands(self._draw_hands() if hands is None else hands)

    def _set_position(self, position: Position) -> None:
        """Write what is given of a position, once all of it has been checked."""
        if position.as_ruled:
            return
        games, accounts, checked = self.games, self.accounts, position.check(self.rules)
        if checked.dealer is not None:
            games["dealer"] = checked.dealer
        if checked.scores is not None:
            games["scores"][0, :accounts] = checked.scores
        if checked.won is not None:
            games["won"][0, :accounts] = checked.won
        if checked.kind is not None:
            games["kind"] = KINDS.index(checked.kind)

    def set_hands(self, hands: Hands) -> None:
        """Begin the hand with these cards; dealer, kind, scores and legs are set.

        Raises:
            CardError: a deal that cannot be.
        """
        self.games["cards"][0, : self.rules.players] = check_hands(self.rules, hands, int(self.games["dealer"][0]))
        entries.set_up_hand(self.games, 0, self.record)

    def _draw_hands(self) -> list[list[str]]:
        """The cards that the seed gives for the hand whose position is set."""
        before = self.copy()
        before.games["hand_no"] -= 1
        before.games["dealer"] = (before.games["dealer"] - 1) % self.rules.players
        entries.deal_next(before.games, 0, self.record)
        return before.hands()

    # Reading.

    def __getitem__(self, name: str) -> Any:
        """Return a field of the game as a plain number, or as a list where it has several entries."""
        return self.games[name].tolist()[0]

    def hands(self) -> list[list[str]]:
        """Return the dealt cards by seat (gallo's dealer: those kept)."""
        return [[card_name(card) for card in hand if card >= 0] for hand in self["cards"][: self.rules.players]]

    def scores(self) -> tuple[int, ...]:
        """Return the points of the leg, by account."""
        return tuple(self.games["scores"][0, : self.accounts].tolist())

    def won(self) -> tuple[int, ...]:
        """Return the legs won, by account."""
        return tuple(self.games["won"][0, : self.accounts].tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.rules == other.rules and self.raw.tobytes() == other.raw.tobytes()

    __hash__ = None  # type: ignore[assignment]
