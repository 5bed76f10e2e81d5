"""PPOAgent: a trained network as a player."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_agents.ppo.checkpoint import Checkpoint, load
from truco_agents.ppo.errors import CheckpointError
from truco_agents.ppo.network import Network
from truco_env.observation.layout import layout_of
from truco_env.players.protocol import Agent, AgentError, check_views, refuse_other_table, without_senas
from truco_env.rules.options import Rules, describe_rules

MODES: Final = ("sampled", "greedy")
_TRANSFER: Final = "transfer"
_MUTE: Final = "mute"


class PPOAgent:
    """Plays by a trained policy. It sees the observation only, and remembers nothing.

    Args:
        checkpoint: the trained agent.
        mode: ``"sampled"`` draws from the policy, which is what training optimised; ``"greedy"`` takes the likeliest action.
        mute: make no señas.
        rules: the table it is to play at, if it is not the one it was trained for: its observations are the same, or have señas besides.

    Raises:
        AgentError: the observations of ``rules`` are others.
        ValueError: an unknown mode.
    """

    def __init__(self, checkpoint: Checkpoint, *, mode: str = "sampled", mute: bool = False, rules: Rules | None = None) -> None:
        if mode not in MODES:
            raise ValueError(f"mode={mode!r} is not known: choose one of {', '.join(MODES)}")
        self.checkpoint = checkpoint
        self.mode = mode
        self.rules = checkpoint.rules if rules is None else rules
        if not _can_read(checkpoint.rules, self.rules):
            raise AgentError(f"{checkpoint.name} cannot read what is seen at ({describe_rules(self.rules)})")
        unsigned = layout_of(checkpoint.rules) is not layout_of(self.rules)
        self.mute = mute = mute or unsigned  # señas that it has never seen it cannot make
        words = [mode] * (mode != "sampled") + [_MUTE] * mute
        self.name = f"{checkpoint.name}:{','.join(words)}" if words else checkpoint.name
        self.digest = checkpoint.digest
        self.network = Network(checkpoint.architecture, dict(checkpoint.weights), layout_of(checkpoint.rules).scale)

    def check_table(self, rules: Rules) -> None:
        """Refuse any table but its own.

        Raises:
            AgentError: it was made for another.
        """
        refuse_other_table(self.name, self.rules, rules)

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        """It remembers nothing."""

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: np.random.Generator,
        rows: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action per row (see ``truco_env.players.protocol.Agent``)."""
        known, masks = self._read(observations, masks)
        return self.network.act(known, masks, rng.random(len(masks)) if self.mode == "sampled" else None)

    def probabilities(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the probability of every action (see ``truco_env.players.protocol.Askable``): one of them is 1 if it plays greedily."""
        known, masks = self._read(observations, masks)
        if self.mode == "sampled":
            shares = self.network.probabilities(known, masks).astype(np.float64)
            return np.asarray(shares / shares.sum(axis=1, keepdims=True))
        chosen = np.zeros(masks.shape)
        chosen[np.arange(len(masks)), self.network.act(known, masks, None)] = 1.0
        return chosen

    def _read(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """What the network reads of a batch: without señas, where it has never seen any, and the actions it chooses from."""
        observations, masks = check_views(self.name, self.rules, observations, masks)
        return observations[:, : self.checkpoint.architecture.inputs], without_senas(masks) if self.mute else masks


def _can_read(learned: Rules, rules: Rules) -> bool:
    """Whether who learned one table can play at another of its rule set: the views are the same, or would be without their señas."""
    if learned.ruleset != rules.ruleset:
        return False
    silent = rules if rules.senas == "off" else Rules(rules.ruleset, rules.players, **{**rules.options, "senas": "off"})
    return layout_of(learned) in (layout_of(rules), layout_of(silent))


def load_agent(text: str, rules: Rules) -> Agent | None:
    """Turn ``FOLDER`` or ``FOLDER:MODE`` into an agent, or return None where there is no such folder.

    ``MODE`` is ``sampled`` (default), ``greedy``, ``transfer`` (play a table with the same observations but other options than those
    trained for; one with señas, if trained without, as if there were none), ``mute`` (make no señas), or several of them with commas
    between.

    Raises:
        CheckpointError: the folder is no checkpoint, is damaged, or was trained for another table.
    """
    folder, words = Path(text), list[str]()
    head, colon, tail = text.rpartition(":")
    if colon and not folder.is_dir():
        folder, words = Path(head), tail.split(",")
    if not folder.is_dir():
        return None
    unknown = [word for word in words if word not in (*MODES, _TRANSFER, _MUTE)]
    if unknown:
        raise CheckpointError(f"{text}: mode {unknown[0]!r} is not known: choose from {', '.join((*MODES, _TRANSFER, _MUTE))}")
    checkpoint = load(folder)
    if checkpoint.rules != rules:
        fits = _can_read(checkpoint.rules, rules)
        if not fits or _TRANSFER not in words:
            way = f"; {folder}:{_TRANSFER} lets it play anyway" if fits else ""
            raise CheckpointError(f"{folder} was trained for ({describe_rules(checkpoint.rules)}), not for ({describe_rules(rules)}){way}")
    if all(mode in words for mode in MODES):
        raise CheckpointError(f"{text}: choose one of {', '.join(MODES)}")
    return PPOAgent(checkpoint, mode="greedy" if "greedy" in words else "sampled", mute=_MUTE in words, rules=rules)
