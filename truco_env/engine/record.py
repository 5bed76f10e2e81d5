"""The record of one game, and the codes used in it.

A game is one ``GAME_DTYPE`` record of fixed size without Python objects, so copying, pickling, comparing and batching are array
operations. Seats are absolute (0..n-1), sides are 0 (A) and 1 (B), sets of seats are bit masks, -1 is "nobody".
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

MAX_SEATS: Final = 8
MAX_LOG: Final = 320
MAX_ENVIDOS: Final = 4
NOBODY: Final = -1

# Phases, in the order of precedence of rules.md 1.5.
DISCARD: Final = 0
FLOR_ANSWER: Final = 1
FLOR_POLL: Final = 2
ENVIDO_ANSWER: Final = 3
TRUCO_ANSWER: Final = 4
TURN: Final = 5
HAND_OVER: Final = 6
PHASES: Final = ("discard", "flor_answer", "flor_poll", "envido_answer", "truco_answer", "turn", "hand_over")

# Kinds of deals.
NORMAL: Final = 0
REDONDA: Final = 1
PICA: Final = 2
KINDS: Final = ("normal", "redonda", "pica")

# Results of a trick: 0 and 1 are the sides.
UNDECIDED: Final = -1
PARDA: Final = 2

# Rungs of the truco ladder; also the calls of the flor ladder.
FLOR_SUNG: Final = 1
CONTRAFLOR_SAID: Final = 2
RESTO_SAID: Final = 3

# State of the flor round.
NO_ROUND: Final = 0
ROUND_OPEN: Final = 1
ROUND_OVER: Final = 2

# State of the envido of a hand.
ENVIDO_NONE: Final = 0
ENVIDO_WAITS: Final = 1
ENVIDO_ACCEPTED: Final = 2
ENVIDO_REFUSED: Final = 3
ENVIDO_WIPED: Final = 4

# Events of the log.
EV_HAND: Final = 0
EV_PLAY: Final = 1
EV_CALL: Final = 2
EV_ANSWER: Final = 3
EV_FOLD: Final = 4
EV_DISCARD: Final = 5
EV_PASO: Final = 6
EV_SENA: Final = 7
EV_NUMBER: Final = 8
EV_FLOR_VALUE: Final = 9
EV_TRICK: Final = 10
EV_POINTS: Final = 11
EV_CLAMP: Final = 12
EV_GAME: Final = 13
EV_MATCH: Final = 14
EV_DUEL: Final = 15
EV_NOBODY: Final = 16
EV_JOC_FORA: Final = 17

# Reasons of points.
REASONS: Final = (
    "flor",
    "flor_won",
    "flor_refused",
    "flor_unsung",
    "flor_not_shown",
    "envido_won",
    "envido_refused",
    "truco_won",
    "truco_refused",
    "mazo",
    "mazo_first_trick",
)
FLOR_PLAIN: Final = 0
FLOR_WON: Final = 1
FLOR_REFUSED: Final = 2
FLOR_UNSUNG: Final = 3
FLOR_NOT_SHOWN: Final = 4
ENVIDO_WON: Final = 5
REFUSED_ENVIDO: Final = 6
TRUCO_WON: Final = 7
TRUCO_REFUSED: Final = 8
LEFT: Final = 9
LEFT_FIRST_TRICK: Final = 10

GAME_DTYPE: Final = np.dtype(
    [
        # The match.
        ("seed", np.uint64),  # deals, first dealer
        ("sena_stream", np.uint64),  # draws of sena_catch in this hand
        ("hand_no", np.int32),  # 0 for the first hand of the match
        ("scores", np.int16, 3),  # by account
        ("start_scores", np.int16, 3),  # at the start of the hand (in a pica-pica: of the duel)
        ("unposted", np.int16, 2),  # by side, with scoring_time=end_of_hand
        ("won", np.int8, 3),  # legs, by account
        ("winners", np.int8),  # bit mask of accounts, when match_over
        ("hand_over", np.int8),
        ("leg_over", np.int8),
        ("match_over", np.int8),
        # The deal.
        ("kind", np.int8),
        ("dealer", np.int8),
        ("mano", np.int8),  # of the hand; in a duel its earlier seat
        ("duel", np.int8),  # 0..2 in a pica-pica
        ("side_mask", np.int16, 2),  # seats of each side; in a duel still of the whole table
        ("cards", np.int8, (MAX_SEATS, 4)),  # dealt (gallo's dealer: kept), sorted; -1 = none
        ("discarded", np.int8),  # gallo; -1 = none
        ("held", np.int8, MAX_SEATS),  # bit mask of slots not yet played
        ("envido", np.int8, MAX_SEATS),  # number of the dealt cards, 0..33
        ("flor", np.int8, MAX_SEATS),  # 20..38, 0 for no flor
        # Who acts.
        ("phase", np.int8),
        ("to_act", np.int8),
        ("legal", np.int64),  # bit mask of actions
        # Tricks.
        ("active", np.int16),  # seats that have not left (in a duel: of the two)
        ("owes", np.int16),  # seats that owe a card to this trick
        ("trick", np.int8),
        ("leader", np.int8),
        ("turn", np.int8),  # the seat that was about to play
        ("best_tier", np.int8),  # highest truco rank on the table in this trick, 0 = no card yet
        ("best_seats", np.int16),  # who played it
        ("fresh", np.int8),  # nothing was done yet in this card turn
        ("table", np.int8, (3, MAX_SEATS)),  # card by trick and seat, -1 = none
        ("left_at", np.int8, MAX_SEATS),  # clock when the seat left by itself, 0 = it did not
        ("trick_winner", np.int8, 3),
        ("clock", np.int8),  # public actions in this hand: cards, calls, answers, folds
        # Truco.
        ("truco_accepted", np.int8),  # rung accepted, 0..4
        ("truco_waits", np.int8),  # rung that waits for an answer, 0 = none
        ("truco_answerer", np.int8),
        ("truco_right", np.int8),  # side that may call the next rung
        ("truco_caller", np.int8, 5),  # seat by rung, -1 = not called
        ("truco_clock", np.int8, 5),  # clock at each call
        ("truco_annulled", np.int8),  # seat whose truco an envido struck, -1 = none
        # Envido.
        ("envido_state", np.int8),
        ("n_envidos", np.int8),
        ("envido_calls", np.int8, MAX_ENVIDOS),  # action ids
        ("envido_callers", np.int8, MAX_ENVIDOS),
        ("envido_answerer", np.int8),
        ("envido_clock", np.int8, MAX_ENVIDOS),
        ("envido_over_truco", np.int8),  # opened in answer to a truco
        ("envido_seats", np.int16),  # active when it was accepted
        ("told", np.int8, MAX_SEATS),  # number told + 1, 0 = silent
        # Flor.
        ("flor_round", np.int8),
        ("flor_rung", np.int8),
        ("flor_contra", np.int8),  # a contraflor was said in this round
        ("flor_singer", np.int8),  # who opened the round
        ("flor_rival", np.int8),  # first opposing holder, who must answer; -1 = none
        ("flor_waits", np.int8),  # seat that must answer a contraflor or al resto; -1 = none
        ("flor_caller", np.int8),  # who made the last call of the ladder
        ("flor_answer", np.int8),  # action id that closed the ladder, -1 = none
        ("flor_answerer", np.int8),  # who said it
        ("flor_at", np.int8, MAX_SEATS),  # clock when the seat sang, 0 = it did not
        ("flor_sung", np.int16),
        ("flor_lost", np.int16),  # seats that lost the right to sing
        ("flor_answered", np.int16),  # count as having sung without a call: answered a flor call, or were compared after a quiero
        ("flor_excused", np.int16),  # could still sing when an answer ended the round
        ("flor_paid", np.int16),  # singers whose side was paid
        ("flor_told", np.int8, MAX_SEATS),  # value made public, 0 = none
        ("poll", np.int16),  # seats still to be asked
        ("poll_from", np.int8),  # the order of asking starts here
        ("poll_after", np.int8),  # what the poll follows: 0..3 truco rung, 4..7 envido call, 8 a flor
        ("passed", np.int16, MAX_SEATS),  # bit mask of the polls (by poll_after) in which the seat passed
        # The rest.
        ("announced", np.int8),  # an envido, flor or truco was called by anybody
        ("shown", np.int16),  # seats whose dealt cards are public when the hand ends
        ("revealed", np.int16),  # seats whose dealt cards are public now
        ("sena", np.int8, (3, MAX_SEATS)),  # seña + 1 by trick and maker, 0 = none
        ("sena_seen", np.int16, (3, MAX_SEATS)),  # who saw it
        ("n_log", np.int16),
        ("log", np.int32, MAX_LOG),
    ],
    align=True,
)
POLL_TRUCO: Final = 0
POLL_ENVIDO: Final = 4
POLL_FLOR: Final = 8


def new_games(count: int) -> npt.NDArray[np.void]:
    """Return ``count`` zeroed game records."""
    from truco_env.engine.jit import with_fields  # here: who reads the codes of a record needs no compiler

    return with_fields(np.zeros(count, dtype=GAME_DTYPE))
