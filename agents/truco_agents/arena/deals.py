"""Deal sets: the matches that a comparison is played on, named by a seed and a count."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_agents.arena.errors import ArenaError
from truco_env.batch.batch import Batch
from truco_env.rules.cards import DECKS
from truco_env.rules.options import Rules

CHUNK: Final = 128  #: deal groups that are played together; part of what a result means, since agents' draws belong to a chunk
MOST_GROUPS: Final = 10_000_000

_DEALS, _AGENTS = 0, 1  # streams of a seed


@dataclass(frozen=True)
class DealSet:
    """``groups`` matches of one table: group k is the match with seed ``seeds[k]``, so with the same deals in every seating.

    A smaller set of the same seed is the beginning of a larger one.

    Args:
        rules: the table.
        seed: names the set; agents draw from streams of the same seed that are independent of the deals.
        groups: number of deal groups.

    Raises:
        ArenaError: a negative seed, fewer than two groups, or more than fit into memory.
    """

    rules: Rules
    seed: int
    groups: int

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ArenaError(f"seed={self.seed} is not possible: it is 0 or more")
        if self.groups < 2:
            raise ArenaError(f"groups={self.groups} is not possible: an interval needs 2 or more")
        if self.groups > MOST_GROUPS:
            raise ArenaError(f"groups={self.groups} is not possible: a deal set has at most {MOST_GROUPS:,}")

    def __reduce__(self) -> tuple[object, ...]:
        return (DealSet, (self.rules, self.seed, self.groups))

    @cached_property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """The match seeds, uint64 (groups,)."""
        return np.asarray(np.random.SeedSequence(self.seed, spawn_key=(_DEALS,)).generate_state(self.groups, np.uint64), dtype=np.uint64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex over every match seed with the first dealer and the cards it deals first."""
        digest = hashlib.sha256()
        digest.update(repr((DECKS[self.rules.deck].tolist(), self.rules.players)).encode())
        rows = np.arange(min(self.groups, CHUNK), dtype=np.int64)
        batch = Batch(self.rules, len(rows))
        for chunk in range(self.chunks):
            seeds = self.chunk_seeds(chunk)
            batch.reset_rows(rows[: len(seeds)], seeds)
            games = batch.games[: len(seeds)]
            parts = (seeds.astype("<u8").view(np.int8).reshape(-1, 8), games["dealer"][:, None], games["cards"].reshape(len(seeds), -1))
            digest.update(np.concatenate(parts, axis=1).tobytes())
        return digest.hexdigest()

    @property
    def chunks(self) -> int:
        """Number of chunks, of ``CHUNK`` groups each (the last may have fewer)."""
        return -(-self.groups // CHUNK)

    def chunk_seeds(self, chunk: int) -> npt.NDArray[np.uint64]:
        """Return the match seeds of a chunk, uint64 (k,)."""
        return self.seeds[chunk * CHUNK : (chunk + 1) * CHUNK]

    def agent_generator(self, chunk: int, side: int, member: int) -> np.random.Generator:
        """Return the generator of one agent for one chunk: ``member`` counts within ``side``."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(_AGENTS, chunk, side, member)))

    def first(self, groups: int) -> DealSet:
        """Return the set of its first ``groups`` groups."""
        return DealSet(self.rules, self.seed, groups)
