"""A hand from the deal to its last points, a duel of a pica-pica, and the next hand (rules.md 1.4, 1.8, 3.5, 6.1)."""

from __future__ import annotations

from typing import Any

from truco_env.engine import chance
from truco_env.engine.envido import compare_envido, envido_number
from truco_env.engine.flor import fine_unsung_flores, flor_value
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import FLOR_MODE_OFF, PICA_ROTATION_PER_PAIR
from truco_env.engine.record import (
    ENVIDO_ACCEPTED,
    EV_DUEL,
    EV_HAND,
    EV_NOBODY,
    MAX_SEATS,
    NOBODY,
    NORMAL,
    PARDA,
    PICA,
    REDONDA,
    TRUCO_WON,
    UNDECIDED,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.score import pay, post_hand, win_joc_fora
from truco_env.engine.seats import seats_in
from truco_env.engine.tricks import close_trick, hand_winner, open_trick, winner_of_three_pardas
from truco_env.engine.truco import JOC_FORA_RUNG, truco_worth


@rule
def start_match(g: GameRecord, r: RulesRecord, seed: int) -> None:
    """Begin a match at 0-0 with no hand dealt yet; the first dealer is drawn."""
    g.seed = seed
    g.hand_no = -1
    for account in range(3):
        g.scores[account] = 0
        g.won[account] = 0
    g.winners = 0
    g.match_over = 0
    g.leg_over = 0
    g.hand_over = 1
    g.kind = REDONDA if r.pica_pica else NORMAL
    g.dealer = chance.draw_first_dealer(g, r)


@rule
def prepare_next_hand(g: GameRecord, r: RulesRecord) -> None:
    """Move the deal on, settle what kind of hand comes, and clear the score of a finished leg (rules.md 1.4, 1.8, 6.1)."""
    if g.hand_no >= 0:
        was, g.kind = int(g.kind), next_kind(g, r)
        same_pair = r.pica_pica and r.pica_rotation == PICA_ROTATION_PER_PAIR and was == REDONDA and g.kind == PICA
        if not same_pair:
            g.dealer = 0 if g.dealer + 1 == r.players else g.dealer + 1
        if g.leg_over:
            for account in range(3):
                g.scores[account] = 0
    g.hand_no += 1


@rule
def next_kind(g: GameRecord, r: RulesRecord) -> int:
    """A pica-pica follows a redonda while the leading score is inside the band (rules.md 6.1)."""
    if not r.pica_pica:
        return NORMAL
    lead = max(int(g.scores[0]), int(g.scores[1]))
    return PICA if g.kind == REDONDA and r.pica_low <= lead < r.pica_high else REDONDA


@rule
def deal(g: GameRecord, r: RulesRecord, deck: Any) -> None:
    """Deal the next hand of the match from its seed."""
    prepare_next_hand(g, r)
    chance.draw_cards(g, r, deck)
    begin_hand(g, r)


@rule
def begin_hand(g: GameRecord, r: RulesRecord) -> None:
    """Start the hand whose cards, dealer and kind are set."""
    players = int(r.players)
    g.leg_over = 0
    g.hand_over = 0
    g.n_log = 0
    g.duel = 0
    g.discarded = -1
    g.shown = 0
    g.revealed = 0
    if r.gallo:
        g.side_mask[1] = 1 << int(g.dealer)
        g.side_mask[0] = 7 & ~(1 << int(g.dealer))
    else:
        g.side_mask[0] = 0x55 & ((1 << players) - 1)
        g.side_mask[1] = 0xAA & ((1 << players) - 1)
    for trick in range(3):
        for seat in range(MAX_SEATS):
            g.table[trick, seat] = -1
            g.sena[trick, seat] = 0
            g.sena_seen[trick, seat] = 0
    for seat in range(players):
        _sort(g, seat)
        g.held[seat] = 15 if g.cards[seat, 3] >= 0 else 7
        count_numbers(g, r, seat)
    chance.seed_senas(g)
    g.mano = 0 if g.dealer + 1 == players else g.dealer + 1
    record(g, EV_HAND, int(g.dealer), int(g.kind), int(g.mano))
    _begin_play(g, r)


@hot_rule
def _sort(g: GameRecord, seat: int) -> None:
    """Sort a seat's dealt cards by rank and suit; the slots are never renumbered (gallo: once more after the discard)."""
    a, b, c, d = int(g.cards[seat, 0]), int(g.cards[seat, 1]), int(g.cards[seat, 2]), int(g.cards[seat, 3])
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    if d >= 0:
        c, d = min(c, d), max(c, d)
        b, c = min(b, c), max(b, c)
        a, b = min(a, b), max(a, b)
    g.cards[seat, 0], g.cards[seat, 1], g.cards[seat, 2], g.cards[seat, 3] = a, b, c, d


@rule
def _begin_play(g: GameRecord, r: RulesRecord) -> None:
    """Clear what belongs to one hand, or to one duel, and give mano the turn."""
    for account in range(3):
        g.start_scores[account] = g.scores[account]
    g.unposted[0] = 0
    g.unposted[1] = 0
    g.active = seats_in(g, r)
    if g.kind == PICA:
        record(g, EV_DUEL, int(g.mano), (int(g.mano) + 3) % 6, 0)
    for seat in range(MAX_SEATS):
        g.told[seat] = 0
        g.flor_told[seat] = 0
        g.left_at[seat] = 0
        g.flor_at[seat] = 0
        g.passed[seat] = 0
    for trick in range(3):
        g.trick_winner[trick] = UNDECIDED
    for rung in range(5):
        g.truco_caller[rung] = NOBODY
        g.truco_clock[rung] = 0
    g.clock = 0
    g.truco_accepted = 0
    g.truco_waits = 0
    g.truco_answerer = NOBODY
    g.truco_right = NOBODY
    g.truco_annulled = NOBODY
    g.envido_state = 0
    g.n_envidos = 0
    g.envido_answerer = NOBODY
    g.envido_over_truco = 0
    g.envido_seats = 0
    g.flor_round = 0
    g.flor_rung = 0
    g.flor_contra = 0
    g.flor_singer = NOBODY
    g.flor_rival = NOBODY
    g.flor_waits = NOBODY
    g.flor_caller = NOBODY
    g.flor_answer = NOBODY
    g.flor_answerer = NOBODY
    g.flor_sung = 0
    g.flor_lost = 0
    g.flor_answered = 0
    g.flor_excused = 0
    g.flor_paid = 0
    g.poll = 0
    g.announced = 0
    g.trick = 0
    open_trick(g, r, int(g.mano))


@hot_rule
def count_numbers(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """Note the envido number and the flor of a seat's dealt cards (rules.md 1.3).

    A hand of four has none yet (6.2), and where the game has no flor nobody holds one.
    """
    if g.cards[seat, 3] >= 0:
        g.envido[seat] = 0
        g.flor[seat] = 0
        return
    a, b, c = int(g.cards[seat, 0]), int(g.cards[seat, 1]), int(g.cards[seat, 2])
    g.envido[seat] = envido_number(a, b, c)
    g.flor[seat] = flor_value(a, b, c) if r.flor_mode != FLOR_MODE_OFF else 0


@rule
def finish_trick(g: GameRecord, r: RulesRecord) -> None:
    """Decide a complete trick; go on, or end the hand as soon as its winner is fixed (G7)."""
    leader = close_trick(g, r)
    winner = hand_winner(g)
    if winner == UNDECIDED:
        g.trick += 1
        open_trick(g, r, leader)
        return
    if winner == PARDA:
        winner = winner_of_three_pardas(g, r)
        if winner == NOBODY:
            record(g, EV_NOBODY, 0, 0, 0)
    end_hand(g, r, winner, truco_worth(g), TRUCO_WON)


@rule
def end_hand(g: GameRecord, r: RulesRecord, winner: int, points: int, reason: int) -> None:
    """The truco is decided for side ``winner`` (or nobody): fines, the secret envit, then its points (rules.md 1.8, 2.4, 3.5)."""
    fine_unsung_flores(g, r)
    if r.truc and g.envido_state == ENVIDO_ACCEPTED and not g.hand_over:
        compare_envido(g, r)
    if g.truco_accepted == JOC_FORA_RUNG:
        if winner != NOBODY and not g.match_over:
            win_joc_fora(g, r, winner)
    elif winner != NOBODY and not g.hand_over:
        pay(g, r, winner, points, reason)
    if not g.match_over:
        post_hand(g, r)
    if g.kind == PICA and g.duel < 2 and not g.hand_over:
        g.revealed = int(g.revealed) | int(g.shown)
        g.duel += 1
        g.mano = (int(g.mano) + 1) % 6
        _begin_play(g, r)
        return
    g.hand_over = 1
