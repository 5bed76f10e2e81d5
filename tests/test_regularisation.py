"""The pull towards the moving average of the learner's weights, and beginning with a trained agent."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.test_selfplay import SMOKE, Silent, begin, make_trainer
from truco_agents.ppo import CheckpointError, PPOAgent, load
from truco_agents.training.cli import main
from truco_agents.training.config import ConfigError
from truco_agents.training.config_file import read_config
from truco_agents.training.policy import Anchored
from truco_agents.training.run_folder import RunFolder
from truco_agents.training.trainer import Trainer, TrainingStopped
from truco_env.observation.layout import layout_of
from truco_env.rules.options import Rules

MAGNET = "ppo.magnet={coef: 0.3, rate: 0.25}"


def test_the_regulariser_is_the_weighted_entropy_less_the_weighted_divergence_from_the_average(tmp_path: Path) -> None:
    trainer = begin(tmp_path, MAGNET)
    policy, average = trainer.model.policy, trainer.model.average
    assert average is not None
    observations, masks = torch.from_numpy(trainer.env.reset()), torch.from_numpy(trainer.env.action_masks())
    with torch.no_grad():
        policy.tensors(trainer.architecture)["policy.0.bias"].copy_(torch.linspace(-1, 1, len(masks[0])))
    ours, theirs = (PPOAgent(trainer.checkpoint(which)).network for which in ("learner", "average"))
    p, q = (network.probabilities(observations.numpy(), masks.numpy()).astype(np.float64) for network in (ours, theirs))
    legal = masks.numpy() == 1
    entropy = -np.where(legal, p * np.log(np.where(legal, p, 1)), 0).sum(axis=1)
    divergence = np.where(legal, p * np.log(np.where(legal, p, 1) / np.where(legal, q, 1)), 0).sum(axis=1)
    assert divergence.min() >= 0 and divergence.max() > 0.05
    policy.entropy_weight, policy.magnet_weight = 0.5, 2.0
    policy.take_measured()
    anchored = Anchored(masks, average.log_probabilities(observations, masks))
    found = policy.evaluate_actions(observations, masks.argmax(dim=1), action_masks=anchored)[2]
    np.testing.assert_allclose(found.detach().numpy(), 0.5 * entropy - 2.0 * divergence, atol=2e-3)
    assert policy.take_measured() == pytest.approx({"entropy": entropy.mean(), "divergence": divergence.mean()}, abs=2e-3)
    torch.autograd.backward(found.sum())
    assert all(parameter.grad is None for parameter in average.parameters()) and policy.action_net.weight.grad is not None


def test_the_average_follows_by_its_rate_after_each_update(tmp_path: Path) -> None:
    trainer = begin(tmp_path, MAGNET, "ppo.total_steps=512", "evaluation.opponents=[]")
    before = trainer.checkpoint("learner").weights
    trainer.run()
    after, average = trainer.checkpoint("learner").weights, trainer.checkpoint("average").weights
    for name, array in average.items():
        np.testing.assert_allclose(array, 0.75 * before[name] + 0.25 * after[name], atol=1e-6)
    assert trainer.curves.rows[-1]["train/divergence"] >= 0


def test_a_strong_pull_keeps_the_policy_near_its_average(tmp_path: Path) -> None:
    def divergence(coef: float) -> float:
        magnet = f"ppo.magnet={{coef: {coef}, rate: 0}}"
        trainer = begin(tmp_path, magnet, "ppo.learning_rate=3e-3", "ppo.entropy=0", "evaluation.opponents=[]")
        trainer.run()
        return trainer.curves.rows[-1]["train/divergence"]

    assert divergence(5.0) < 0.5 * divergence(1e-6)


def test_weights_follow_their_schedules(tmp_path: Path) -> None:
    trainer = begin(
        tmp_path,
        "ppo.total_steps=1024",
        "evaluation.opponents=[]",
        "ppo.entropy={start: 0.4, end: 0}",
        "ppo.magnet={coef: {start: 0, end: 1}, rate: 0}",
    )
    trainer.run()
    assert trainer.model.policy.entropy_weight == 0
    assert trainer.model.policy.magnet_weight == 1


@pytest.mark.parametrize("publish", ["learner", "average"])
def test_a_run_with_an_average_resumes_bit_for_bit_and_publishes_what_was_asked_for(tmp_path: Path, publish: str) -> None:
    changes = (MAGNET, f"publish={publish}", "ppo.total_steps=1536", "evaluation.opponents=[]", "opponents.mirror=0.5")
    whole, first = (begin(tmp_path, *changes) for _ in range(2))
    whole.run()
    reporter = Silent(at=512)
    first.reporter, reporter.trainer = reporter, first
    with pytest.raises(TrainingStopped) as stopped:
        first.run()
    second = Trainer(first.config, first.folder, Silent())
    second.restore(stopped.value.checkpoint)
    assert second.checkpoint().digest == load(stopped.value.checkpoint).digest
    second.run()
    for which in ("learner", "average"):
        assert second.checkpoint(which).digest == whole.checkpoint(which).digest
    assert load(second.folder.agent).digest == whole.checkpoint(publish).digest
    assert whole.checkpoint("learner").digest != whole.checkpoint("average").digest


def test_an_average_can_be_published_without_a_pull(tmp_path: Path) -> None:
    trainer = begin(tmp_path, "publish=average", "ppo.total_steps=512", "evaluation.opponents=[]")
    trainer.run()
    assert trainer.checkpoint().digest == trainer.checkpoint("average").digest != trainer.checkpoint("learner").digest
    assert "train/divergence" not in trainer.curves.rows[-1]


def test_a_rate_above_one_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"ppo.magnet.rate must be between 0 and 1"):
        read_config(SMOKE, ["ppo.magnet.rate=1.5"])


# Beginning with a trained agent


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trainer = begin(tmp_path_factory.mktemp("trained"), "ppo.total_steps=1024", "evaluation.opponents=[]")
    trainer.run()
    return trainer.folder.path


def test_a_run_begins_with_the_agent_that_it_is_given(tmp_path: Path, trained: Path) -> None:
    trainer = begin(tmp_path, f"init={trained}", "publish=average", "seed=9")
    for which in ("learner", "average"):
        assert trainer.checkpoint(which).digest == load(trained).digest
    assert make_trainer(tmp_path, "seed=9").checkpoint().digest != load(trained).digest


@pytest.mark.parametrize(
    "changes",
    [
        ("table.options={senas: free, flor_mode: off}", "table.players=2"),
        ("table.players=4", "table.options={senas: truthful}"),
        ("table.players=3",),
    ],
    ids=["senas", "2v2", "gallo"],
)
def test_at_another_table_the_fields_that_both_have_weigh_the_same_and_the_others_nothing(
    tmp_path: Path, trained: Path, changes: tuple[str, ...]
) -> None:
    trainer = begin(tmp_path, f"init={trained}", *changes)
    old, new = layout_of(Rules("argentino")), trainer.batch.layout
    rng = np.random.default_rng(0)
    seen, other = np.zeros(old.size), rng.random(new.size)  # what both networks are shown, unscaled
    known = {field.name: field for field in old.fields}
    shared = 0
    for field in new.fields:
        if field.name not in known or len(known[field.name].shape) != len(field.shape):
            continue
        theirs = known[field.name]
        common = tuple(slice(min(a, b)) for a, b in zip(theirs.shape, field.shape, strict=True))
        values = other[field.start : field.start + field.size].reshape(field.shape)[common]
        seen[theirs.start : theirs.start + theirs.size].reshape(theirs.shape)[common] = values
        shared += values.size
    assert shared > old.size / 2
    before, after = load(trained).weights, trainer.checkpoint().weights
    np.testing.assert_allclose(
        after["trunk.0.weight"] @ (other / new.scale), before["trunk.0.weight"] @ (seen / old.scale), rtol=1e-4, atol=1e-5
    )
    assert all(np.array_equal(after[name], array) for name, array in before.items() if name != "trunk.0.weight")


def test_an_agent_with_other_layers_or_none_leaves_an_old_run_where_it_is(
    tmp_path: Path, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunFolder(tmp_path / "run") as old:
        old.create(read_config(SMOKE))
    for change, told in (
        (["net.trunk=[16]"], r"init: smoke has net.trunk=\[32\], the config says \[16\]"),
        (["init=nowhere"], "nowhere is no"),
    ):
        assert main(["--config", str(SMOKE), "--run", str(tmp_path / "run"), f"init={trained}", *change]) == 2
        assert re.search(told, capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_run_goes_on_without_the_agent_that_it_began_with(tmp_path: Path, trained: Path) -> None:
    moved = tmp_path / "agent"
    moved.symlink_to(trained / "agent")
    run = tmp_path / "run"
    assert main(["--config", str(SMOKE), "--run", str(run), f"init={moved}", "ppo.total_steps=512", "evaluation.opponents=[]"]) == 0
    moved.unlink()
    assert main(["--resume", str(run), "ppo.total_steps=1024"]) == 0
    assert load(run).training["steps"] == 1024


def test_an_average_of_another_shape_is_damage(tmp_path: Path) -> None:
    trainer = begin(tmp_path, MAGNET, "ppo.total_steps=512", "evaluation.opponents=[]")
    trainer.run()
    checkpoint = trainer.folder.checkpoints()[-1]
    (checkpoint / "average.npz").write_bytes((checkpoint / "optimizer.npz").read_bytes())
    with pytest.raises(CheckpointError, match="is damaged"):
        Trainer(trainer.config, trainer.folder, Silent()).restore(checkpoint)
