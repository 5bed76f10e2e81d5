"""Moves: what an action of the seat to act is called, which action a name means, and why one is refused."""

from __future__ import annotations

from typing import Final, SupportsIndex

from truco_env.engine import entries
from truco_env.engine.record import PHASES
from truco_env.errors import ActionError, CardError, IllegalActionError
from truco_env.game.table import Table
from truco_env.rules.actions import CALL_NAMES, N_ACTIONS, Action, call_action, check_action
from truco_env.rules.cards import N_CARDS, card_name, parse_card

_CALLS: Final = {name: int(action) for action, name in CALL_NAMES.items()}
_NAMES: Final = [CALL_NAMES.get(action, "") for action in Action]
_CARD_IDS: Final = {card_name(card): card for card in range(N_CARDS)}
_DISCARD: Final = "discard:"
_DISCARD_0: Final = int(Action.DISCARD_0)
_TRUCO: Final = int(Action.TRUCO)


def check_name(name: str) -> None:
    """Check that a text is the name of a move in some rule set.

    Raises:
        ActionError: it is not.
    """
    card = name.removeprefix(_DISCARD)
    if card[:1].isdigit() or card != name:
        try:
            parse_card(card)
        except CardError as error:
            raise ActionError(f"{name!r} is no action: {error}") from error
        return
    call_action(name)


def legal_names(table: Table) -> list[str]:
    """Return the names of the legal moves of the seat to act, sorted."""
    bits = int(table.legal[0])
    cards: list[int] = table.games["cards"][0, table.to_act[0]].tolist()
    names: list[str] = []
    while bits:
        action = (bits & -bits).bit_length() - 1
        bits &= bits - 1
        if action < _DISCARD_0:
            names.append(card_name(cards[action]))
        elif action < _TRUCO:
            names.append(_DISCARD + card_name(cards[action - _DISCARD_0]))
        else:
            names.append(_NAMES[action])
    return sorted(names)


def action_name(table: Table, action: SupportsIndex) -> str:
    """Return the name of an action of the seat to act; of a slot without a card it is ``play_2`` or ``discard_2``.

    Raises:
        ActionError: there is no such action.
    """
    index = check_action(action)
    if index >= _TRUCO:
        return _NAMES[index]
    first, prefix = (0, "") if index < _DISCARD_0 else (_DISCARD_0, _DISCARD)
    card = int(table.games["cards"][0, table.to_act[0], index - first]) if table.to_act[0] >= 0 else -1
    return prefix + card_name(card) if card >= 0 else Action(index).name.lower()


def action_named(table: Table, name: str) -> int:
    """Return the action of a name, N_ACTIONS for a card that the seat to act does not hold.

    Raises:
        ActionError: the text is no action in any rule set.
    """
    action = _CALLS.get(name)
    if action is not None:
        return action
    first = 0
    card = _CARD_IDS.get(name)
    if card is None and name.startswith(_DISCARD):
        first, card = _DISCARD_0, _CARD_IDS.get(name[len(_DISCARD) :])
    if card is None:
        check_name(name)
    cards: list[int | None] = table.games["cards"][0, table.to_act[0]].tolist()
    slots = 3 if first == 0 else 4
    return first + cards.index(card) if card in cards[:slots] else N_ACTIONS


def make_move(table: Table, move: str | SupportsIndex, seat: int | None = None) -> None:
    """Make a move, by name or id, for the seat to act; ``seat`` is who makes it, if that is to be checked.

    Raises:
        ActionError: it is no action in any rule set.
        IllegalActionError: it is one, but not legal now. The game is unchanged, as after any error.
    """
    action = action_named(table, move) if isinstance(move, str) else check_action(move)
    if seat is not None and seat != table.to_act[0]:
        raise _refusal(table, move, seat)
    if not entries.try_action(table.games, 0, table.record, action):
        raise _refusal(table, move, int(table.to_act[0]))


def _refusal(table: Table, move: str | SupportsIndex, seat: int) -> IllegalActionError:
    name = move if isinstance(move, str) else action_name(table, move)
    if table["hand_no"] < 0:
        return IllegalActionError(f"{name!r} is not legal: nothing has been dealt")
    if table["hand_over"]:
        return IllegalActionError(f"{name!r} is not legal: the {'match' if table['match_over'] else 'hand'} is over")
    to_act = table["to_act"]
    if seat != to_act:
        return IllegalActionError(f"{name!r} of seat {seat} is not legal: seat {to_act} is to act, seat {seat} has no move")
    phase, legal = PHASES[table["phase"]], ", ".join(legal_names(table))
    return IllegalActionError(f"{name!r} of seat {seat} is not legal in phase {phase}: legal moves are {legal}")
