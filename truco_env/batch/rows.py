"""Rows: which matches of a batch a caller names, and the saved bytes of matches, checked before compiled code trusts them."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.jit import entry, rule
from truco_env.engine.record import GAME_DTYPE
from truco_env.rules.options import Rules

_ITEMSIZE: Final = GAME_DTYPE.itemsize
_SEAL: Final = 8  # bytes after a saved match
#: What play depends on; of the log behind it nothing is ever read again in a batch.
_LOG_START: Final = GAME_DTYPE.fields["log"][1]  # type: ignore[index]
_LOG_WIDTH: Final = GAME_DTYPE["log"].base.itemsize
_SEALED_WORDS: Final = (_LOG_START + 7) // 8
_chance = np.random.default_rng(0x5EA1)
_MASKS: Final = _chance.integers(0, 2**64, _SEALED_WORDS, dtype=np.uint64)
_FACTORS: Final = _chance.integers(0, 2**64, _SEALED_WORDS, dtype=np.uint64) | np.uint64(1)


@entry
def _find_wrong_row(rows: Any, seen: Any, once: int) -> int:
    """The first k whose row is not in 0..size-1, or comes again with ``once``; -1 if there is none. ``seen`` is left all false."""
    wrong = -1
    for k in range(len(rows)):
        row = rows[k]
        if row < 0 or row >= len(seen) or (once and seen[row]):
            wrong = k
            break
        seen[row] = True
    for k in range(len(rows) if wrong < 0 else wrong):
        seen[rows[k]] = False
    return wrong


def check_rows(rows: npt.ArrayLike, seen: npt.NDArray[np.bool_], *, once: bool = False) -> npt.NDArray[np.int64]:
    """Return row numbers as a contiguous int64 array.

    Args:
        rows: what was given.
        seen: scratch space, bool (size of the batch,), all false.
        once: whether no row may come twice.

    Raises:
        ValueError: not integers of shape (k,), no such row, or a row that comes twice.
    """
    array = np.asarray(rows)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(f"rows are {array.dtype} of shape {array.shape}: give integers of shape (k,)")
    array = np.ascontiguousarray(array, dtype=np.int64)
    wrong = _find_wrong_row(array, seen, once)
    if wrong >= 0:
        again = "comes twice" if 0 <= array[wrong] < len(seen) else f"is not there: rows are 0..{len(seen) - 1}"
        raise ValueError(f"row {array[wrong]} {again}")
    return array


@cache
def table_key(rules: Rules) -> np.uint64:
    """Return a number by which saved matches of a table are told from those of others, and from other versions of the record."""
    text = f"{rules!r} {GAME_DTYPE.descr}"
    return np.uint64(int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little"))


@rule
def _seal_of(words: Any, k: int, key: Any, masks: Any, factors: Any) -> Any:
    seal = key
    for i in range(len(masks)):
        seal += (words[k, i] ^ masks[i]) * factors[i]
    return seal


@rule
def _copy_match(games: Any, k: int, source: Any, target: Any) -> None:
    """Copy a match but for the part of its log that is not written, most of the record; ``games`` is where either of them lies."""
    for i in range(_SEALED_WORDS):
        target[k, i] = source[k, i]
    for i in range(_SEALED_WORDS, (_LOG_START + _LOG_WIDTH * int(games[k].n_log) + 7) // 8):
        target[k, i] = source[k, i]


@entry
def _seal_all(games: Any, words: Any, state: Any, key: Any, masks: Any, factors: Any) -> None:
    for k in range(len(games)):
        _copy_match(games, k, words, state)
        state[k, words.shape[1]] = _seal_of(words, k, key, masks, factors)


@entry
def _unseal_all(games: Any, words: Any, state: Any, key: Any, masks: Any, factors: Any) -> int:
    """Copy sealed matches into ``words``, the memory of ``games``, and return -1; or the first whose seal is wrong, and copy nothing."""
    for k in range(len(games)):
        if state[k, words.shape[1]] != _seal_of(state, k, key, masks, factors):
            return k
    for k in range(len(games)):
        _copy_match(games, k, state, words)
    return -1


def _words_of(games: npt.NDArray[np.void]) -> npt.NDArray[np.uint64]:
    """The memory of games, uint64 (games, itemsize / 8)."""
    return games.view(np.uint64).reshape(len(games), _ITEMSIZE // 8)


def seal_games(games: npt.NDArray[np.void], key: np.uint64) -> npt.NDArray[np.uint8]:
    """Return the bytes of games with a seal behind each, uint8 of shape (games, itemsize + 8); zeros where a log is not written."""
    state = np.zeros((len(games), _ITEMSIZE + _SEAL), dtype=np.uint8)
    _seal_all(games, _words_of(games), state.view(np.uint64), key, _MASKS, _FACTORS)
    return state


def unseal_games(state: npt.NDArray[np.uint8], games: npt.NDArray[np.void], key: np.uint64) -> None:
    """Copy what ``seal_games`` returned back into as many games.

    Raises:
        ValueError: another shape or type, altered bytes, or games of another table or version; ``games`` is unchanged.
    """
    array, shape = np.asarray(state), (len(games), _ITEMSIZE + _SEAL)
    if array.dtype != np.uint8 or array.shape != shape:
        raise ValueError(f"saved matches are {array.dtype} of shape {array.shape}: give uint8 of shape {shape}, as save() returns")
    wrong = _unseal_all(games, _words_of(games), np.ascontiguousarray(array).view(np.uint64), key, _MASKS, _FACTORS)
    if wrong >= 0:
        raise ValueError(
            f"saved match {wrong} is damaged, of another table or of another version: give what save() of such a batch returned"
        )
