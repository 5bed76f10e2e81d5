"""The peers: random legal play in each of them, reading the observation and the legal actions at every decision.

Each function makes a measurement of one peer, and imports that peer only. Everybody chooses with the same few instructions, so that
what is compared is the environments.
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from benchmarks.meter import Measurement, Run, rate_of


def play_aec(env: Any) -> Run:
    """Return random play of a PettingZoo environment, episode by episode; the steps of finished agents are not counted."""
    draw = random.Random(1).random
    env.reset(seed=1)

    def run(steps: int) -> int:
        done = 0
        while done < steps:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(draw() * len(legal))])
                done += 1
        return done

    return run


def pettingzoo(seconds: float, game: str, maker: str) -> Measurement:
    """PettingZoo: ``maker`` (``env`` or ``raw_env``) of ``pettingzoo.classic.GAME``."""
    module = import_module(f"pettingzoo.classic.{game}")
    return rate_of(play_aec(getattr(module, maker)()), seconds)


def rlcard(seconds: float, game: str) -> Measurement:
    """RLCard: the environment of a game, with its default encoding."""
    import rlcard as library

    env = library.make(game, config={"seed": 1})
    draw = random.Random(1).random

    def run(steps: int) -> int:
        done = 0
        while done < steps:
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(draw() * len(legal))])
                done += 1
        return done

    return rate_of(run, seconds)


def open_spiel(seconds: float, game: str, tensor: str) -> Measurement:
    """OpenSpiel: a game from its Python interface, with ``tensor`` (a method of its states) read at every decision.

    Deals are chance nodes with equally likely outcomes; they take time but are not counted as decisions.
    """
    import pyspiel

    loaded = pyspiel.load_game(game)
    draw = random.Random(1).random

    def run(steps: int) -> int:
        done = 0
        while done < steps:
            state = loaded.new_initial_state()
            read = getattr(state, tensor)
            while not state.is_terminal():
                if not state.is_chance_node():
                    read()
                    done += 1
                legal = state.legal_actions()
                state.apply_action(legal[int(draw() * len(legal))])
        return done

    return rate_of(run, seconds)


def pgx(seconds: float, game: str, size: int) -> Measurement:
    """Pgx: a batch of games that restart by themselves, ``inner`` steps per call of compiled code."""
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental.wrappers import auto_reset

    env = library.make(game)
    step = jax.vmap(auto_reset(env.step, env.init))
    inner = 32

    def advance(_: int, carry: tuple[Any, Any]) -> tuple[Any, Any]:
        state, key = carry
        key, draws, resets = jax.random.split(key, 3)
        chances = jax.random.uniform(draws, state.legal_action_mask.shape) + 1.0
        actions = jnp.argmax(chances * state.legal_action_mask, axis=-1)
        return step(state, actions, jax.random.split(resets, size)), key

    play = jax.jit(lambda state, key: jax.lax.fori_loop(0, inner, advance, (state, key)))
    key = jax.random.PRNGKey(1)
    carry = play(jax.jit(jax.vmap(env.init))(jax.random.split(key, size)), key)
    jax.block_until_ready(carry)

    def run(steps: int) -> int:
        nonlocal carry
        calls = -(-steps // (inner * size))
        for _ in range(calls):
            carry = play(*carry)
        jax.block_until_ready(carry)
        return calls * inner * size

    return rate_of(run, seconds)


def pytruco(seconds: float) -> Measurement:
    """Pytruco: two players. It has no observation and no mask, so only the legal actions are read."""
    chis, new_match = import_module("pytruco.pdt.chi").chis, import_module("pytruco.pdt.partida").Partida
    draw = random.Random(1).random

    def run(steps: int) -> int:
        done = 0
        while done < steps:
            match = new_match(20, ["Alice"], ["Bob"], verbose=False)
            while not match.terminada():
                legal = [action for of_one in chis(match, False) for action in of_one]
                legal[int(draw() * len(legal))].hacer(match)
                done += 1
        return done

    return rate_of(run, seconds)
