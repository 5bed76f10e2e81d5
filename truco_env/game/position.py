"""Position: what can stand before a hand and be dealt in it, checked with an error that says what is allowed."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from truco_env.engine.record import KINDS, PICA, REDONDA
from truco_env.errors import CardError, PositionError
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
        raise PositionError(f"{name}={_shorten(value)} is not possible: it is a whole number from 0 to {most}")
    return index


def check_seed(seed: int | None) -> int:
    """Return a match seed, drawn from the system's entropy for ``None``.

    Raises:
        PositionError: it is no whole number from 0 to 2**64 - 1.
    """
    return secrets.randbits(64) if seed is None else check_number(seed, "seed", MAX_SEED)


def _by_account(rules: Rules, values: Sequence[int], name: str) -> list[int]:
    listed = None if isinstance(values, str | Mapping) else _as_list(values)
    if listed is None or len(listed) != rules.n_accounts:
        owner = "seat" if rules.gallo else "side"
        raise PositionError(f"{name}={_shorten(values)} is not possible: it is {rules.n_accounts} numbers, one for each {owner}")
    return listed


def check_scores(rules: Rules, scores: Sequence[int]) -> list[int]:
    """Return scores that can stand before a hand: below the target, or tied at the top where another hand decides that (1.8, 6.2).

    Raises:
        PositionError: they cannot, or are not one number for each account.
    """
    checked = [check_number(score, "a score", _MAX_SCORE) for score in _by_account(rules, scores, "scores")]
    best = max(checked)
    goes_on = rules.scoring_time == "end_of_hand" or (rules.gallo and rules.gallo_tie == "extra_hand")
    if best >= rules.leg_target and not (goes_on and checked.count(best) > 1):
        raise PositionError(f"scores={_shorten(scores)} is not possible before a hand: the leg ends at {rules.leg_target}")
    return checked


def check_won(rules: Rules, won: Sequence[int]) -> list[int]:
    """Return legs that can have been won in an unfinished match.

    Raises:
        PositionError: they cannot, or are not one number for each account.
    """
    return [check_number(legs, "legs won", rules.legs_to_win - 1) for legs in _by_account(rules, won, "won")]


def check_kind(rules: Rules, kind: str) -> int:
    """Return the code of a kind of deal: redonda or pica with ``pica_pica``, else normal (rules.md 6.1).

    Raises:
        PositionError: the table has no such deals.
    """
    allowed = KINDS[REDONDA:] if rules.pica_pica else KINDS[:REDONDA]
    if kind not in allowed:
        raise PositionError(f"kind={_shorten(kind)} is not possible at this table: it is {' or '.join(allowed)}")
    return KINDS.index(kind)


def kind_at(rules: Rules, scores: Sequence[int]) -> str:
    """Return what a hand set up at ``scores`` is with ``pica_pica``: a pica-pica if the leading score is in the band."""
    low, high = rules.band
    return KINDS[PICA if low <= max(check_scores(rules, scores)) < high else REDONDA]


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
        raise CardError(f"a deal at this table is {rules.players} hands, as in ['7O 6O 4C', ...], not {_shorten(hands)}")
    deck = set(DECKS[rules.deck].tolist())
    owners: dict[int, int] = {}
    dealt: list[list[int]] = []
    for seat, hand in enumerate(listed):
        names = hand.split() if isinstance(hand, str) else _as_list(hand)
        most = 4 if rules.gallo and seat == dealer else 3
        if names is None or not 3 <= len(names) <= most:
            wanted = "three cards, or four before the discard" if most == 4 else "three cards"
            raise CardError(f"seat {seat} must have {wanted}, not {_shorten(hand)}")
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


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
