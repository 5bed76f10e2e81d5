"""Position: what stands before a hand, and the cards that are dealt in it, checked with an error that says what is allowed."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from truco_env.engine.record import KINDS, PICA, REDONDA
from truco_env.errors import CardError, PositionError, show
from truco_env.rules.cards import DECKS, card_name, parse_card
from truco_env.rules.options import Rules

Hands: TypeAlias = Sequence[str | Sequence[str]]  #: cards by seat, as ``"7O 6O 4C"`` or as a list of names

MAX_SEED: Final = 2**64 - 1
_MAX_SCORE: Final = 9999


def check_number(value: object, name: str, most: int) -> int:
    """Return ``value`` as an int from 0 to ``most``.

    Raises:
        PositionError: it is none.
    """
    number: Any = value
    try:
        index = -1 if isinstance(value, bool) else operator.index(number)
    except TypeError:
        index = -1
    if not 0 <= index <= most:
        raise PositionError(f"{name}={show(value)} is not possible: it is a whole number from 0 to {most}")
    return index


def check_seed(seed: int | None) -> int:
    """Return a match seed, drawn from the system's entropy for ``None``.

    Raises:
        PositionError: it is no whole number from 0 to 2**64 - 1.
    """
    return secrets.randbits(64) if seed is None else check_number(seed, "seed", MAX_SEED)


class Position(NamedTuple):
    """What stands before a hand. A part that is None is as the rules say.

    >>> str(Position(1, (0, 14), (0, 0), "normal"))
    'normal dealer 1 scores 0 14 won 0 0'
    """

    dealer: int | None = None
    """The seat that deals."""
    scores: Sequence[int] | None = None
    """Points of the leg, by side, in gallo by seat."""
    won: Sequence[int] | None = None
    """Legs won, by account like ``scores``."""
    kind: str | None = None
    """normal; with ``pica_pica`` redonda or pica."""

    def __str__(self) -> str:
        scores, won = (" ".join(map(str, values or ())) for values in (self.scores, self.won))
        return f"{self.kind} dealer {self.dealer} scores {scores} won {won}"

    @property
    def as_ruled(self) -> bool:
        """Whether nothing is set up."""
        return self.dealer is None and self.scores is None and self.won is None and self.kind is None

    def check(self, rules: Rules) -> Position:
        """Return it with plain numbers and tuples, each part checked.

        Scores are below the target, or tied at the top where another hand decides that (rules.md 1.8, 6.2); legs are fewer than win the
        match; a kind is one that the table has (rules.md 6.1).

        Raises:
            PositionError: a part that cannot be.
        """
        return Position(
            None if self.dealer is None else check_number(self.dealer, "dealer", rules.players - 1),
            None if self.scores is None else _check_scores(rules, self.scores),
            None if self.won is None else tuple(_by_account(rules, self.won, "won", rules.legs_to_win - 1)),
            None if self.kind is None else _check_kind(rules, self.kind),
        )

    def of_first_hand(self, rules: Rules, *, dealt: bool) -> Position:
        """Return it with what is usual for the first hand of a match that is set up.

        With ``dealt`` cards the last seat deals, so that seat 0 is mano. With ``pica_pica`` and given scores the hand is a pica-pica if
        the leading score is in the band, else a redonda (rules.md 6.1).

        Raises:
            PositionError: scores that cannot be.
        """
        if not dealt and self.as_ruled:
            return self
        dealer, kind = self.dealer, self.kind
        if dealer is None and dealt:
            dealer = rules.players - 1
        if kind is None and rules.pica_pica and self.scores is not None:
            low, high = rules.band
            kind = KINDS[PICA if low <= max(_check_scores(rules, self.scores)) < high else REDONDA]
        return Position(dealer, self.scores, self.won, kind)


#: The position in which nothing is set up.
AS_RULED: Final = Position()


def position_of(dealer: int | None, scores: Sequence[int] | None, won: Sequence[int] | None, kind: str | None) -> Position:
    """Return the position of these parts; ``AS_RULED`` itself, which costs nothing, where none is given."""
    if dealer is None and scores is None and won is None and kind is None:
        return AS_RULED
    return Position(dealer, scores, won, kind)


def _by_account(rules: Rules, values: Sequence[int], name: str, most: int) -> tuple[int, ...]:
    listed = None if isinstance(values, str | Mapping) else _as_list(values)
    if listed is None or len(listed) != rules.n_accounts:
        owner = "seat" if rules.gallo else "side"
        raise PositionError(f"{name}={show(values)} is not possible: it is {rules.n_accounts} numbers, one for each {owner}")
    return tuple(check_number(value, "a score" if name == "scores" else "legs won", most) for value in listed)


def _check_scores(rules: Rules, scores: Sequence[int]) -> tuple[int, ...]:
    checked = _by_account(rules, scores, "scores", _MAX_SCORE)
    best = max(checked)
    goes_on = rules.scoring_time == "end_of_hand" or (rules.gallo and rules.gallo_tie == "extra_hand")
    if best >= rules.leg_target and not (goes_on and checked.count(best) > 1):
        raise PositionError(f"scores={show(scores)} is not possible before a hand: the leg ends at {rules.leg_target}")
    return checked


def _check_kind(rules: Rules, kind: str) -> str:
    allowed = KINDS[REDONDA:] if rules.pica_pica else KINDS[:REDONDA]
    if kind not in allowed:
        raise PositionError(f"kind={show(kind)} is not possible at this table: it is {' or '.join(allowed)}")
    return kind


def check_hands(rules: Rules, hands: Hands, dealer: int) -> list[list[int]]:
    """Return a deal as card ids by seat, each hand padded with -1 to four.

    Args:
        rules: the rules of the table.
        hands: three cards for each seat; gallo's dealer may have the fourth that he will discard (rules.md 6.2).
        dealer: the seat that deals.

    Raises:
        CardError: a card that is none, not of the deck, or dealt twice, or a wrong number of cards or hands.
    """
    listed = None if isinstance(hands, str | Mapping) else _as_list(hands)
    if listed is None or len(listed) != rules.players:
        raise CardError(f"a deal at this table is {rules.players} hands, as in ['7O 6O 4C', ...], not {show(hands)}")
    deck = set(DECKS[rules.deck].tolist())
    owners: dict[int, int] = {}
    dealt: list[list[int]] = []
    for seat, hand in enumerate(listed):
        names = hand.split() if isinstance(hand, str) else _as_list(hand)
        most = 4 if rules.gallo and seat == dealer else 3
        if names is None or not 3 <= len(names) <= most:
            wanted = "three cards, or four before the discard" if most == 4 else "three cards"
            raise CardError(f"seat {seat} must have {wanted}, not {show(hand)}")
        cards = [parse_card(name if isinstance(name, str) else str(name)) for name in names]
        for card in cards:
            if card not in deck:
                raise CardError(f"seat {seat} has {card_name(card)}, which is not in the deck of {rules.ruleset}: {_deck_text(rules)}")
            if card in owners:
                other = "twice" if owners[card] == seat else f"as well as seat {owners[card]}"
                raise CardError(f"seat {seat} has {card_name(card)} {other}")
            owners[card] = seat
        dealt.append(cards + [-1] * (4 - len(cards)))
    return dealt


def _as_list(values: Any) -> list[Any] | None:
    try:
        return list(values)
    except TypeError:
        return None


def _deck_text(rules: Rules) -> str:
    ranks: dict[int, str] = {}
    for card in DECKS[rules.deck].tolist():
        ranks[card // 4 + 1] = ranks.get(card // 4 + 1, "") + card_name(card)[-1]
    return ", ".join(f"{rank}" if len(suits) == 4 else f"{rank} of {suits}" for rank, suits in ranks.items())
