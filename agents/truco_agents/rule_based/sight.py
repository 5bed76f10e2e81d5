"""What a seat sees, read from its observation into named numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_agents.rule_based.duel import N_KINDS
from truco_env.engine.jit import hot_rule, rule
from truco_env.observation.layout import CARD_WIDTH, F
from truco_env.rules.actions import Action
from truco_env.rules.cards import N_TIERS

NOBODY: Final = 0
US: Final = 1
THEM: Final = 2
BOTH: Final = 3  #: parda

DISCARDING, FLOR_ASKED, FLOR_POLLED, ENVIDO_ASKED, TRUCO_ASKED, AT_TURN = range(6)

SIGHT_DTYPE: Final = np.dtype(
    [
        ("phase", np.int8),
        # My cards.
        ("dealt", np.int8, 3),  # ranks of the three cards, weakest first
        ("cards", np.int8, 4),  # ranks of those held, weakest first
        ("held", np.int8, 4),  # their slots
        ("n_held", np.int8),
        ("envido", np.int8),
        ("flor", np.int8),
        # The seats.
        ("mates", np.int8),  # active, without me
        ("rivals", np.int8),
        ("mates_to_play", np.int8),  # active and still owing a card to this trick, without me
        ("rivals_to_play", np.int8),
        ("i_play", np.int8),  # I still owe a card to this trick
        ("i_lead", np.int8),  # I led or lead this trick
        ("duel", np.int8),  # one against one from the deal on
        ("we_are_mano", np.int8),
        ("nearest", np.int8),  # no rival is nearer to mano than I
        # The tricks.
        ("trick", np.int8),
        ("won", np.int8, 2),  # US, THEM, BOTH or NOBODY, of the first two tricks
        ("top", np.int8),  # best tier on the table in this trick
        ("top_side", np.int8),
        ("mate_card", np.int8),  # best tier that a team-mate is known to hold
        ("rival_card", np.int8),  # ... and a rival who is still to play in this trick
        # The truco.
        ("rung", np.int8),  # accepted
        ("waits", np.int8),  # rung that waits for an answer
        ("caller", np.int8, 4),  # US or THEM, by rung
        # The envido.
        ("envidos", np.int8),  # calls in the chain
        ("stake_us", np.int8),
        ("stake_them", np.int8),
        ("refused", np.int8),
        ("mate_number", np.int8),  # least number that a team-mate has signed
        # The flor.
        ("flor_rung", np.int8),  # 0 none, 1 flor, 2 contraflor, 3 al resto
        ("flor_contra", np.int8),
        # The score: of my side and of the nearest rival to the end.
        ("to_go_us", np.int16),
        ("to_go_them", np.int16),
        ("won_us", np.int8),  # legs
        ("won_them", np.int8),
        # As the engine names them, for the value of a falta: 0 = we, 1 = they.
        ("kind", np.int8),
        ("start_scores", np.int16, 3),
        # What beliefs.py and judge.py make of it, by kind of rival holding.
        ("belief", np.float64, N_KINDS),
        ("share", np.float64, N_KINDS),  # how often they have it
        ("win", np.float64, N_KINDS),  # ... and we win nevertheless
        ("choice", np.int8),  # the card to play, by its place in ``cards``; -1 = none to play
        ("chance", np.float64),  # our chance with it
    ],
    align=True,
)

(
    _HAND, _HELD, _ENVIDO, _FLOR, _TABLE, _BEST, _TRICK_WON, _TRICK, _LEADER, _MANO, _TURN, _ACTIVE, _PHASE, _TRUCO_ACCEPTED, _TRUCO_WAITS,
    _TRUCO_CALLER, _ENVIDO_CALL, _ENVIDO_STAKE, _ENVIDO_REFUSED, _FLOR_RUNG, _FLOR_CONTRA, _SCORE, _TO_GO,
    _WON, _UNPOSTED, _KIND, _SENAS,
) = (
    int(field)
    for field in (
        F.HAND, F.HELD, F.ENVIDO, F.FLOR, F.TABLE, F.BEST, F.TRICK_WON, F.TRICK, F.LEADER, F.MANO, F.TURN, F.ACTIVE, F.PHASE,
        F.TRUCO_ACCEPTED, F.TRUCO_WAITS, F.TRUCO_CALLER, F.ENVIDO_CALL, F.ENVIDO_STAKE,
        F.ENVIDO_REFUSED, F.FLOR_RUNG, F.FLOR_CONTRA, F.SCORE, F.TO_GO, F.WON, F.UNPOSTED, F.KIND, F.SENAS,
    )
)  # fmt: skip
_SIZE: Final = len(F)
_PICA: Final = 2
SENA_TIERS: Final = np.array([14, 13, 12, 11, 10, 9, 8, 7, 6, 5], dtype=np.int8)  # of the first ten señas
_N_SENAS: Final = 13
_TANTO_27: Final = int(Action.SENA_TANTO_27) - int(Action.SENA_AS_ESPADAS)


@rule
def look(o: Any, at: Any, players: int, s: Any) -> None:
    """Read what the phase asks for from an observation (int8, layout offsets ``at``) into ``s``, a ``SIGHT_DTYPE`` record."""
    s.phase = _where(o, at[_PHASE], 7)
    if s.phase == FLOR_POLLED:
        return
    s.trick = max(_where(o, at[_TRICK], 3), 0)
    mano = _where(o, at[_MANO], players)
    _see_seats(o, at, players, mano, s)
    _see_score(o, at, players, mano, s)
    s.envido, s.flor = o[at[_ENVIDO]], o[at[_FLOR]]
    if s.phase == ENVIDO_ASKED:
        _see_chain(o, at, s)
    elif s.phase == FLOR_ASKED:
        s.flor_rung = 1 + _where(o, at[_FLOR_RUNG], 3)
        s.flor_contra = o[at[_FLOR_CONTRA]]
    else:
        _see_my_cards(o, at, s)
        _see_table(o, at, players, mano, s)
        _see_ladder(o, at, players, mano, s)


@hot_rule
def _where(o: Any, start: int, size: int) -> int:
    """Which of ``size`` entries is set, -1 for none. Without branches: they would be mispredicted.

    Of several it is the last at most, so that a vector that is no observation leads nowhere beyond a table.
    """
    place = -1
    for i in range(size):
        place += (i + 1) * o[start + i]
    return min(place, size - 1)


@hot_rule
def tier_of(o: Any, at: Any, slot: int) -> int:
    """The rank of my card in a slot, 0 for none."""
    return _where(o, at[_HAND] + slot * CARD_WIDTH, N_TIERS) + 1


@hot_rule
def suit_of(o: Any, at: Any, slot: int) -> int:
    """The suit of my card in a slot, -1 for none."""
    return _where(o, at[_HAND] + slot * CARD_WIDTH + N_TIERS, 4)


@hot_rule
def _see_my_cards(o: Any, at: Any, s: Any) -> None:
    """Sort my cards by rank (a rank and its slot as one number; without branches)."""
    a, b, c = 4 * tier_of(o, at, 0), 4 * tier_of(o, at, 1) + 1, 4 * tier_of(o, at, 2) + 2
    low, high = min(a, b), max(a, b)
    middle = max(low, c)
    s.n_held = 0
    _see_card(o, at, 0, min(low, c), s)
    _see_card(o, at, 1, min(high, middle), s)
    _see_card(o, at, 2, max(high, middle), s)


@hot_rule
def _see_card(o: Any, at: Any, place: int, card: int, s: Any) -> None:
    s.dealt[place] = card >> 2
    s.held[s.n_held] = card & 3
    s.cards[s.n_held] = card >> 2
    s.n_held += o[at[_HELD] + (card & 3)]


@hot_rule
def is_mate(seat: int, mano: int, players: int) -> bool:
    """Whether a seat (0 = me) plays on my side; in gallo the dealer, two after mano, is alone."""
    if players != 3:
        return seat % 2 == 0
    dealer = (mano + 2) % 3
    return (seat == dealer) == (dealer == 0)


@hot_rule
def _see_seats(o: Any, at: Any, players: int, mano: int, s: Any) -> None:
    leader, turn = _where(o, at[_LEADER], players), _where(o, at[_TURN], players)
    s.kind = _where(o, at[_KIND], 3) if at[_KIND + 1] > at[_KIND] else 0
    s.we_are_mano = is_mate(mano, mano, players)
    s.mates, s.rivals, s.mates_to_play, s.rivals_to_play, s.i_play = 0, 0, 0, 0, 0
    s.i_lead = leader == 0
    s.duel = players == 2 or s.kind == _PICA
    to_come = leader - turn if leader > turn else leader - turn + players  # seats from turn on that have not played in this trick
    nearest = players
    for seat in range(players):
        if not o[at[_ACTIVE] + seat]:
            continue
        owes = (seat - turn if seat >= turn else seat - turn + players) < to_come
        if seat == 0:
            s.i_play = owes
        elif is_mate(seat, mano, players):
            s.mates += 1
            s.mates_to_play += owes
        else:
            s.rivals += 1
            s.rivals_to_play += owes
            nearest = min(nearest, seat - mano if seat >= mano else seat - mano + players)
    s.nearest = (players - mano if mano else 0) < nearest
    s.mate_card, s.rival_card, s.mate_number = 0, 0, 0
    if at[_SIZE] > at[_SENAS]:
        _see_senas(o, at, players, mano, s)


@hot_rule
def _see_table(o: Any, at: Any, players: int, mano: int, s: Any) -> None:
    for trick in range(2):
        s.won[trick] = 1 + _where(o, at[_TRICK_WON] + 3 * trick, 3)
    s.top, s.top_side = 0, NOBODY
    for seat in range(players):
        if o[at[_BEST] + seat]:
            s.top_side = int(s.top_side) | (US if is_mate(seat, mano, players) else THEM)
            s.top = 1 + _where(o, at[_TABLE] + (int(s.trick) * players + seat) * CARD_WIDTH, N_TIERS)


@rule
def _see_senas(o: Any, at: Any, players: int, mano: int, s: Any) -> None:
    """Take señas at their word, as long as the card has not been played; a rival's, as long as it may still come in this trick."""
    for seat in range(1, players):
        if not o[at[_ACTIVE] + seat]:
            continue
        mate = is_mate(seat, mano, players)
        for trick in range(int(s.trick) + 1):
            sign = _where(o, at[_SENAS] + (seat * 3 + trick) * _N_SENAS, _N_SENAS)
            if sign < 0:
                continue
            if sign >= _TANTO_27:
                if mate:
                    s.mate_number = max(int(s.mate_number), 27 + 3 * (sign - _TANTO_27))
            elif sign < len(SENA_TIERS) and not _has_played(o, at, players, seat, trick, int(s.trick), int(SENA_TIERS[sign])):
                if mate:
                    s.mate_card = max(int(s.mate_card), int(SENA_TIERS[sign]))
                elif _is_to_play(o, at, players, seat, int(s.trick)):
                    s.rival_card = max(int(s.rival_card), int(SENA_TIERS[sign]))


@rule
def _is_to_play(o: Any, at: Any, players: int, seat: int, trick: int) -> bool:
    """Whether a seat has no card in this trick yet: what it shows of its hand can still beat us here."""
    return int(_where(o, at[_TABLE] + (trick * players + seat) * CARD_WIDTH, N_TIERS)) < 0


@rule
def _has_played(o: Any, at: Any, players: int, seat: int, first: int, last: int, tier: int) -> bool:
    played = 0
    for trick in range(first, last + 1):
        played += o[at[_TABLE] + (trick * players + seat) * CARD_WIDTH + tier - 1]
    return played > 0


@hot_rule
def _see_ladder(o: Any, at: Any, players: int, mano: int, s: Any) -> None:
    s.rung = _where(o, at[_TRUCO_ACCEPTED], 5)
    s.waits = 1 + _where(o, at[_TRUCO_WAITS], 4)
    for rung in range(max(int(s.rung), int(s.waits))):
        caller = _where(o, at[_TRUCO_CALLER] + rung * players, players)
        s.caller[rung] = US if is_mate(caller, mano, players) else THEM
    s.envidos = 0


@rule
def _see_chain(o: Any, at: Any, s: Any) -> None:
    s.envidos = 0
    while s.envidos < 4 and _where(o, at[_ENVIDO_CALL] + 4 * int(s.envidos), 4) >= 0:
        s.envidos += 1
    s.stake_us, s.stake_them, s.refused = o[at[_ENVIDO_STAKE]], o[at[_ENVIDO_STAKE] + 1], o[at[_ENVIDO_REFUSED]]


@hot_rule
def _see_score(o: Any, at: Any, players: int, mano: int, s: Any) -> None:
    rival, least = 1, 128
    for account in range(1, 3 if players == 3 else 2):
        s.start_scores[account] = o[at[_SCORE] + account]
        if (players != 3 or not is_mate(account, mano, players)) and o[at[_TO_GO] + account] < least:
            rival, least = account, int(o[at[_TO_GO] + account])
    s.start_scores[0] = o[at[_SCORE]]
    s.to_go_us = max(int(o[at[_TO_GO]]) - int(o[at[_UNPOSTED]]), 1)
    s.to_go_them = max(int(o[at[_TO_GO] + rival]) - int(o[at[_UNPOSTED] + 1]), 1)
    s.won_us, s.won_them = min(int(o[at[_WON]]), 1), min(int(o[at[_WON] + rival]), 1)  # of a match that goes on
