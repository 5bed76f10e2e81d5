"""The fields of records for the type checker, which knows no dtypes: a misspelt field fails ``make types``.

Written by ``make docs`` (``tools/record_types.py``) from the dtypes; a test checks that it is up to date.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class GameRecord(Protocol):
    """One game, as rules see it (``record.GAME_DTYPE``)."""

    seed: Any
    sena_stream: Any
    hand_no: int
    scores: npt.NDArray[np.int16]
    start_scores: npt.NDArray[np.int16]
    unposted: npt.NDArray[np.int16]
    won: npt.NDArray[np.int8]
    winners: int
    hand_over: int
    leg_over: int
    match_over: int
    kind: int
    dealer: int
    mano: int
    duel: int
    side_mask: npt.NDArray[np.int16]
    cards: npt.NDArray[np.int8]
    discarded: int
    held: npt.NDArray[np.int8]
    envido: npt.NDArray[np.int8]
    flor: npt.NDArray[np.int8]
    phase: int
    to_act: int
    legal: int
    active: int
    owes: int
    trick: int
    leader: int
    turn: int
    best_tier: int
    best_seats: int
    fresh: int
    table: npt.NDArray[np.int8]
    left_at: npt.NDArray[np.int8]
    trick_winner: npt.NDArray[np.int8]
    clock: int
    truco_accepted: int
    truco_waits: int
    truco_answerer: int
    truco_right: int
    truco_caller: npt.NDArray[np.int8]
    truco_clock: npt.NDArray[np.int8]
    truco_annulled: int
    envido_state: int
    n_envidos: int
    envido_calls: npt.NDArray[np.int8]
    envido_callers: npt.NDArray[np.int8]
    envido_answerer: int
    envido_clock: npt.NDArray[np.int8]
    envido_over_truco: int
    envido_seats: int
    told: npt.NDArray[np.int8]
    flor_round: int
    flor_rung: int
    flor_contra: int
    flor_singer: int
    flor_rival: int
    flor_waits: int
    flor_caller: int
    flor_answer: int
    flor_answerer: int
    flor_at: npt.NDArray[np.int8]
    flor_sung: int
    flor_lost: int
    flor_answered: int
    flor_excused: int
    flor_paid: int
    flor_told: npt.NDArray[np.int8]
    poll: int
    poll_from: int
    poll_after: int
    passed: npt.NDArray[np.int16]
    announced: int
    shown: int
    revealed: int
    sena: npt.NDArray[np.int8]
    sena_seen: npt.NDArray[np.int16]
    n_log: int
    log: npt.NDArray[np.int32]


class RulesRecord(Protocol):
    """The rules of a table, as rules see them (``rules_record.RULES_DTYPE``)."""

    first_dealer: int
    allow_8: int
    deck30: int
    target: int
    match: int
    best_of: int
    scoring_time: int
    truco_responder: int
    retruco_right: int
    parda_leader: int
    all_parda: int
    envido_callers: int
    envido_first: int
    envido_open_after_own_card: int
    envido_max_calls: int
    real_repeat: int
    falta_direct: int
    falta_males: int
    envit_refused: int
    envido_tie: int
    reveal_envido: int
    flor_mode: int
    flor_poll: int
    flor_auto_show: int
    flor_opposed: int
    contraflor: int
    flor_table: int
    flor_quiero: int
    fold_scope: int
    mazo: int
    mazo_first_trick: int
    senas: int
    pica_pica: int
    pica_rotation: int
    gallo_tie: int
    falta: int
    falta_points: int
    pica_falta: int
    pica_low: int
    pica_high: int
    sena_catch: float
    players: int
    gallo: int
    deck: int
    deck_size: int
    first_tier: int
    leg_target: int
    legs_to_win: int
    top_rung: int
    truc: int
    pies_envido: int
    pies_open: int
    plain_envidos: int
    anybody_mazo: int
    flor_answers: int
    flor_tie_side: int
    leaving_singer: int
