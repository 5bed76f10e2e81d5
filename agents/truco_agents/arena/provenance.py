"""Provenance: what a result was made with, so that it can be told whether another was made with the same."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import truco_env
from truco_agents.versions import PLAYING, versions_of
from truco_env.players.protocol import Agent


def provenance_of(sides: Sequence[Sequence[Agent]]) -> dict[str, Any]:
    """Return as plain data the versions, a hash of the engine, and of each side's agents their names, classes and hashes.

    An agent's hash is its ``digest`` if it has one (a trained agent's is over its weights), else that of the sources beside its class.
    """
    return {
        "versions": versions_of(PLAYING),
        "engine_sha256": _hash_engine(),
        "agents": [[_describe(agent) for agent in side] for side in sides],
    }


def _describe(agent: Agent) -> dict[str, str | None]:
    kind = type(agent)
    digest = getattr(agent, "digest", None)
    return {
        "name": agent.name,
        "class": f"{kind.__module__}:{kind.__qualname__}",
        "sha256": digest if isinstance(digest, str) else _hash_class(kind),
    }


@cache
def _hash_engine() -> str:
    package = Path(truco_env.__file__).parent
    return _hash_files([file for room in ("rules", "engine", "observation", "batch") for file in (package / room).glob("*.py")])


@cache
def _hash_class(kind: type) -> str | None:
    """Hash the sources of the package that a class is in, or its file if it is in none; None if there is no file."""
    try:
        file = Path(inspect.getsourcefile(kind) or "")
    except (TypeError, OSError):
        return None
    if not file.is_file():
        return None
    packaged = getattr(sys.modules.get(kind.__module__), "__package__", None)
    return _hash_files(list(file.parent.glob("*.py")) if packaged else [file])


def _hash_files(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.parent.name}/{file.name}\n".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
