"""Network: the policy of a trained agent as plain arrays, and its compiled forward pass.

Each row is computed on its own, in a fixed order, so an action does not depend on the rows beside it, on threads or on a BLAS;
and nobody who only plays needs torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from truco_env.observation.arrays import check_masks, check_observations

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Architecture:
    """The shape of a network: layers that policy and value share, then layers of their own. All hidden layers end in ReLU.

    Attributes:
        inputs: length of an observation.
        outputs: number of actions.
        trunk: widths of the shared hidden layers.
        policy: widths of the policy's own hidden layers.
        value: widths of the value's own hidden layers.
    """

    inputs: int
    outputs: int
    trunk: tuple[int, ...]
    policy: tuple[int, ...]
    value: tuple[int, ...]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of every array of weights, in the order of the layers."""
        shapes: dict[str, tuple[int, ...]] = {}

        def stack(name: str, width: int, widths: tuple[int, ...]) -> int:
            for i, out in enumerate(widths):
                shapes[f"{name}.{i}.weight"], shapes[f"{name}.{i}.bias"] = (out, width), (out,)
                width = out
            return width

        shared = stack("trunk", self.inputs, self.trunk)
        stack("policy", shared, (*self.policy, self.outputs))
        stack("value", shared, (*self.value, 1))
        return shapes


_compiled = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})


@_compiled  # type: ignore[untyped-decorator]
def _hidden(matrix: Any, bias: Any, x: Any, places: Any, y: Any) -> None:
    """Write ``relu(bias + x @ matrix)`` to ``y``; ``places`` is scratch space for the non-zero entries of ``x``."""
    inputs, outputs = matrix.shape
    count = 0
    for i in range(inputs):  # without a branch: which entries are zero cannot be predicted
        places[count] = i
        count += x[i] != 0
    for j in range(outputs):
        y[j] = bias[j]
    k = 0
    while k + 4 <= count:  # four rows at a time halve the time: y is read and written less often
        i0, i1, i2, i3 = places[k], places[k + 1], places[k + 2], places[k + 3]
        x0, x1, x2, x3 = x[i0], x[i1], x[i2], x[i3]
        row0, row1, row2, row3 = matrix[i0], matrix[i1], matrix[i2], matrix[i3]
        for j in range(outputs):
            y[j] += x0 * row0[j] + x1 * row1[j] + x2 * row2[j] + x3 * row3[j]
        k += 4
    while k < count:
        value, row = x[places[k]], matrix[places[k]]
        for j in range(outputs):
            y[j] += value * row[j]
        k += 1
    for j in range(outputs):
        y[j] = max(y[j], np.float32(0.0))


@_compiled  # type: ignore[untyped-decorator]
def _scores(matrix: Any, bias: Any, x: Any, mask: Any, scores: Any) -> int:
    """Write the logit of every legal action; ``matrix`` has one row per action. Returns the likeliest."""
    best = -1
    for action in range(len(mask)):
        if mask[action]:
            row = matrix[action]
            total = np.float32(0.0)
            for i in range(len(row)):
                total += row[i] * x[i]
            scores[action] = total + bias[action]
            if best < 0 or scores[action] > scores[best]:
                best = action
    return best


@_compiled  # type: ignore[untyped-decorator]
def _weigh(weights: Any, widths: Any, observations: Any, masks: Any, shares: Any, best: Any) -> None:
    """Write ``exp(logit - best logit)`` of every legal action to ``shares``, 0 elsewhere, and the likeliest action to ``best``.

    ``weights`` holds matrix and bias of each layer, the hidden ones with a row per input, the last with a row per action.
    """
    width = widths.max()
    x, y = np.empty(width, np.float32), np.empty(width, np.float32)
    places = np.empty(width + 1, np.int64)
    scores = np.empty(masks.shape[1], np.float32)
    last = len(widths) - 2
    for k in range(len(observations)):
        for i in range(widths[0]):
            x[i] = observations[k, i]
        start = 0
        for layer in range(last + 1):
            inputs, outputs = widths[layer], widths[layer + 1]
            middle, end = start + inputs * outputs, start + inputs * outputs + outputs
            if layer < last:
                _hidden(weights[start:middle].reshape(inputs, outputs), weights[middle:end], x, places, y)
                x, y = y, x
            else:
                matrix = weights[start:middle].reshape(outputs, inputs)
                best[k] = _scores(matrix, weights[middle:end], x, masks[k], scores)
            start = end
        for action in range(masks.shape[1]):
            legal = masks[k, action]
            shares[k, action] = np.exp(scores[action] - scores[best[k]]) if legal else np.float32(0.0)


@_compiled  # type: ignore[untyped-decorator]
def _sample(shares: Any, draws: Any, actions: Any) -> None:
    """Replace each action by the one that the row's draw in [0, 1) falls on."""
    for k in range(len(shares)):
        left = draws[k] * shares[k].sum()
        for action in range(shares.shape[1]):
            left -= shares[k, action]
            if left < 0:
                actions[k] = action
                break


class Network:
    """The policy of a trained agent.

    Args:
        architecture: its shape.
        weights: every array that ``architecture.shapes`` names, float32.
        scale: divisors of the observation's entries, int8 (architecture.inputs,).
    """

    def __init__(self, architecture: Architecture, weights: dict[str, FloatArray], scale: npt.NDArray[np.int8]) -> None:
        self.architecture = architecture
        self.weights = weights
        layers = [f"trunk.{i}" for i in range(len(architecture.trunk))]
        layers += [f"policy.{i}" for i in range(len(architecture.policy) + 1)]
        flat: list[FloatArray] = []
        for i, layer in enumerate(layers):
            matrix = weights[f"{layer}.weight"]
            if i == 0:
                matrix = (matrix / scale).astype(np.float32)
            flat += [(matrix if i == len(layers) - 1 else matrix.T).ravel(), weights[f"{layer}.bias"]]
        self._flat = np.concatenate(flat).astype(np.float32)
        self._widths = np.array([architecture.inputs, *architecture.trunk, *architecture.policy, architecture.outputs], dtype=np.int64)

    def act(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], draws: npt.NDArray[np.float64] | None
    ) -> npt.NDArray[np.int64]:
        """Choose an action per row.

        Args:
            observations: int8 (k, inputs).
            masks: int8 (k, outputs), 1 where legal.
            draws: float64 (k,) in [0, 1), to sample; None for the likeliest action.

        Returns:
            int64 (k,).

        Raises:
            ValueError: arrays of other shapes or types.
        """
        shares, actions = self._weigh(observations, masks)
        if draws is not None:
            draws = np.asarray(draws)
            if draws.dtype != np.float64 or draws.shape != actions.shape:
                raise ValueError(f"draws are {draws.dtype} of shape {draws.shape}: give float64 of shape {actions.shape}")
            _sample(shares, draws, actions)
        return actions

    def probabilities(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> FloatArray:
        """Return the probability of every action, float32 (k, outputs); arguments as for ``act``."""
        shares, _ = self._weigh(observations, masks)
        total: FloatArray = shares.sum(axis=1, keepdims=True)
        return shares / total

    def _weigh(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[FloatArray, npt.NDArray[np.int64]]:
        observations = check_observations(observations, self.architecture.inputs)
        masks = check_masks(masks, len(observations))
        shares = np.empty(masks.shape, dtype=np.float32)
        best = np.empty(len(masks), dtype=np.int64)
        _weigh(self._flat, self._widths, observations, masks, shares, best)
        return shares, best
