"""What ``reset(options=...)`` may set up: the keys that environments take, and the deals that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from truco_env.errors import PositionError, show
from truco_env.game.game import Game
from truco_env.game.position import check_hands, check_number
from truco_env.rules.options import Rules

DEALS: Final = "deals"
#: What ``Game.deal`` calls the same.
POSITION: Final = ("dealer", "scores", "won", "kind")


def check_reset_options(options: Mapping[str, Any] | None, *, others: Sequence[str] = (), ignored: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options of a ``reset`` that are set: all that are given and not None.

    Args:
        options: what the caller of ``reset`` gave.
        others: keys that this environment takes besides ``deals``, ``dealer``, ``scores``, ``won`` and ``kind``.
        ignored: keys that it accepts, and leaves out of what is returned.

    Raises:
        PositionError: an unknown key, or not a mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise PositionError(f"options={show(options)} is not possible: give a mapping from names to values")
    known = (DEALS, *POSITION, *others)
    for name in options:
        if name not in known and name not in ignored:
            near = get_close_matches(str(name), known, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise PositionError(f"unknown reset option {show(name)}: {hint}choose from {', '.join(known)}")
    return {name: value for name, value in options.items() if value is not None and name not in ignored}


def check_deals(rules: Rules, deals: object, dealer: object, *, episode: str) -> list[list[Any]]:
    """Return the deals of a match's first hands, each a list of hands by seat.

    Args:
        rules: the rules of the table.
        deals: what the caller of ``reset`` gave; None for no deal.
        dealer: who deals the first hand, None for the last seat. In gallo it settles who may have four cards, as the deal passes on.
        episode: ``"match"`` or ``"hand"``; the latter has one deal.

    Raises:
        CardError: a wrong card or hand; the message says in which deal.
        PositionError: not a list, more deals than the episode has, or a dealer who is not at the table.
    """
    if deals is None:
        return []
    if isinstance(deals, str | bytes) or not isinstance(deals, Sequence):
        raise PositionError(f"deals={show(deals)} is not possible: give a list of deals, each with a hand for every seat")
    if len(deals) > 1 and episode == "hand":
        raise PositionError(f"{len(deals)} deals for one hand: episode='hand' has one deal")
    n = rules.players
    first = n - 1 if dealer is None else check_number(dealer, "dealer", n - 1)
    for k, deal in enumerate(deals):
        try:
            check_hands(rules, deal, (first + k) % n)
        except ValueError as error:
            raise type(error)(f"deal {k}: {error}") from None
    return [list(deal) for deal in deals]


def check_opening(rules: Rules, options: Mapping[str, Any] | None, *, episode: str, others: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options of a ``reset`` that are set, all of them checked: what is returned can be dealt.

    Raises:
        CardError: a wrong card or hand.
        PositionError: an unknown key, or another value that cannot be.
    """
    given = check_reset_options(options, others=others)
    position = {name: value for name, value in given.items() if name in POSITION}
    deals = check_deals(rules, given.get(DEALS), position.get("dealer"), episode=episode)
    if deals or position:
        Game(rules).deal(deals[0] if deals else None, seed=0, **position)
    return given
