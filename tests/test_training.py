"""Training: the vector environment keeps its contracts, the loser's reward arrives, runs resume exactly, and learning learns."""

from __future__ import annotations

import csv
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from truco_agents import extras
from truco_agents.arena.result import MatchResult, load_result
from truco_agents.ppo import Checkpoint, CheckpointError, PPOAgent, load
from truco_agents.training.cli import main
from truco_agents.training.config import Config
from truco_agents.training.config_file import read_config
from truco_agents.training.curves import Curves
from truco_agents.training.pool import Tally
from truco_agents.training.run_folder import RunFolder
from truco_agents.training.trainer import Trainer, TrainingStopped
from truco_agents.training.vec_env import TrucoVecEnv
from truco_env.batch.learner import LearnerBatch
from truco_env.observation.masks import pick_uniform
from truco_env.players.registry import make_agent
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules, describe_rules

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "configs" / "smoke.yaml"
RULES = Rules("argentino", 2)


class Silent:
    """A reporter that keeps what it is told."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.evaluations: list[int] = []

    def progress(self, steps: int, speed: float) -> None:
        self.steps.append(steps)

    def evaluated(self, steps: int, results: Mapping[str, MatchResult]) -> None:
        self.evaluations.append(steps)


def make_env(rules: Rules = RULES, *, size: int = 64, reward: str = "win", learner: str = "side") -> TrucoVecEnv:
    return TrucoVecEnv(LearnerBatch(rules, size, [make_agent("random", rules)], learner=learner, reward=reward, seed=1))


def make_trainer(folder: Path, *changes: str) -> Trainer:
    config = read_config(SMOKE, changes)
    run = RunFolder(Path(mkdtemp(dir=folder)) / "run")
    run.create(config)
    return Trainer(config, run, Silent())


def weights_of(trainer: Trainer) -> dict[str, np.ndarray]:
    return dict(trainer.checkpoint().weights)


# The vector environment


def test_observations_of_a_step_are_not_changed_by_the_next() -> None:
    env, rng = make_env(), np.random.default_rng(0)
    kept = env.reset()
    for _ in range(20):
        before = kept.copy()
        observations, rewards, _, _ = env.step(pick_uniform(env.action_masks(), rng))
        assert isinstance(observations, np.ndarray) and observations.dtype == np.int8
        assert np.array_equal(kept, before)
        assert not np.shares_memory(kept, observations)
        assert rewards.dtype == np.float32
        kept = observations


def test_masks_come_as_one_array_of_what_is_legal_now() -> None:
    env, rng = make_env(), np.random.default_rng(0)
    env.reset()
    assert is_masking_supported(env)
    for _ in range(20):
        masks = get_action_masks(env)
        assert masks.shape == (64, N_ACTIONS) and masks.any(axis=1).all()
        env.step(pick_uniform(masks, rng))


def test_infos_are_empty_but_at_the_end_of_an_episode() -> None:
    env, rng = make_env(), np.random.default_rng(0)
    env.reset()
    ended = 0
    for _ in range(150):
        _, _, dones, infos = env.step(pick_uniform(env.action_masks(), rng))
        assert len({id(info) for info in infos}) == len(infos)
        for done, info in zip(dones, infos, strict=True):
            assert set(info) == ({"episode", "terminal_observation"} if done else set())
        ended += int(dones.sum())
    assert ended > 50


@pytest.mark.parametrize("rules", [RULES, Rules("argentino", 4), Rules("argentino", 3)], ids=["1v1", "2v2", "gallo"])
def test_the_reward_of_losing_is_minus_one_and_reaches_the_learner(rules: Rules) -> None:
    env, rng = make_env(rules), np.random.default_rng(0)
    env.reset()
    returns = np.zeros(env.num_envs)
    seen = set()
    for _ in range(250):
        _, rewards, dones, infos = env.step(pick_uniform(env.action_masks(), rng))
        returns += rewards
        assert env.episodes is not None
        for row, result in zip(env.episodes.rows, env.episodes.results, strict=True):
            assert dones[row] and returns[row] == result == infos[row]["episode"]["r"]
            seen.add(int(result))
        assert not rewards[~dones].any()
        returns[dones] = 0
    assert seen == {-1, 1}


def test_the_plain_maskable_ppo_of_sb3_contrib_trains_on_it() -> None:
    env = make_env(size=16)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, n_epochs=1, seed=1, device="cpu", policy_kwargs={"net_arch": [8]})
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(256)
    assert model.rollout_buffer.observations.dtype == np.int8
    assert any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))


# The policy


def test_the_policy_has_the_distribution_of_sb3_contrib(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path)
    policy, env = trainer.model.policy, trainer.env
    observations = torch.from_numpy(env.reset())
    masks = torch.from_numpy(env.action_masks())
    with torch.no_grad():
        actions, values, log_probabilities = policy(observations, action_masks=masks.numpy())
        ours = policy.evaluate_actions(observations, actions, action_masks=masks)
        theirs = MaskableActorCriticPolicy.evaluate_actions(policy, observations, actions, action_masks=masks)
    assert masks.gather(1, actions[:, None]).all()
    for found, expected in zip(ours, theirs, strict=True):
        assert expected is not None
        torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(values, ours[0])
    torch.testing.assert_close(log_probabilities, ours[1])


def test_the_policy_samples_legal_actions_by_their_probability(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path)
    policy = trainer.model.policy
    observation, mask = trainer.env.reset()[:1], trainer.env.action_masks()[:1]
    n = 20_000
    with torch.no_grad():
        policy.tensors(trainer.architecture)["policy.0.bias"].copy_(torch.linspace(-2, 2, N_ACTIONS))
        actions = policy(torch.from_numpy(np.repeat(observation, n, 0)), action_masks=np.repeat(mask, n, 0))[0].numpy()
    expected = PPOAgent(trainer.checkpoint()).network.probabilities(observation, mask)[0]
    shares = np.bincount(actions, minlength=N_ACTIONS) / n
    assert not shares[mask[0] == 0].any()
    assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / n)


def test_the_stored_agent_is_the_policy(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, "net.policy=[16]", "net.value=[8]", "machine.matmul=highest")
    trainer.run()
    observations, masks = trainer.env.reset(), trainer.env.action_masks()
    stored = PPOAgent(load(trainer.folder.agent))
    found = stored.network.probabilities(observations, masks)
    with torch.no_grad():
        for action in range(N_ACTIONS):
            actions = torch.full((len(masks),), action)
            logs = trainer.model.policy.evaluate_actions(torch.from_numpy(observations), actions, action_masks=torch.from_numpy(masks))[1]
            legal = masks[:, action] == 1
            np.testing.assert_allclose(found[legal, action], logs.exp().numpy()[legal], atol=1e-5)


# Opponents


def snapshot(trainer: Trainer, steps: int) -> Checkpoint:
    return replace(trainer.checkpoint(), name=f"past-{steps}")


def shares_of(trainer: Trainer) -> dict[str, float]:
    """Against whom new matches are played."""
    trainer.pool.deal_out(trainer.batch)
    trainer.env.reset()
    names = [trainer.batch.agents[i].name for i in trainer.batch.opponents.tolist()]
    return {name: names.count(name) / len(names) for name in set(names)}


def test_opponents_are_drawn_by_weight_and_the_past_has_its_share(tmp_path: Path) -> None:
    trainer = make_trainer(
        tmp_path, "opponents.agents={random: 3, prudente: 1}", "opponents.past={share: 0.5, keep: 4}", "learner.n_envs=2048"
    )
    assert shares_of(trainer) == pytest.approx({"random": 0.75, "prudente": 0.25}, abs=0.05)
    for steps in (1, 2):
        trainer.pool.add_snapshot(snapshot(trainer, steps), steps)
    assert shares_of(trainer) == pytest.approx({"random": 0.375, "prudente": 0.125, "past-1": 0.25, "past-2": 0.25}, abs=0.05)


def test_prioritised_play_prefers_opponents_that_the_learner_does_not_beat(tmp_path: Path) -> None:
    trainer = make_trainer(
        tmp_path, "opponents={agents: {random: 1, prudente: 1}, focus: 1, past: {share: 0.5, focus: 2}}", "learner.n_envs=2048"
    )
    for steps in (1, 2):
        trainer.pool.add_snapshot(snapshot(trainer, steps), steps)
    trainer.pool.tallies = {"past-1": Tally(98, 79), "past-2": Tally(98, 49), "random": Tally(98, 79), "prudente": Tally(98, 19)}
    expected = {"random": 0.1, "prudente": 0.4, "past-1": 0.5 * 0.04 / 0.29, "past-2": 0.5 * 0.25 / 0.29}
    assert shares_of(trainer) == pytest.approx(expected, abs=0.05)


def test_a_full_pool_keeps_the_newest_snapshot_and_spreads_the_others(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, "opponents.past.keep=4")
    for steps in range(1, 41):
        trainer.pool.add_snapshot(snapshot(trainer, steps), steps)
    kept = [int(name.removeprefix("past-")) for name in trainer.pool.past]
    assert len(kept) == 4 and kept[-1] == 40
    assert max(np.diff([0, *kept])) <= 20


def test_an_opponent_stays_for_its_match_when_the_pool_changes(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, "opponents.past.share=1.0")
    env, batch, rng = trainer.env, trainer.batch, np.random.default_rng(0)
    env.reset()
    before = batch.opponents
    trainer.pool.add_snapshot(snapshot(trainer, 1), 1)
    trainer.pool.deal_out(batch)
    ended = np.zeros(batch.size, dtype=bool)
    for _ in range(40):
        _, _, dones, _ = env.step(pick_uniform(env.action_masks(), rng))
        ended |= dones
        assert np.array_equal(batch.opponents[~ended], before[~ended])
    assert ended.any() and (batch.opponents[ended] != before[ended]).all()


def test_win_rates_are_counted_by_opponent(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, "opponents.agents={random: 1, prudente: 1}", "opponents.past.share=0")
    trainer.env.reset()
    rng = np.random.default_rng(0)
    counted: dict[str, list[float]] = {"random": [], "prudente": []}
    for _ in range(150):
        trainer.env.step(pick_uniform(trainer.env.action_masks(), rng))
        episodes = trainer.env.episodes
        assert episodes is not None
        trainer.pool.record(episodes)
        for i, result in zip(episodes.opponents.tolist(), episodes.results.tolist(), strict=True):
            counted[trainer.batch.agents[i].name].append((result + 1) / 2)
    period = trainer.pool.take_period()
    assert {name: (tally.matches, tally.won) for name, tally in period.items()} == {name: (len(x), sum(x)) for name, x in counted.items()}
    assert period["prudente"].won / period["prudente"].matches < 0.3 < period["random"].won / period["random"].matches
    assert trainer.pool.take_period() == {}


# Runs


def test_a_resumed_run_ends_with_the_same_weights_and_curves_bit_for_bit(tmp_path: Path) -> None:
    changes = ("opponents.past.focus=2", "opponents.focus=1", "opponents.agents={random: 1, prudente: 1}", "checkpoints.keep=100")
    whole = make_trainer(tmp_path, *changes)
    whole.run()
    first = make_trainer(tmp_path, *changes)
    first.reporter = StopAt(first, 2048)
    with pytest.raises(TrainingStopped) as stopped:
        first.run()
    assert stopped.value.checkpoint.name == "step-000000002048"
    second = Trainer(first.folder.read_config([]), first.folder, Silent())
    second.restore(stopped.value.checkpoint)
    second.run()
    assert second.model.num_timesteps == whole.model.num_timesteps
    assert weights_of(second).keys() == weights_of(whole).keys()
    for name, array in weights_of(whole).items():
        assert np.array_equal(array, weights_of(second)[name]), name
    assert len(whole.curves.rows) == len(second.curves.rows)
    for row, expected in zip(second.curves.rows, whole.curves.rows, strict=True):
        assert {**row, "seconds": 0} == pytest.approx({**expected, "seconds": 0}, rel=1e-6)


class StopAt(Silent):
    """Asks a trainer to stop after some steps."""

    def __init__(self, trainer: Trainer, steps: int) -> None:
        super().__init__()
        self.trainer, self.at = trainer, steps

    def progress(self, steps: int, speed: float) -> None:
        self.trainer.stop = steps >= self.at


def test_the_same_seed_trains_the_same_agent_and_another_one_does_not(tmp_path: Path) -> None:
    runs = [make_trainer(tmp_path, "ppo.total_steps=1024", f"seed={seed}") for seed in (1, 1, 2)]
    for trainer in runs:
        trainer.run()
    first, again, other = (weights_of(trainer)["trunk.0.weight"] for trainer in runs)
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_training_leaves_the_global_generators_alone(tmp_path: Path) -> None:
    torch.manual_seed(3)
    torch_before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    make_trainer(tmp_path, "ppo.total_steps=512").run()
    assert torch.equal(torch_before, torch.get_rng_state())
    assert numpy_before == np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002


@pytest.mark.parametrize(
    "changes",
    [
        ("table.players=4",),
        ("table.players=4", "learner.plays=seat", "partners={random: 1}", "learner.seat=1"),
        ("table.players=3", "learner.episode=hand", "learner.reward=points"),
        ("table.ruleset=truc_valencia", "learner.reward=win"),
        ("table.players=2", "table.options={senas: free}"),
    ],
    ids=["2v2", "one-seat", "gallo", "truc-valencia", "senas"],
)
def test_every_kind_of_table_can_be_trained_stopped_and_resumed(tmp_path: Path, changes: tuple[str, ...]) -> None:
    trainer = make_trainer(tmp_path, "ppo.total_steps=1024", *changes)
    trainer.reporter = StopAt(trainer, 512)
    with pytest.raises(TrainingStopped):
        trainer.run()
    again = Trainer(trainer.config, trainer.folder, Silent())
    again.restore(trainer.folder.checkpoints()[-1])
    again.run()
    assert make_agent(str(again.folder.path), again.rules).name == "smoke"


def test_evaluations_and_checkpoints_come_when_they_are_due_and_old_ones_go(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path)
    trainer.run()
    assert isinstance(trainer.reporter, Silent)
    assert trainer.reporter.evaluations == [2048, 4096]
    assert [path.name for path in trainer.folder.checkpoints()] == ["step-000000003072", "step-000000004096"]
    assert sorted(path.name for path in trainer.folder.path.iterdir()) == [
        "agent", "checkpoints", "config.yaml", "curves.csv", "curves.png", "tensorboard", "versions.json",
    ]  # fmt: skip


def test_a_checkpoint_of_another_network_or_damaged_is_refused_in_one_line(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, "ppo.total_steps=512")
    trainer.run()
    checkpoint = trainer.folder.checkpoints()[-1]
    with pytest.raises(
        CheckpointError, match=r"does not fit the config of its run: net.trunk differ; a resumed run may change only ppo.tot"
    ):
        make_trainer(tmp_path, "ppo.total_steps=512", "net.trunk=[8]").restore(checkpoint)
    (checkpoint / "optimizer.npz").write_bytes((checkpoint / "agent" / "weights.npz").read_bytes())
    with pytest.raises(CheckpointError, match="is damaged") as caught:
        make_trainer(tmp_path, "ppo.total_steps=512").restore(checkpoint)
    assert "\n" not in str(caught.value)


def test_curves_are_written_and_read_back_up_to_a_checkpoint(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.add({"steps": 10, "seconds": 1.5, "win/random": 0.5})
    curves.add({"steps": 20, "seconds": 2.5, "win/random": 0.25, "eval/random": 0.75})
    curves.write()
    curves.plot("two rows")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    again = Curves(tmp_path)
    again.read(up_to=20)
    assert again.rows == curves.rows
    again.read(up_to=19)
    assert again.rows == curves.rows[:1]


def test_learning_beats_the_random_player_within_a_quarter_of_a_million_decisions(tmp_path: Path) -> None:
    trainer = make_trainer(
        tmp_path,
        "learner.n_envs=512",
        "opponents.past.share=0",
        "ppo={total_steps: 250_000, n_steps: 16, minibatch: 2048, epochs: 4, learning_rate: 1e-3}",
        "net.trunk=[64, 64]",
        "evaluation={every: 1_000_000, opponents: [random], groups: 100}",
        "checkpoints.every=1_000_000",
    )
    trainer.run()
    row = trainer.curves.rows[-1]
    assert row["eval_low/random"] > 0.65, row


# The command line


def test_a_mistake_is_one_line_and_exit_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [
        ["--config", str(SMOKE), "ppo.epochz=2"],
        ["--config", str(tmp_path / "missing.yaml")],
        ["--resume", str(tmp_path)],
        ["--config", str(SMOKE), "machine.device=abacus"],
        ["--config", str(SMOKE), "machine.device=cuda:99"],
    ]
    for command in commands:
        assert main([*command, "--run", str(tmp_path / "run")]) == 2
        message = capsys.readouterr().err
        assert message.startswith("train.py: ") and message.count("\n") == 1, message
    assert not (tmp_path / "run").exists(), "a refused config leaves no run folder"


def test_the_command_line_trains_says_where_everything_is_and_goes_on_with_more_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert main(["--config", str(SMOKE), "--run", str(run), "ppo.total_steps=1024"]) == 0
    said = capsys.readouterr().out
    assert f"evaluate.py match {run / 'agent'} random" in said and str(run / "curves.png") in said
    assert main(["--resume", str(run), "seed=2"]) == 2
    assert "seed=2" in capsys.readouterr().err
    assert main(["--resume", str(run), "ppo.total_steps=2048"]) == 0
    assert load(run).training["steps"] == 2048
    with (run / "curves.csv").open(encoding="utf-8") as file:
        assert [int(row["steps"]) for row in csv.DictReader(file)] == [512, 1024, 1536, 2048]


def test_a_new_run_moves_an_old_one_aside(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        with RunFolder(tmp_path / "run") as folder:
            folder.create(Config(seed=seed))
    assert [RunFolder(tmp_path / name).read_config([]).seed for name in ("run-1", "run-2", "run")] == [1, 2, 3]


def test_a_run_that_is_going_on_keeps_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunFolder(tmp_path / "run") as going_on:
        going_on.create(Config(name="first"))
        for command in (["--config", str(SMOKE), "--run", str(tmp_path / "run")], ["--resume", str(tmp_path / "run")]):
            assert main(command) == 2
            assert re.fullmatch(r"train\.py: [^\n]*run is in use by another run[^\n]*\n", capsys.readouterr().err)
        assert [path.name for path in tmp_path.iterdir()] == ["run"]
        assert going_on.read_config([]).name == "first"
    assert main(["--config", str(SMOKE), "--run", str(tmp_path / "run"), "ppo.total_steps=512"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run-1"]


def test_a_folder_that_is_no_run_is_not_moved_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("1")
    assert main(["--config", str(SMOKE), "--run", str(tmp_path / "thesis")]) == 2
    assert "is not the folder of a run" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis"]


@pytest.mark.parametrize(
    "change",
    [
        "ppo.learning_rate=.inf",
        "ppo.entropy={start: .nan, end: 0}",
        "opponents.focus=.inf",
        "opponents.past.focus=1e300",
        "net.trunk=[10_000_000_000]",
        "net.value=[100_000]",
        "learner.n_envs=4_000_000_000",
        "ppo={n_steps: 10_000_000_000, minibatch: 32}",
        "opponents.agents={random: .inf}",
        "opponents.agents={random: 1e308, bravo: 1e308}",
        "evaluation.groups=99999999999999999999",
        "table.options={players: 4}",
        "table.options={senas: truthful, sena_catch: 0x" + "f" * 400 + "}",
        "machine.device=cuda:99",
    ],
)
def test_a_config_that_cannot_be_trained_leaves_an_old_run_where_it_is(
    tmp_path: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunFolder(tmp_path / "run") as old:
        old.create(Config())
    assert main(["--config", str(SMOKE), "--run", str(tmp_path / "run"), change]) == 2
    assert re.fullmatch(r"train\.py: [^\n]+\n", capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_memory_that_is_not_there_leaves_an_old_run_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunFolder(tmp_path / "run") as old:
        old.create(Config())

    def allocate(*arguments: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory:\nyou tried to allocate 1 TB")

    monkeypatch.setattr(Trainer, "_make_model", allocate)
    assert main(["--config", str(SMOKE), "--run", str(tmp_path / "run")]) == 2
    assert re.fullmatch(r"train\.py: this config cannot be trained here \([^\n]*1 TB\)\n", capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_a_killed_writer_left_behind_goes_when_the_run_is_resumed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert main(["--config", str(SMOKE), "--run", str(run), "ppo.total_steps=1024"]) == 0
    left = run / "checkpoints" / ".step-000000002048.0123abcd"
    (left / "agent").mkdir(parents=True)
    (left / "agent" / "manifest.json").write_text("{")
    (run / ".config.yaml.0123abcd").write_text("name:")
    (run / "agent").rename(run / ".agent.4567abcd.old")  # killed between the two renames of a replacement
    assert main(["--resume", str(run), "ppo.total_steps=1536"]) == 0
    assert not [path.name for path in run.rglob(".*")]
    assert load(run).training["steps"] == 1536


def test_a_resumed_run_may_change_what_does_not_decide_what_is_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["--config", str(SMOKE), "--run", str(run), "ppo.total_steps=512"]) == 0
    for change in (
        "ppo.total_steps_=1",
        "ppo.epochs=3",
        "ppo.schedule_steps=9",
        "table.players=4",
        "evaluations.every=1",
        "ppo={epochs: 3}",
    ):
        assert main(["--resume", str(run), change]) == 2
        told = f"{change}: a resumed run keeps its config; only ppo.total_steps, evaluation.*, checkpoints.*, machine.* can be changed\n"
        assert capsys.readouterr().err == f"train.py: {told}"
    assert main(["--resume", str(run), "ppo.total_steps=1024", "evaluation.groups=2", "checkpoints={keep: 7, every: 512}"]) == 0
    assert len(RunFolder(run).checkpoints()) == 2


def test_longer_training_leaves_learning_rate_and_entropy_where_they_were(tmp_path: Path) -> None:
    run = tmp_path / "run"
    rates = "ppo.learning_rate={start: 1e-3, end: 1e-4}"
    assert main(["--config", str(SMOKE), "--run", str(run), "ppo.total_steps=1024", rates]) == 0
    assert main(["--resume", str(run), "ppo.total_steps=2048"]) == 0
    assert main(["--resume", str(run), "ppo.total_steps=2560"]) == 0
    with (run / "curves.csv").open(encoding="utf-8") as file:
        measured = [float(row["train/learning_rate"]) for row in csv.DictReader(file)]
    assert measured == pytest.approx([5.5e-4, 1e-4, 1e-4, 1e-4, 1e-4])
    assert RunFolder(run).read_config([]).ppo.schedule_steps == 1024


def test_opponents_that_were_changed_in_the_folder_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["--config", str(SMOKE), "--run", str(run), "ppo.total_steps=512"]) == 0
    changed = run / "config.yaml"
    changed.write_text(changed.read_text().replace("random: 1.0", "prudente: 1.0"))
    assert main(["--resume", str(run), "ppo.total_steps=1024"]) == 2
    message = capsys.readouterr().err
    assert "opponents.agents.prudente, opponents.agents.random differ" in message and "damaged" not in message
    assert RunFolder(run).read_config([]).ppo.total_steps == 512, "a refused change is not kept"


def test_a_run_without_evaluations_says_nothing_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", str(SMOKE), "--run", str(tmp_path / "run"), "ppo.total_steps=1024", "evaluation.opponents=[]"]) == 0
    said = capsys.readouterr().out
    assert "wins against" not in said and "deal groups" not in said
    assert "evaluate.py match" in said


@pytest.mark.parametrize(
    "state",
    [
        '{"format": "truco-env training state 2"}',
        "[" * 100_000,
        "{" + '"steps": ' + "9" * 5000 + "}",
        "[]",
        '{"format": "truco-env training state 2", "steps": 512, "order": {"state": 1e999}, "pool": {"snapshots": ["../../agent"]}}',
    ],
)
def test_a_damaged_state_is_one_line(tmp_path: Path, state: str) -> None:
    trainer = make_trainer(tmp_path, "ppo.total_steps=512")
    trainer.run()
    checkpoint = trainer.folder.checkpoints()[-1]
    (checkpoint / "state.json").write_text(state)
    with pytest.raises(CheckpointError) as caught:
        make_trainer(tmp_path, "ppo.total_steps=512").restore(checkpoint)
    assert "\n" not in str(caught.value) and str(checkpoint) in str(caught.value)


def test_training_without_its_packages_is_one_line_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name in ("torch", "tensorboard") else name)
    assert main(["--config", "argentino"]) == 2
    assert capsys.readouterr().err == "train.py: training needs torch, tensorboard: pip install 'truco-env[train]'\n"


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_saves_and_says_how_to_go_on(tmp_path: Path, kind: signal.Signals) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "train.py", "--config", str(SMOKE), "--run", str(run), "ppo.total_steps=100_000_000"]
    command += ["evaluation.every=100_000_000", "checkpoints.every=100_000_000"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("training in ")
        time.sleep(2)
        process.send_signal(kind)
        said, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert f"python train.py --resume {run}" in said and "Traceback" not in errors
    assert len(RunFolder(run).checkpoints()) == 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            ["table.players=6", "table.options={pica_pica: true, pica_band: [0, 30]}", "learner.episode=hand"],
            "smoke; argentino, 6 players, pica_band=(0, 30), pica_pica=True; single hands",
        ),
        (
            ["table.players=4", "learner.plays=seat", "learner.seat=3", "partners={random: 1.0}"],
            "random+smoke; argentino, 4 players; matches",
        ),
    ],
)
def test_the_command_that_is_told_in_the_end_evaluates_what_was_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: list[str], told: str
) -> None:
    monkeypatch.chdir(ROOT)
    command = [sys.executable, "train.py", "--config", str(SMOKE), "--run", str(tmp_path / "run"), "ppo.total_steps=1024", *changes]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"evaluate it: +python (evaluate\.py .*)", done.stdout + done.stderr)
    assert found is not None
    again = found[1].replace("--groups 1000", f"--groups 2 --out {tmp_path / 'result.json'}").split()
    subprocess.run([sys.executable, *again], capture_output=True, text=True, check=True)
    result = load_result(tmp_path / "result.json")
    label = result.labels[0].replace(str(tmp_path / "run" / "agent"), "smoke")
    unit = "matches" if result.episode == "match" else "single hands"
    assert f"{label}; {describe_rules(result.rules)}; {unit}" == told


def test_a_seat_is_evaluated_beside_its_most_frequent_partner() -> None:
    config = read_config(SMOKE, ["table.players=4", "learner.plays=seat", "partners={random: 1.0, bravo: 2.0}"])
    assert config.team("maestro") == (None, "bravo")
    alone = read_config(SMOKE, ["table.players=6", "learner.plays=seat", "learner.seat=4"])
    assert alone.team("maestro") == ("maestro", "maestro", None)
    assert read_config(SMOKE, ["table.players=4"]).team("maestro") == (None,)
