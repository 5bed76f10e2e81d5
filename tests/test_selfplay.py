"""Training against itself: every account's decisions are learned from, once each, and no other agent is needed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from truco_agents.ppo import CheckpointError, load
from truco_agents.training.cli import main
from truco_agents.training.config import ConfigError
from truco_agents.training.config_file import read_config
from truco_agents.training.policy import Anchored
from truco_agents.training.rollout import Rollout
from truco_agents.training.run_folder import RunFolder
from truco_agents.training.trainer import Trainer, TrainingStopped
from truco_agents.training.vec_env import TrucoVecEnv
from truco_env.batch.learner import ITSELF, LearnerBatch
from truco_env.observation.masks import pick_uniform
from truco_env.players.registry import make_agent
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "configs" / "smoke.yaml"
GAMMA, LAMBDA = 0.97, 0.9


class Silent:
    """A reporter that asks to stop after some steps, if any."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.trainer: Trainer | None = None

    def progress(self, steps: int, speed: float) -> None:
        if self.at is not None and steps >= self.at:
            assert self.trainer is not None
            self.trainer.stop = True

    def evaluated(self, steps: int, results: object) -> None:
        pass


def make_trainer(folder: Path, *changes: str) -> Trainer:
    run = RunFolder(Path(mkdtemp(dir=folder)) / "run")
    config = read_config(SMOKE, changes)
    run.create(config)
    return Trainer(config, run, Silent())


def begin(folder: Path, *changes: str) -> Trainer:
    trainer = make_trainer(folder, *changes)
    trainer.begin()
    return trainer


def make_rollout(size: int, layout: int, matches: int, accounts: int, *, mirrored: bool) -> Rollout:
    box = spaces.Box(-127, 127, (layout,), dtype=np.int8)
    rollout = Rollout(size, box, spaces.Discrete(N_ACTIONS), "cpu", LAMBDA, GAMMA, matches, accounts=accounts, mirrored=mirrored)
    rollout.rng = np.random.default_rng(0)
    return rollout


@dataclass
class Decision:
    """A decision of one account: where it was recorded, what it was thought to be worth, what it earned, and what came of it."""

    key: float
    value: float
    reward: float = 0.0
    advantage: float | None = None


def advantages_of(stream: list[Decision], *, ended: bool) -> list[float]:
    """Return the advantages of decisions that followed each other; the last of an unfinished episode only lends its value."""
    gain, after, found = 0.0, 0.0, []
    decisions = stream if ended else stream[:-1]
    if not ended:
        after = stream[-1].value
    for decision in reversed(decisions):
        delta = decision.reward + GAMMA * after - decision.value
        gain = delta + GAMMA * LAMBDA * gain
        found.append(gain)
        after = decision.value
    return found[::-1]


@pytest.mark.parametrize(
    ("rules", "mirror"),
    [
        (Rules("argentino", target=15), 1.0),
        (Rules("argentino", target=15), 0.5),
        (Rules("argentino", 3, target=15), 1.0),
        (Rules("truc_valencia", 4), 0.7),
    ],
    ids=["1v1", "half", "gallo", "2v2"],
)
def test_every_decision_of_every_account_is_learned_from_once_by_what_followed_it(rules: Rules, mirror: float) -> None:
    matches, steps = 12, 7
    batch = LearnerBatch(
        rules, matches, [make_agent("random", rules)], mirror=mirror, learner="side", reward="shaped", episode="hand", seed=5
    )
    env = TrucoVecEnv(batch)
    rollout = make_rollout(steps, batch.layout.size, matches, rules.n_accounts, mirrored=True)
    rng = np.random.default_rng(1)
    observations = env.reset()
    streams: dict[tuple[int, int], list[Decision]] = defaultdict(list)  # unfinished episodes
    learned: dict[float, float] = {}
    taken: list[float] = []
    finished: list[list[Decision]] = []
    for _ in range(12):
        rollout.reset()
        for _ in range(steps):
            owners, values = env.accounts, rng.normal(size=matches).astype(np.float32)
            keys = rng.random(matches).astype(np.float32)  # stored as log probabilities: they name the decisions
            masks = env.action_masks()
            actions = pick_uniform(masks, rng)
            for row in range(matches):
                streams[row, int(owners[row])].append(Decision(float(keys[row]), float(values[row])))
                taken.append(float(keys[row]))
            after, _, dones, _ = env.step(actions)
            rollout.record(
                observations, masks, actions, torch.from_numpy(values)[:, None], torch.from_numpy(keys), owners, env.earned, dones
            )
            for row in range(matches):
                for stream in [stream for stream in streams if stream[0] == row and dones[row]]:
                    if streams[stream]:
                        streams[stream][-1].reward = float(env.earned[row, stream[1]])
                        finished.append(streams.pop(stream))
                account = int(env.accounts[row])
                if not dones[row] and streams[row, account]:
                    streams[row, account][-1].reward = float(env.earned[row, account])
            assert isinstance(after, np.ndarray)
            observations = after
        ends = rng.normal(size=matches).astype(np.float32)
        rollout.estimate(ends, env.accounts)
        for t, row in zip(*np.nonzero(rollout.usable), strict=True):
            key = float(rollout.log_probs[t, row])
            assert key not in learned
            learned[key] = float(rollout.advantages[t, row])
        # What is expected: streams end where their episode did, at the value of what comes next, or at the last decision, which waits.
        for decisions in finished:
            todo = [d for d in decisions if d.advantage is None]
            for decision, advantage in zip(todo, advantages_of(todo, ended=True), strict=True):
                decision.advantage = advantage
                assert learned[decision.key] == pytest.approx(advantage, abs=1e-4)
        finished.clear()
        for (row, account), decisions in streams.items():
            next_one = [Decision(0.0, float(ends[row]))] if account == env.accounts[row] else []
            todo = [d for d in decisions if d.advantage is None] + next_one
            for decision, advantage in zip(todo[:-1], advantages_of(todo, ended=False) if todo else [], strict=True):
                decision.advantage = advantage
                assert learned[decision.key] == pytest.approx(advantage, abs=1e-4)
    waiting = {d.key for decisions in streams.values() for d in decisions if d.advantage is None}
    assert learned.keys() | waiting == set(taken) and not learned.keys() & waiting
    assert len(waiting) <= matches * (rules.n_accounts - 1)


def test_without_mirror_matches_the_estimates_are_those_of_sb3() -> None:
    rules = Rules("argentino", target=15)
    batch = LearnerBatch(rules, 16, [make_agent("random", rules)], reward="shaped", episode="hand", seed=5)
    env, rng = TrucoVecEnv(batch), np.random.default_rng(1)
    ours = make_rollout(20, batch.layout.size, 16, 2, mirrored=False)
    theirs = MaskableRolloutBuffer(20, env.observation_space, env.action_space, "cpu", LAMBDA, GAMMA, 16)
    observations, starts = env.reset(), np.ones(16, dtype=bool)
    for _ in range(20):
        masks, owners, values = env.action_masks(), env.accounts, torch.from_numpy(rng.normal(size=(16, 1)).astype(np.float32))
        actions = pick_uniform(masks, rng)
        after, rewards, dones, _ = env.step(actions)
        ours.record(observations, masks, actions, values, values[:, 0], owners, env.earned, dones)
        theirs.add(observations, actions, rewards, starts, values, values[:, 0], action_masks=masks)
        assert isinstance(after, np.ndarray)
        observations, starts = after, dones
    ends = torch.from_numpy(rng.normal(size=(16, 1)).astype(np.float32))
    ours.estimate(ends.numpy()[:, 0], env.accounts)
    theirs.compute_returns_and_advantage(ends, starts)
    assert ours.usable.all()
    assert np.array_equal(ours.advantages, theirs.advantages) and np.array_equal(ours.returns, theirs.returns)


def test_parts_of_an_update_are_of_about_the_size_that_was_asked_for() -> None:
    rollout = make_rollout(10, 3, 8, 2, mirrored=True)
    rollout.log_probs[:] = np.arange(88).reshape(11, 8)
    rollout.usable[1:] = True
    rollout.usable[1, :3] = False
    rollout.anchors = torch.arange(88)[:, None].float()
    minibatches = list(rollout.get(20))
    for part in minibatches:
        assert isinstance(part.action_masks, Anchored) and torch.equal(part.action_masks.anchors[:, 0], part.old_log_prob)
    parts = [part.old_log_prob.numpy() for part in minibatches]
    assert [len(part) for part in parts] == [20, 19, 19, 19]
    assert sorted(np.concatenate(parts).tolist()) == list(range(11, 88))


@pytest.mark.parametrize(
    "changes",
    [
        ("opponents={mirror: 1, agents: {}}",),
        ("opponents={mirror: 0.5, agents: {random: 1}, past: {share: 0.5, every: 1, keep: 2}}", "table.players=4"),
        ("opponents={mirror: 0.5, agents: {}, past: {share: 1, every: 1, keep: 1}}", "table.players=3", "learner.reward=points"),
        ("opponents={agents: {}, past: {share: 1, every: 1, keep: 1}}",),
    ],
    ids=["mirror", "mixed-2v2", "gallo", "latest"],
)
def test_self_play_of_every_kind_resumes_bit_for_bit(tmp_path: Path, changes: tuple[str, ...]) -> None:
    whole, first = (begin(tmp_path, "ppo.total_steps=2048", "evaluation.opponents=[]", *changes) for _ in range(2))
    whole.run()
    reporter = Silent(at=1024)
    first.reporter, reporter.trainer = reporter, first
    with pytest.raises(TrainingStopped):
        first.run()
    second = Trainer(first.config, first.folder, Silent())
    second.restore(first.folder.checkpoints()[-1])
    second.run()
    ours, expected = second.checkpoint().weights, whole.checkpoint().weights
    assert all(np.array_equal(ours[name], array) for name, array in expected.items())
    assert not np.array_equal(expected["trunk.0.weight"], make_trainer(tmp_path, *changes).checkpoint().weights["trunk.0.weight"])


def test_only_itself_is_met_where_nobody_else_is_named(tmp_path: Path) -> None:
    mirror = make_trainer(tmp_path, "opponents={mirror: 1, agents: {}}")
    mirror.env.reset()
    assert set(mirror.batch.opponents.tolist()) == {ITSELF} and mirror.pool.past == []
    latest = make_trainer(tmp_path, "opponents={agents: {}, past: {share: 1, every: 1, keep: 1}}", "ppo.total_steps=1024")
    latest.begin()
    latest.env.reset()
    assert {latest.batch.agents[i].name for i in latest.batch.opponents.tolist()} == {"past-000000000000"}
    latest.run()
    assert latest.pool.past == ["past-000000001024"]


def test_a_damaged_rollout_is_named(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, "opponents={mirror: 1, agents: {}}", "ppo.total_steps=512", "evaluation.opponents=[]")
    trainer.run()
    checkpoint = trainer.folder.checkpoints()[-1]
    (checkpoint / "rollout.npz").write_bytes((checkpoint / "optimizer.npz").read_bytes())
    with pytest.raises(CheckpointError, match="is damaged"):
        Trainer(trainer.config, trainer.folder, Silent()).restore(checkpoint)
    assert load(trainer.folder.agent).training["steps"] == 512


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ("opponents={agents: {}}", False),
        ("opponents={agents: {}, mirror: 0.5}", False),
        ("opponents={agents: {}, past: {share: 0.99}}", False),
        ("opponents={agents: {}, mirror: 1}", True),
        ("opponents={agents: {}, past: {share: 1}}", True),
        ("opponents={agents: {}, mirror: 0.5, past: {share: 1}}", True),
    ],
)
def test_nobody_needs_to_be_named_only_where_the_learner_meets_itself_alone(changes: str, *, allowed: bool) -> None:
    if allowed:
        assert read_config(SMOKE, [changes]).opponents.agents == {}
        return
    with pytest.raises(ConfigError, match=r"name at least one agent, or set opponents.mirror or opponents.past.share to 1"):
        read_config(SMOKE, [changes])


def test_an_opponent_can_be_code_of_ones_own_and_is_met_again_after_a_resume(tmp_path: Path) -> None:
    code = tmp_path / "folder.py"
    code.write_text(
        "from truco_env.players.random import RandomAgent\n\n\n"
        "class Mine(RandomAgent):\n    name = 'mine'\n\n"
        "    def act(self, observations, masks, rng, rows):\n        return masks.argmax(axis=1)\n"
    )
    run = tmp_path / "run"
    assert main(["--config", str(SMOKE), "--run", str(run), f"opponents.agents={{'{code}:Mine': 1}}", "ppo.total_steps=512"]) == 0
    assert main(["--resume", str(run), "ppo.total_steps=2048"]) == 0
    assert f"win/{code}:Mine" in (run / "curves.csv").read_text(encoding="utf-8")
