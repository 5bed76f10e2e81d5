"""Checkpoint: a trained agent as a folder of plain data, ``manifest.json`` and ``weights.npz``. Reading one runs no code from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from truco_agents.files import replace_folder, write_json
from truco_agents.ppo.arrays import read_arrays, write_arrays
from truco_agents.ppo.errors import CheckpointError
from truco_agents.ppo.network import Architecture, FloatArray
from truco_env.errors import RulesError
from truco_env.observation.layout import LAYOUT_VERSION, Layout, layout_of
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

FORMAT: Final = "truco-env ppo agent"
VERSION: Final = 1  #: of the format; a change that old readers cannot read raises it
MANIFEST: Final = "manifest.json"
WEIGHTS: Final = "weights.npz"

_LONGEST_NAME: Final = 200
_LARGEST_JSON: Final = 4 << 20  # bytes
_DEEPEST_JSON: Final = 20


def layout_hash(layout: Layout) -> str:
    """Return a hash of what and where the entries of an observation are; the wording of the page about them is free to change."""
    table = [(f.name, f.start, f.shape, f.low, f.high, f.scale) for f in layout.fields]
    return hashlib.sha256(json.dumps([LAYOUT_VERSION, table]).encode()).hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A trained agent, ready to be played or stored.

    Attributes:
        name: what tables and charts call it.
        rules: the table it was trained for.
        architecture: its network.
        weights: float32 arrays by name, as ``architecture.shapes`` lists them.
        training: how it came about: steps, seed, config and the like, for people to read.
    """

    name: str
    rules: Rules
    architecture: Architecture
    weights: Mapping[str, FloatArray]
    training: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex over everything that decides how it plays: table, layout of the observations, network and weights."""
        digest = hashlib.sha256(json.dumps({"table": self._table(), "layout": layout_hash(layout_of(self.rules))}).encode())
        for name, shape in self.architecture.shapes().items():
            digest.update(f"{name} {shape}".encode())
            digest.update(np.ascontiguousarray(self.weights[name], dtype="<f4").tobytes())
        return digest.hexdigest()

    def _table(self) -> dict[str, Any]:
        return {"ruleset": self.rules.ruleset, "players": self.rules.players, "options": dict(self.rules.options)}

    def save(self, folder: Path) -> None:
        """Write the folder, all of it or nothing; one that is already there is replaced."""
        layout = layout_of(self.rules)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "table": self._table(),
            "layout": {
                "players": layout.players,
                "size": layout.size,
                "fields": [f.name for f in layout.fields],
                "sha256": layout_hash(layout),
            },
            "n_actions": self.architecture.outputs,
            "network": {
                "activation": "relu",
                "trunk": list(self.architecture.trunk),
                "policy": list(self.architecture.policy),
                "value": list(self.architecture.value),
            },
            "training": dict(self.training),
        }
        with replace_folder(folder) as draft:
            write_json(draft / MANIFEST, manifest, indent=2)
            write_arrays(draft / WEIGHTS, self.weights)


def find_agent_folder(folder: Path) -> Path | None:
    """Return the folder with the manifest: ``folder`` itself, or its ``agent`` (a run's or a checkpoint's); None if there is none."""
    for candidate in (folder, folder / "agent"):
        if (candidate / MANIFEST).is_file():
            return candidate
    return None


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint folder, a training run's folder (its final agent), or a folder under ``checkpoints/``.

    Raises:
        CheckpointError: it is missing, damaged, or of a format or layout that this version does not have.
    """
    found = find_agent_folder(folder)
    if found is None:
        raise CheckpointError(f"{folder} is no checkpoint: it has no {MANIFEST}, nor has {folder / 'agent'}")
    manifest = _read_manifest(found / MANIFEST)
    try:
        table, network, layout = manifest["table"], manifest["network"], manifest["layout"]
        rules = Rules(table["ruleset"], table["players"], **table["options"])
        architecture = Architecture(
            inputs=_whole(layout["size"]),
            outputs=_whole(manifest["n_actions"]),
            trunk=_widths(network["trunk"]),
            policy=_widths(network["policy"]),
            value=_widths(network["value"]),
        )
        name, stored_hash, activation = _name(manifest["name"]), layout["sha256"], network["activation"]
        training = dict(manifest["training"])
    except RulesError as error:
        raise CheckpointError(f"{found / MANIFEST}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{found / MANIFEST}: an entry is missing or of the wrong kind ({type(error).__name__}: {error})") from None
    if activation != "relu":
        raise CheckpointError(f"{found / MANIFEST}: activation {activation!r:.80} is not known: only relu is")
    own = layout_of(rules)
    if (architecture.inputs, architecture.outputs, stored_hash) != (own.size, N_ACTIONS, layout_hash(own)):
        raise CheckpointError(f"{found}: its observations or actions are not those of this version of truco_env; train it anew")
    return Checkpoint(name, rules, architecture, _read_weights(found / WEIGHTS, architecture), training)


def read_plain(path: Path) -> dict[str, Any]:
    """Read a JSON file of a checkpoint.

    Raises:
        CheckpointError: it cannot be read, or is no object of plain data, moderate in size and depth.
    """
    try:
        if path.stat().st_size > _LARGEST_JSON:
            raise ValueError(f"it is larger than {_LARGEST_JSON:,} bytes")
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # no JSON, no UTF-8, a number of thousands of digits, or nested too deeply
        raise CheckpointError(f"{path} cannot be read: {error}") from None
    level = [data]
    for _ in range(_DEEPEST_JSON):
        level = [item for node in level if isinstance(node, dict | list) for item in (node.values() if isinstance(node, dict) else node)]
    if level or not isinstance(data, dict):
        raise CheckpointError(f"{path} cannot be read: it is no JSON object of at most {_DEEPEST_JSON} levels")
    return data


def _read_manifest(path: Path) -> dict[str, Any]:
    manifest = read_plain(path)
    if manifest.get("format") != FORMAT:
        raise CheckpointError(f"{path}: this is not the manifest of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise CheckpointError(f"{path}: format version {manifest.get('version')!r:.80} is not known: this program reads {VERSION}")
    return manifest


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TypeError(f"{value!r:.80} is not a whole number from 1 on")
    return value


def _widths(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.80} is not a list of widths")
    return tuple(_whole(width) for width in value)


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= _LONGEST_NAME:
        raise ValueError(f"name {value!r:.80} is not a printable text of 1 to {_LONGEST_NAME} characters")
    return value


def _read_weights(path: Path, architecture: Architecture) -> dict[str, FloatArray]:
    shapes = architecture.shapes()
    arrays = read_arrays(path)
    if set(arrays) != set(shapes):
        odd = sorted(set(arrays) ^ set(shapes))
        raise CheckpointError(f"{path}: arrays are missing or too many: {', '.join(map(repr, odd[:3]))}")
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype != np.float32:
            raise CheckpointError(f"{path}: {name} is {arrays[name].dtype} {arrays[name].shape}, the manifest says float32 {shape}")
        if not np.isfinite(arrays[name]).all():
            raise CheckpointError(f"{path}: {name} has entries that are not finite")
    return arrays
