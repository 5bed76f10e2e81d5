"""How agents are compiled: as the engine is, with the sources of the agents in the key of the cache as well."""

from __future__ import annotations

import hashlib
from pathlib import Path

from truco_env.engine.jit import SOURCE_HASH, EngineCache, Function, compile_entry


def _hash_sources() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).resolve().parent.glob("truquero/*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


class AgentCache(EngineCache):
    """Numba's on-disk cache, with the hash of the engine's and the agents' sources in the key."""

    sources = SOURCE_HASH + _hash_sources()


def entry(function: Function) -> Function:
    """Compile a function of the agents that Python calls."""
    return compile_entry(function, AgentCache)
