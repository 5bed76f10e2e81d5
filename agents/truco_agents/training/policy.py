"""TrucoPolicy: the network of the learner, as a policy of sb3-contrib without the parts that only cost time here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional

from truco_agents.ppo.network import Architecture, FloatArray

_ILLEGAL: Final = -1e8  # a logit


class TableTrunk(BaseFeaturesExtractor):
    """Scales observations to about 0..1 and runs them through the layers that policy and value share.

    Args:
        observation_space: the int8 vector.
        scale: its divisors, int8 of the same shape (``layout.scale``).
        widths: of the layers.
    """

    def __init__(self, observation_space: spaces.Box, scale: npt.NDArray[np.int8], widths: tuple[int, ...]) -> None:
        width = observation_space.shape[0]
        super().__init__(observation_space, widths[-1] if widths else width)
        self.factor: torch.Tensor = nn.Buffer(torch.from_numpy(1.0 / scale.astype(np.float32)), persistent=False)
        self.layers: list[nn.Linear] = []
        for i, out in enumerate(widths):
            self.layers.append(nn.Linear(width, out))
            self.add_module(f"layer_{i}", self.layers[-1])
            width = out

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the features, float32 (k, widths[-1])."""
        if not self.layers:
            return observations * self.factor
        features = observations
        for i, layer in enumerate(self.layers):
            # Scaling the first matrix instead of all observations is the same and saves a tenth of the training time.
            weight = layer.weight * self.factor if i == 0 else layer.weight
            features = torch.relu_(functional.linear(features, weight, layer.bias))
        return features


class Anchored(NamedTuple):
    """Legal actions, with what a magnet says of them; takes the place of the masks in a minibatch.

    Attributes:
        masks: int8 (k, N_ACTIONS).
        anchors: float32 (k, N_ACTIONS), log probabilities of the magnet.
    """

    masks: torch.Tensor
    anchors: torch.Tensor


class TrucoPolicy(MaskableActorCriticPolicy):
    """MaskableActorCriticPolicy with the same distribution, computed without ``torch.distributions``.

    Sampling draws from ``generator``, an own stream that a run can save.
    """

    generator: torch.Generator
    entropy_weight: float = 1.0
    """What the entropy counts in what ``evaluate_actions`` returns."""
    magnet_weight: float = 0.0
    """What the divergence from the magnet counts there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entropies: list[torch.Tensor] = []  #: means of the minibatches since the last ``take_measured``
        self.divergences: list[torch.Tensor] = []

    def _logits(self, features: torch.Tensor, masks: Any) -> torch.Tensor:
        logits: torch.Tensor = self.action_net(self.mlp_extractor.forward_actor(features))
        return logits.masked_fill(torch.as_tensor(masks, device=logits.device) == 0, _ILLEGAL)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: npt.NDArray[np.int8] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Choose actions: int64 (k,), their values float32 (k, 1) and log probabilities float32 (k,)."""
        features: torch.Tensor = self.features_extractor(obs.float())
        values = self.value_net(self.mlp_extractor.forward_critic(features))
        logits = self._logits(features, action_masks)
        if deterministic:
            actions = logits.argmax(dim=1)
        else:
            reached = torch.softmax(logits, dim=1).cumsum(dim=1)
            draws = 1.0 - torch.rand(len(reached), 1, generator=self.generator, device=reached.device)  # in (0, 1]
            actions = (reached < draws * reached[:, -1:]).sum(dim=1)
        return actions, values, torch.log_softmax(logits, dim=1).gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | Anchored | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return values (k, 1), log probabilities (k,) and regularisers (k,) of the policy as it is now.

        The third is what SB3 takes for the entropy, and maximises: here the entropy times its weight, less the divergence
        KL(policy || magnet) over the legal actions times its own, where the masks come with the magnet's anchors.
        """
        features: torch.Tensor = self.features_extractor(obs.float())
        values = self.value_net(self.mlp_extractor.forward_critic(features))
        logits = self._logits(features, action_masks.masks if isinstance(action_masks, Anchored) else action_masks)
        log_probabilities = torch.log_softmax(logits, dim=1)
        # A second softmax is faster than exp, which is slow where it underflows.
        probabilities = torch.softmax(logits, dim=1)
        entropy = -(probabilities * log_probabilities).sum(dim=1)
        self.entropies.append(entropy.detach().mean())
        regulariser = self.entropy_weight * entropy
        if isinstance(action_masks, Anchored):
            divergence = (probabilities * (log_probabilities - action_masks.anchors)).sum(dim=1)
            self.divergences.append(divergence.detach().mean())
            regulariser = regulariser - self.magnet_weight * divergence
        return values, log_probabilities.gather(1, actions[:, None])[:, 0], regulariser

    def log_probabilities(self, obs: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return the log probability of every action, float32 (k, N_ACTIONS), very low where it is not legal."""
        return torch.log_softmax(self._logits(self.features_extractor(obs.float()), masks), dim=1)

    def take_measured(self) -> dict[str, float]:
        """Return the means of ``entropy`` and, with a magnet, ``divergence`` since the last call."""
        measured = {"entropy": self.entropies, "divergence": self.divergences}
        self.entropies, self.divergences = [], []
        return {name: float(torch.stack(values).mean()) for name, values in measured.items() if values}

    def tensors(self, architecture: Architecture) -> dict[str, torch.Tensor]:
        """Return all parameters, named as in ``architecture.shapes``."""
        assert isinstance(self.features_extractor, TableTrunk)
        modules = [*self.features_extractor.layers, *self.mlp_extractor.policy_net.children(), self.action_net]
        modules += [*self.mlp_extractor.value_net.children(), self.value_net]
        layers = [module for module in modules if isinstance(module, nn.Linear)]
        parameters: list[torch.Tensor] = [parameter for layer in layers for parameter in (layer.weight, layer.bias)]
        return dict(zip(architecture.shapes(), parameters, strict=True))

    def assign(self, architecture: Architecture, weights: Mapping[str, FloatArray]) -> None:
        """Take over weights that ``export`` returned.

        Raises:
            ValueError: an array is missing, or of another shape.
        """
        for name, tensor in self.tensors(architecture).items():
            if name not in weights or weights[name].shape != tuple(tensor.shape):
                raise ValueError(f"{name} is missing or not of shape {tuple(tensor.shape)}")
            with torch.no_grad():
                tensor.copy_(torch.from_numpy(weights[name]))

    def export(self, architecture: Architecture) -> dict[str, FloatArray]:
        """Return a copy of all parameters as arrays, named as in ``architecture.shapes``."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors(architecture).items()}
