"""Checkpoint: a trained agent as a folder of plain data, ``manifest.json`` and ``weights.npz``. Reading one runs no code from it."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from truco_agents.ppo.network import Architecture, FloatArray
from truco_env.errors import RulesError
from truco_env.observation.layout import LAYOUT_VERSION, Layout, layout_of
from truco_env.players.protocol import AgentError
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

FORMAT: Final = "truco-env ppo agent"
VERSION: Final = 1  #: of the format; a change that old readers cannot read raises it
MANIFEST: Final = "manifest.json"
WEIGHTS: Final = "weights.npz"


class CheckpointError(AgentError):
    """A checkpoint folder that cannot be read, is damaged, or was made for another table."""


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

    def save(self, folder: Path) -> None:
        """Write the folder, all of it or nothing; one that is already there is replaced."""
        layout = layout_of(self.rules)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "table": {"ruleset": self.rules.ruleset, "players": self.rules.players, "options": dict(self.rules.options)},
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
            (draft / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            write_arrays(draft / WEIGHTS, self.weights)


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill, and put it in the place of ``folder`` when all went well."""
    draft = folder.with_name(f".{folder.name}.{uuid4().hex[:8]}")
    draft.mkdir(parents=True)
    try:
        yield draft
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    if folder.exists():
        old = draft.with_name(f"{draft.name}.old")
        folder.replace(old)
        draft.replace(folder)
        shutil.rmtree(old)
    else:
        draft.replace(folder)


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
            inputs=int(layout["size"]),
            outputs=int(manifest["n_actions"]),
            trunk=tuple(map(int, network["trunk"])),
            policy=tuple(map(int, network["policy"])),
            value=tuple(map(int, network["value"])),
        )
        name, stored_hash, activation = str(manifest["name"]), layout["sha256"], network["activation"]
        training = dict(manifest["training"])
    except RulesError as error:
        raise CheckpointError(f"{found / MANIFEST}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{found / MANIFEST}: an entry is missing or of the wrong kind ({type(error).__name__}: {error})") from None
    if activation != "relu":
        raise CheckpointError(f"{found / MANIFEST}: activation {activation!r} is not known: only relu is")
    if architecture.outputs != N_ACTIONS or stored_hash != layout_hash(layout_of(rules)):
        raise CheckpointError(f"{found}: its observations or actions are not those of this version of truco_env; train it anew")
    return Checkpoint(name, rules, architecture, _read_weights(found / WEIGHTS, architecture), training)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{path}: this is not the manifest of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise CheckpointError(f"{path}: format version {manifest.get('version')!r} is not known: this program reads {VERSION}")
    return manifest


def _read_weights(path: Path, architecture: Architecture) -> dict[str, FloatArray]:
    shapes = architecture.shapes()
    arrays = read_arrays(path)
    if set(arrays) != set(shapes):
        odd = sorted(set(arrays) ^ set(shapes))
        raise CheckpointError(f"{path}: arrays are missing or too many: {', '.join(odd[:3])}")
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype != np.float32:
            raise CheckpointError(f"{path}: {name} is {arrays[name].dtype} {arrays[name].shape}, the manifest says float32 {shape}")
        if not np.isfinite(arrays[name]).all():
            raise CheckpointError(f"{path}: {name} has entries that are not finite")
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays to an npz file that ``read_arrays`` reads."""
    np.savez(path, allow_pickle=False, **dict(arrays))


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read an npz file of plain arrays, without pickle.

    Raises:
        CheckpointError: it cannot be read.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from None
