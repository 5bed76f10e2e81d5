"""How agents are compiled: as the engine is, with the sources of the agents in the key of the cache as well."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import numba

from truco_env.engine.compile import EngineCache, Function, keep_code


def _hash_sources() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).resolve().parent.glob("truquero/*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


_SOURCE_HASH: Final = _hash_sources()


class AgentCache(EngineCache):
    """Numba's on-disk cache, with the hash of the engine's and the agents' sources in the key."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), _SOURCE_HASH)


def entry(function: Function) -> Function:
    """Compile a function that Python calls, with its machine code kept on disk between runs."""
    dispatcher = numba.njit(error_model="numpy", nogil=True)(function)
    keep_code(dispatcher, function, AgentCache)
    return dispatcher  # type: ignore[no-any-return]
