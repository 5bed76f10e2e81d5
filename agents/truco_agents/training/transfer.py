"""Beginning with a trained agent: its weights, for the observations of another table too."""

from __future__ import annotations

import numpy as np

from truco_agents.ppo.checkpoint import Checkpoint
from truco_agents.ppo.network import Architecture, FloatArray
from truco_agents.training.config import ConfigError
from truco_env.observation.layout import Layout, layout_of
from truco_env.rules.options import Rules


def weights_from(agent: Checkpoint, rules: Rules, architecture: Architecture) -> dict[str, FloatArray]:
    """Return the weights of a trained agent for a network of the same layers that sees another table, or the same one.

    Inputs are matched by the names of the fields of the observation, and within a field by position, as far as both have entries
    (seats count from the observer, so the next seat stays the next seat). Inputs that the agent never had begin with weight 0: at first
    the new network does what the agent would do without them.

    Raises:
        ConfigError: its layers have other widths.
    """
    for part in ("trunk", "policy", "value"):
        theirs, ours = getattr(agent.architecture, part), getattr(architecture, part)
        if theirs != ours:
            raise ConfigError(f"init: {agent.name} has net.{part}={list(theirs)}, the config says {list(ours)}: they must be the same")
    weights = {name: array.copy() for name, array in agent.weights.items()}
    for name in ("trunk.0.weight",) if architecture.trunk else ("policy.0.weight", "value.0.weight"):
        weights[name] = _map_inputs(weights[name], layout_of(agent.rules), layout_of(rules))
    return weights


def _map_inputs(matrix: FloatArray, old: Layout, new: Layout) -> FloatArray:
    """Return the first matrix of a network, (outputs, old.size), for the observations of another layout, (outputs, new.size)."""
    outputs = len(matrix)
    mapped = np.zeros((outputs, new.size), dtype=np.float32)
    known = {field.name: field for field in old.fields}
    for field in new.fields:
        source = known.get(field.name)
        if source is None or len(source.shape) != len(field.shape):
            continue
        shared = (slice(None), *(slice(min(a, b)) for a, b in zip(source.shape, field.shape, strict=True)))
        block = matrix[:, source.start : source.start + source.size].reshape(outputs, *source.shape)
        room = mapped[:, field.start : field.start + field.size].reshape(outputs, *field.shape)  # a view
        room[shared] = block[shared] * np.float32(field.scale / source.scale)
    return mapped
