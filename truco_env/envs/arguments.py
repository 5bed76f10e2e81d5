"""What an environment's constructor takes: keywords and render modes, refused by name where they are unknown."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

from truco_env.errors import ArgumentError
from truco_env.rules.options import OPTIONS


def check_keywords(environment: Callable[..., object], options: Mapping[str, object]) -> None:
    """Refuse keywords that are neither arguments of ``environment`` nor options of the rule book.

    Raises:
        ArgumentError: there is one. Its text has Python's own words for it, by which TorchRL's ``GymEnv`` knows that it should not have
            passed ``frameskip``.
    """
    for name in options:
        if name not in OPTIONS:
            parameters = inspect.signature(environment).parameters.values()
            own = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
            near = get_close_matches(name, [*own, *OPTIONS], n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ArgumentError(
                f"{environment.__name__} got an unexpected keyword argument {name!r}: it is neither an argument of the environment nor an "
                f"option of the rule book{hint}"
            )


def check_render_mode(mode: str | None, known: Sequence[str]) -> str | None:
    """Return a render mode; ``None`` is always possible.

    Raises:
        ArgumentError: the environment does not have it. Stable-Baselines3 asks for ``"rgb_array"`` and goes on without where it gets this.
    """
    if mode is not None and mode not in known:
        allowed = f"choose one of {', '.join(known)}, or None" if known else "this environment renders nothing, leave it out"
        raise ArgumentError(f"render_mode={mode!r} is not possible: {allowed}")
    return mode
