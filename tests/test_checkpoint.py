"""Checkpoints: plain data in a folder, read without running code, and played as trained."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truco_agents.ppo import Architecture, Checkpoint, CheckpointError, PPOAgent, load
from truco_env.batch.batch import Batch
from truco_env.observation.layout import layout_of
from truco_env.observation.masks import pick_uniform
from truco_env.players.protocol import Agent, AgentError
from truco_env.players.registry import make_agent
from truco_env.rules.actions import N_ACTIONS, Action
from truco_env.rules.options import Rules

RULES = Rules("argentino", 2)


def make_checkpoint(rules: Rules = RULES, *, trunk: tuple[int, ...] = (24, 16), policy: tuple[int, ...] = ()) -> Checkpoint:
    architecture = Architecture(layout_of(rules).size, N_ACTIONS, trunk, policy, (8,))
    rng = np.random.default_rng(5)
    weights = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in architecture.shapes().items()}
    return Checkpoint("tester", rules, architecture, weights, {"steps": 7})


def positions(rules: Rules = RULES, size: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Views of some positions in mid-game, with masks."""
    batch = Batch(rules, size)
    batch.reset(3)
    rng = np.random.default_rng(4)
    for _ in range(25):
        batch.step(pick_uniform(batch.masks, rng))
    return batch.observations.copy(), batch.masks.copy()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_checkpoint().save(tmp_path / "tester")
    return tmp_path / "tester"


def test_what_was_saved_is_read_back(folder: Path) -> None:
    saved, read = make_checkpoint(), load(folder)
    assert (read.name, read.rules, read.architecture, read.training) == (saved.name, saved.rules, saved.architecture, saved.training)
    assert all(np.array_equal(read.weights[name], saved.weights[name]) for name in saved.weights)


def test_saving_again_replaces_the_folder_and_leaves_nothing_beside_it(folder: Path) -> None:
    make_checkpoint(trunk=(8,)).save(folder)
    assert load(folder).architecture.trunk == (8,)
    assert [path.name for path in folder.parent.iterdir()] == ["tester"]


@pytest.mark.parametrize("policy", [(), (12,)])
def test_the_network_computes_the_masked_softmax_of_its_layers(policy: tuple[int, ...]) -> None:
    checkpoint = make_checkpoint(policy=policy)
    observations, masks = positions()
    x = observations / layout_of(RULES).scale.astype(np.float64)
    layers = [*(f"trunk.{i}" for i in range(2)), *(f"policy.{i}" for i in range(len(policy) + 1))]
    for i, layer in enumerate(layers):
        x = x @ checkpoint.weights[f"{layer}.weight"].T + checkpoint.weights[f"{layer}.bias"]
        if i < len(layers) - 1:
            x = np.maximum(x, 0)
    expected = np.where(masks == 1, np.exp(x), 0)
    expected /= expected.sum(axis=1, keepdims=True)
    found = PPOAgent(checkpoint).network.probabilities(observations, masks)
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_a_row_is_played_alike_alone_and_in_company() -> None:
    network = PPOAgent(make_checkpoint()).network
    observations, masks = positions()
    together = network.probabilities(observations, masks)
    for k in range(len(masks)):
        assert np.array_equal(together[k], network.probabilities(observations[k : k + 1], masks[k : k + 1])[0])


def test_sampling_follows_the_policy_and_greedy_takes_its_mode() -> None:
    agent = PPOAgent(make_checkpoint())
    observations, masks = positions(size=4)
    n = 20_000
    rng = np.random.default_rng(1)
    for k in range(4):
        many = np.repeat(observations[k : k + 1], n, axis=0), np.repeat(masks[k : k + 1], n, axis=0)
        shares = np.bincount(agent.act(*many, rng, np.arange(n)), minlength=N_ACTIONS) / n
        expected = agent.network.probabilities(observations[k : k + 1], masks[k : k + 1])[0]
        assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / n)
        assert not shares[masks[k] == 0].any()
        greedy = PPOAgent(agent.checkpoint, mode="greedy").act(observations[k : k + 1], masks[k : k + 1], rng, np.arange(1))
        assert greedy[0] == expected.argmax()


def test_a_folder_is_an_agent_and_so_is_the_run_around_it(folder: Path, tmp_path: Path) -> None:
    assert isinstance(make_agent(str(folder), RULES), Agent)
    make_checkpoint().save(tmp_path / "run" / "agent")
    assert make_agent(str(tmp_path / "run"), RULES).name == "tester"
    greedy = make_agent(f"{folder}:greedy", RULES)
    assert isinstance(greedy, PPOAgent) and greedy.mode == "greedy"


def test_another_table_is_refused_unless_it_looks_the_same_and_that_is_asked_for(folder: Path) -> None:
    other = Rules("argentino", 2, flor_mode="off")
    with pytest.raises(AgentError, match=r".argentino, 2 players., not for .argentino, 2 players, flor_mode=off.; .*:transfer"):
        make_agent(str(folder), other)
    assert make_agent(f"{folder}:transfer", other).name == "tester"
    with pytest.raises(AgentError, match=r"was trained for .argentino, 2 players., not for") as caught:
        make_agent(f"{folder}:transfer", Rules("argentino", 4))
    assert "\n" not in str(caught.value)


def test_trained_without_senas_it_plays_with_them_as_if_there_were_none(tmp_path: Path) -> None:
    silent, signing = Rules("argentino", 4), Rules("argentino", 4, senas="free")
    make_checkpoint(silent).save(tmp_path / "silent")
    agent = make_agent(f"{tmp_path / 'silent'}:transfer", signing)
    batch, rows = Batch(signing, 64), np.arange(64)
    batch.reset(1)
    own = PPOAgent(make_checkpoint(silent))
    for step in range(40):
        masks = batch.masks.copy()
        masks[:, int(Action.SENA_AS_ESPADAS) :] = 0
        actions = agent.act(batch.observations, batch.masks, np.random.default_rng(step), rows)
        same = own.act(batch.observations[:, : layout_of(silent).size], masks, np.random.default_rng(step), rows)
        assert actions.tolist() == same.tolist()
        batch.step(actions)


def test_a_mute_agent_makes_no_senas(tmp_path: Path) -> None:
    rules = Rules("argentino", 4, senas="free")
    make_checkpoint(rules).save(tmp_path / "agent")
    batch, rows, made = Batch(rules, 64), np.arange(64), {}
    for mode in ("sampled", "mute"):
        agent = make_agent(f"{tmp_path / 'agent'}:{mode}", rules)
        batch.reset(1)
        made[mode] = bool((agent.act(batch.observations, batch.masks, np.random.default_rng(1), rows) >= Action.SENA_AS_ESPADAS).any())
    assert made == {"sampled": True, "mute": False}


def test_an_unknown_mode_is_refused(folder: Path) -> None:
    with pytest.raises(AgentError, match="'gredy' is not known: choose from sampled, greedy, transfer, mute"):
        make_agent(f"{folder}:gredy", RULES)


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def edit_weights(folder: Path, change: Callable[[dict[str, np.ndarray]], object]) -> None:
    weights = dict(np.load(folder / "weights.npz"))
    change(weights)
    np.savez(folder / "weights.npz", **weights)


class Trap:
    """Pickled, it creates a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "is no checkpoint: it has no manifest.json"),
    "manifest is no JSON": (lambda f: (f / "manifest.json").write_text("{"), "cannot be read"),
    "manifest is binary": (lambda f: (f / "manifest.json").write_bytes(b"\xff\xfe\x00"), "cannot be read"),
    "another format": (lambda f: edit_manifest(f, lambda m: m.update(format="x")), "not the manifest of a truco-env ppo agent"),
    "a later version": (lambda f: edit_manifest(f, lambda m: m.update(version=99)), "version 99 is not known: this program reads 1"),
    "an entry missing": (lambda f: edit_manifest(f, lambda m: m.pop("network")), "'network'"),
    "an entry of another kind": (lambda f: edit_manifest(f, lambda m: m["network"].update(trunk="wide")), "of the wrong kind"),
    "an unknown option": (lambda f: edit_manifest(f, lambda m: m["table"]["options"].update(florr=1)), "unknown option 'florr'"),
    "another activation": (lambda f: edit_manifest(f, lambda m: m["network"].update(activation="tanh")), "only relu is"),
    "other observations": (lambda f: edit_manifest(f, lambda m: m["layout"].update(sha256="0")), "train it anew"),
    "no weights": (lambda f: (f / "weights.npz").unlink(), "cannot be read"),
    "weights cut off": (lambda f: (f / "weights.npz").write_bytes((f / "weights.npz").read_bytes()[:900]), "cannot be read"),
    "an array missing": (lambda f: edit_weights(f, lambda w: w.pop("trunk.0.bias")), "trunk.0.bias"),
    "an array too many": (lambda f: edit_weights(f, lambda w: w.update(extra=np.zeros(1))), "extra"),
    "another shape": (lambda f: edit_weights(f, lambda w: w.update({"trunk.0.bias": np.zeros(3, np.float32)})), "trunk.0.bias"),
    "another type": (lambda f: edit_weights(f, lambda w: w.update({"trunk.0.bias": np.zeros(24)})), "float64"),
    "not finite": (lambda f: edit_weights(f, lambda w: w["trunk.0.bias"].fill(np.nan)), "not finite"),
    "a pickle among them": (
        lambda f: edit_weights(f, lambda w: w.update({"trunk.0.bias": np.array([Trap(f / "sprung")] * 24, dtype=object)})),
        "cannot be read",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_is_refused_in_one_line_and_runs_no_code(folder: Path, damage: str) -> None:
    spoil, words = DAMAGE[damage]
    spoil(folder)
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    message = str(caught.value)
    assert words in message and str(folder) in message and "\n" not in message, message
    assert not (folder / "sprung").exists()


def test_a_trained_agent_plays_at_no_table_but_its_own() -> None:
    agent = PPOAgent(make_checkpoint(Rules("argentino", 4)))
    with pytest.raises(AgentError, match=r"tester was made for \(argentino, 4 players\), not for \(argentino, 2 players\)"):
        make_agent(agent, RULES)
    observations, masks = positions(RULES)
    with pytest.raises(AgentError, match="reads observations of"):
        agent.act(observations, masks, np.random.default_rng(0), np.arange(len(masks)))


def test_transfer_crosses_neither_rule_sets_nor_other_fields(tmp_path: Path) -> None:
    make_checkpoint(Rules("argentino", 6)).save(tmp_path / "six")
    for rules in (Rules("argentino", 6, pica_pica=True), Rules("reglamento", 6)):
        with pytest.raises(AgentError, match="was trained for"):
            make_agent(f"{tmp_path / 'six'}:transfer", rules)


def test_modes_that_exclude_each_other_are_refused(folder: Path) -> None:
    with pytest.raises(AgentError, match="choose one of sampled, greedy"):
        make_agent(f"{folder}:greedy,sampled", RULES)
