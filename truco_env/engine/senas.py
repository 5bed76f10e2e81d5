"""Señas between team-mates (rules.md 6.3)."""

from __future__ import annotations

from truco_env.engine.chance import draw_catch
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import SENAS_OFF, SENAS_TRUTHFUL
from truco_env.engine.record import EV_SENA, PICA
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import active_of, has, has_mate, side_of
from truco_env.engine.tricks import tier_of
from truco_env.rules.actions import N_SENAS, Action

FIRST_SENA = int(Action.SENA_AS_ESPADAS)
_AS_ESPADAS, _AS_BASTOS, _SIETE_ESPADAS, _SIETE_OROS, _TRES, _DOS, _AS_FALSO, _REY, _CABALLO, _SOTA, _CIEGO, _TANTO_27, _TANTO_30 = range(
    N_SENAS
)
_ALL = ((1 << N_SENAS) - 1) << FIRST_SENA
_NOT_IN_TRUC = ((1 << _DOS) | (1 << _AS_FALSO) | (1 << _REY) | (1 << _CABALLO) | (1 << _SOTA)) << FIRST_SENA
_FALSE_SEVENS = 4  # tier in the full deck
_FALSE_SEVENS_TRUC = 7


@hot_rule
def senas_of(g: GameRecord, r: RulesRecord, seat: int) -> int:
    """The señas a seat may make now, as a set of actions: first in its card turn, with a team-mate to see it."""
    if r.senas == SENAS_OFF or g.fresh == 0 or g.kind == PICA or not has_mate(g, seat):
        return 0
    signs = _ALL & ~_NOT_IN_TRUC if r.truc else _ALL
    return signs & true_senas(g, r, seat) if r.senas == SENAS_TRUTHFUL else signs


@rule
def true_senas(g: GameRecord, r: RulesRecord, seat: int) -> int:
    """The señas that are true: of cards held, and of the number dealt (table of rules.md 6.3)."""
    signs = 0
    blind = True
    for slot in range(3):
        if (int(g.held[seat]) >> slot) & 1 == 0:
            continue
        card = int(g.cards[seat, slot])
        tier, rank = tier_of(r, card), card // 4 + 1
        if tier > (_FALSE_SEVENS_TRUC if r.truc else _FALSE_SEVENS):
            blind = False
        if tier >= 11:
            signs |= 1 << (_AS_ESPADAS + 14 - tier)
        elif rank == 3:
            signs |= 1 << _TRES
        elif rank == 2:
            signs |= 1 << _DOS
        elif rank == 1:
            signs |= 1 << _AS_FALSO
        elif rank == 12:
            signs |= 1 << _REY
        elif rank == 11:
            signs |= 1 << _CABALLO
        elif rank == 10:
            signs |= 1 << _SOTA
    if blind:
        signs |= 1 << _CIEGO
    if 27 <= g.envido[seat] <= 29:
        signs |= 1 << _TANTO_27
    elif g.envido[seat] >= 30:
        signs |= 1 << _TANTO_30
    return signs << FIRST_SENA


@rule
def make_sena(g: GameRecord, r: RulesRecord, seat: int, sign: int) -> None:
    """Show a seña to the active team-mates, and to each active opponent with chance ``sena_catch``."""
    side = side_of(g, seat)
    seen = active_of(g, side) & ~(1 << seat)
    rivals = active_of(g, 1 - side)
    other = seat
    for _ in range(int(r.players) - 1):
        other = 0 if other + 1 == r.players else other + 1
        if has(rivals, other) and draw_catch(g, r):
            seen |= 1 << other
    g.sena[g.trick, seat] = sign + 1
    g.sena_seen[g.trick, seat] = seen
    record(g, EV_SENA, seat, FIRST_SENA + sign, seen)
