"""Checkpoints: plain data in a folder, read without running code, and played as trained."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truco_agents.ppo import Architecture, Checkpoint, CheckpointError, PPOAgent, load
from truco_agents.ppo.arrays import read_arrays, write_arrays
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


def add_member(folder: Path, name: str, content: bytes, compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(folder / "weights.npz", "a") as archive:
        archive.writestr(name, content, compression)


def npy_header(shape: object) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


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
    "weights that are a plain array": (lambda f: (f / "weights.npz").write_bytes(npy_header((2,)) + bytes(8)), "cannot be read"),
    "a member that is no array": (lambda f: add_member(f, "notes.txt", b"hello"), "'notes.txt' is no array"),
    "a member that is an array by name only": (lambda f: add_member(f, "extra.npy", b"hello"), "cannot be read"),
    "a header of a shape that is not there": (lambda f: add_member(f, "extra.npy", npy_header((10**12,))), "does not have 0 bytes"),
    "a header of a negative shape": (lambda f: add_member(f, "extra.npy", npy_header((-2, -2)) + bytes(16)), "does not have 16 bytes"),
    "a header nested too deeply": (lambda f: add_member(f, "extra.npy", npy_header("(" * 9000)), "cannot be read"),
    "a header that is cut off": (lambda f: add_member(f, "extra.npy", npy_header((3,))[:20]), "cannot be read"),
    "compressed weights": (lambda f: add_member(f, "extra.npy", bytes(1 << 20), zipfile.ZIP_DEFLATED), "it is compressed"),
    "a manifest nested too deeply": (lambda f: (f / "manifest.json").write_text("[" * 100_000), "cannot be read"),
    "a manifest nested deeply": (lambda f: edit_manifest(f, lambda m: m.update(training={"a": nested(100)})), "at most 20 levels"),
    "a manifest with a huge number": (lambda f: (f / "manifest.json").write_text("[" + "9" * 5000 + "]"), "cannot be read"),
    "a manifest that is huge": (lambda f: (f / "manifest.json").write_text(" " * (5 << 20)), "larger than"),
    "infinite sizes": (lambda f: edit_manifest(f, lambda m: m["layout"].update(size=float("inf"))), "of the wrong kind"),
    "sizes that are text": (lambda f: edit_manifest(f, lambda m: m["network"].update(trunk=["24", 16])), "of the wrong kind"),
    "a trunk of 10**12": (lambda f: edit_manifest(f, lambda m: m["network"].update(trunk=[10**12])), "arrays are missing"),
    "a layer of no width": (lambda f: edit_manifest(f, lambda m: m["network"].update(trunk=[0])), "of the wrong kind"),
    "another size of observations": (lambda f: edit_manifest(f, lambda m: m["layout"].update(size=1)), "train it anew"),
    "an option out of all range": (lambda f: edit_manifest(f, lambda m: m["table"]["options"].update(sena_catch=10**400)), "sena_catch"),
    "control characters in the name": (
        lambda f: edit_manifest(f, lambda m: m.update(name="a\x1b[2Jb")),
        "name 'a\\x1b[2Jb' is not a printable text",
    ),
    "a new line in the name": (lambda f: edit_manifest(f, lambda m: m.update(name="a\nb")), "is not a printable text"),
    "a name that is no text": (lambda f: edit_manifest(f, lambda m: m.update(name=[["x"]])), "is not a printable text"),
    "no name": (lambda f: edit_manifest(f, lambda m: m.update(name="")), "is not a printable text"),
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
    assert words in message and str(folder) in message and message.isprintable(), message
    assert len(message) < 1000
    assert not (folder / "sprung").exists()


def test_a_small_file_that_unpacks_to_gigabytes_is_refused_at_once(folder: Path) -> None:
    with zipfile.ZipFile(folder / "weights.npz", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("trunk.0.bias.npy", "w") as member:
        member.write(npy_header((1 << 26,)))
        for _ in range(1 << 8):
            member.write(bytes(1 << 20))
    assert (folder / "weights.npz").stat().st_size < 1 << 19
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match="it is compressed"):
            load(folder)
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


def test_arrays_of_every_kind_are_read_back_and_the_same_ones_give_the_same_bytes(tmp_path: Path) -> None:
    arrays = {
        "scalar": np.array(3),
        "empty": np.zeros((0, 4), dtype=np.int8),
        "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        "bytes": np.arange(256, dtype=np.uint8),
    }
    for name in ("first.npz", "second.npz"):
        write_arrays(tmp_path / name, arrays)
    read = read_arrays(tmp_path / "first.npz")
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype and read[name].shape == array.shape and np.array_equal(read[name], array)
        assert read[name].flags.writeable
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()
    assert all(np.array_equal(array, arrays[name]) for name, array in np.load(tmp_path / "first.npz").items())


def test_the_digest_is_that_of_all_that_decides_how_it_plays() -> None:
    first = make_checkpoint()
    renamed = replace(first, name="other", training={})
    weights = {name: array.copy() for name, array in first.weights.items()}
    weights["trunk.0.bias"][0] += 1
    others = [replace(first, weights=weights), make_checkpoint(Rules("argentino", 2, target=15)), make_checkpoint(trunk=(8,))]
    assert renamed.digest == first.digest
    assert len({checkpoint.digest for checkpoint in (first, *others)}) == 4


def test_a_trained_agent_plays_at_no_table_but_its_own() -> None:
    agent = PPOAgent(make_checkpoint(Rules("argentino", 4)))
    with pytest.raises(AgentError, match=r"tester was made for \(argentino, 4 players\), not for \(argentino, 2 players\)"):
        make_agent(agent, RULES)
    observations, masks = positions(RULES)
    with pytest.raises(AgentError, match="cannot act: observations have shape"):
        agent.act(observations, masks, np.random.default_rng(0), np.arange(len(masks)))


def test_transfer_crosses_neither_rule_sets_nor_other_fields(tmp_path: Path) -> None:
    make_checkpoint(Rules("argentino", 6)).save(tmp_path / "six")
    for rules in (Rules("argentino", 6, pica_pica=True), Rules("reglamento", 6)):
        with pytest.raises(AgentError, match="was trained for"):
            make_agent(f"{tmp_path / 'six'}:transfer", rules)


def test_modes_that_exclude_each_other_are_refused(folder: Path) -> None:
    with pytest.raises(AgentError, match="choose one of sampled, greedy"):
        make_agent(f"{folder}:greedy,sampled", RULES)
