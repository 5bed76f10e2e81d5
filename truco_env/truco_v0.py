"""Truco for PettingZoo.

| | |
|---|---|
| import | ``from truco_env import truco_v0`` |
| agents | ``player_0`` .. ``player_(n-1)``, 2 to 8 |
| actions | discrete, 36, the same in every rule set (``truco_env.Action``); ``action_mask`` says which are legal |
| observations | ``{"observation": int8 vector, "action_mask": int8 vector}``; the vector's fields are in ``docs/observations.md`` |
| parallel API | no: one agent acts at a time, often the same one twice running |

``raw_env`` is the environment itself and raises on an illegal action. ``env`` adds the checks that PettingZoo's environments usually
have: calls in a wrong order and actions out of range are errors, an illegal action ends the episode and costs its agent 1.
"""

from __future__ import annotations

from truco_env.envs.aec import TrucoEnv as raw_env  # noqa: N813
from truco_env.envs.checked import CheckedEnv
from truco_env.rules.options import Rules

__all__ = ["env", "raw_env"]


def env(
    ruleset: str | Rules = "argentino",
    players: int = 2,
    *,
    episode: str = "match",
    reward: str = "win",
    render_mode: str | None = None,
    perspective: int | str = "all",
    **options: object,
) -> CheckedEnv:
    """Return the environment with PettingZoo's usual checks; the arguments are those of ``raw_env``."""
    return CheckedEnv(
        raw_env(ruleset, players, episode=episode, reward=reward, render_mode=render_mode, perspective=perspective, **options)
    )
