"""Trainer: one training run, from its config to the trained agent, with everything needed to stop and go on exactly."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import torch
from pydantic import ValidationError
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from torch import nn

from truco_agents.arena.arena import Arena
from truco_agents.arena.deals import DealSet
from truco_agents.arena.pairing import Pairing
from truco_agents.arena.result import MatchResult
from truco_agents.arena.seating import Side, side_of
from truco_agents.files import write_json
from truco_agents.ppo.agent import PPOAgent
from truco_agents.ppo.arrays import read_arrays, write_arrays
from truco_agents.ppo.checkpoint import Checkpoint, load, read_plain
from truco_agents.ppo.errors import CheckpointError
from truco_agents.ppo.network import Architecture
from truco_agents.training.algorithm import TrucoPPO
from truco_agents.training.config import RESUMABLE, Config
from truco_agents.training.curves import Curves
from truco_agents.training.policy import TableTrunk, TrucoPolicy
from truco_agents.training.pool import OpponentPool
from truco_agents.training.run_folder import RunFolder
from truco_agents.training.transfer import weights_from
from truco_agents.training.vec_env import TrucoVecEnv
from truco_env.batch.learner import LearnerBatch
from truco_env.rules.actions import N_ACTIONS

STATE: Final = "state.json"
FORMAT: Final = "truco-env training state 2"
_NEVER: Final = 1 << 62
_ROWS: Final = 400  #: at most about so many rows of curves in a run
_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")  # of Adam
#: What entries that are missing, of another kind or out of range raise where they are put to use.
_DAMAGE: Final = (LookupError, TypeError, RuntimeError, ValueError, ArithmeticError, AttributeError)


class Reporter(Protocol):
    """Who is told how a run goes."""

    def progress(self, steps: int, speed: float) -> None:
        """``steps`` decisions are done, of late ``speed`` of them a second."""

    def evaluated(self, steps: int, results: Mapping[str, MatchResult]) -> None:
        """The learner was evaluated against the opponents by name."""


class TrainingStopped(Exception):  # noqa: N818
    """The run was asked to stop; it is saved.

    Attributes:
        checkpoint: where.
    """

    def __init__(self, checkpoint: Path) -> None:
        super().__init__(f"stopped; the run is saved in {checkpoint}")
        self.checkpoint = checkpoint


class Trainer:
    """One training run.

    Args:
        config: what to train.
        folder: where to keep it.
        reporter: is told how it goes.

    Attributes:
        model: the learner.
        stop: set to True to save and stop after the update in progress.
    """

    def __init__(self, config: Config, folder: RunFolder, reporter: Reporter) -> None:
        self.config = config
        self.folder = folder
        self.reporter = reporter
        self.rules = config.table.rules()
        self.stop = False
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        threads = config.machine.threads or cores or 1
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(config.machine.matmul)
        deals, weights, draws, order = (int(s.generate_state(1)[0]) for s in np.random.SeedSequence(config.seed).spawn(4))
        self.pool = OpponentPool(config, self.rules)
        self.batch = self._make_batch(deals)
        self.env = TrucoVecEnv(self.batch)
        self.architecture = Architecture(self.batch.layout.size, N_ACTIONS, config.net.trunk, config.net.policy, config.net.value)
        self.curves = Curves(folder.path)
        self.seconds = 0.0
        self.updates = 0
        self.model = self._make_model(weights, draws, order)

    def _make_batch(self, seed: int) -> LearnerBatch:
        learner = self.config.learner
        batch = LearnerBatch(
            self.rules,
            learner.n_envs,
            [],
            mirror=1.0,  # until the pool deals out
            learner=learner.plays,
            learner_seat="random" if learner.seat is None else learner.seat,
            episode=learner.episode,
            reward=learner.reward,
            seed=seed,
        )
        if self.config.opponents.agents or self.config.opponents.mirror == 1:
            self.pool.deal_out(batch)
        return batch

    def _make_model(self, weights: int, draws: int, order: int) -> TrucoPPO:
        ppo, net = self.config.ppo, self.config.net
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(weights)
            model = TrucoPPO(
                env=self.env,
                learning_rate=lambda left: ppo.learning_rate.at(1.0 - left),
                n_steps=ppo.n_steps,
                batch_size=ppo.minibatch,
                n_epochs=ppo.epochs,
                gamma=ppo.gamma,
                gae_lambda=ppo.gae_lambda,
                clip_range=ppo.clip,
                vf_coef=ppo.value_coef,
                max_grad_norm=ppo.max_grad_norm,
                target_kl=ppo.target_kl,
                device=self.config.machine.device,
                mirrored=self.config.opponents.mirror > 0,
                entropy=ppo.entropy,
                magnet=ppo.magnet,
                averaged=self.config.keeps_average,
                schedule_steps=self.config.schedule_steps,
                order=np.random.default_rng(order),
                policy_kwargs={
                    "features_extractor_class": TableTrunk,
                    "features_extractor_kwargs": {"scale": self.batch.layout.scale, "widths": net.trunk},
                    "net_arch": {"pi": list(net.policy), "vf": list(net.value)},
                    "activation_fn": nn.ReLU,
                    "optimizer_kwargs": {"eps": 1e-5, "fused": True},
                },
            )
        model.policy.generator = torch.Generator(model.device).manual_seed(draws)
        return model

    def begin(self) -> None:
        """Prepare a new run, once, before ``run``: with the weights of ``init``, and its first snapshot if it meets nobody else.

        Raises:
            CheckpointError: ``init`` cannot be read.
            ConfigError: it has other layers.
        """
        if self.config.init is not None:
            weights = weights_from(load(Path(self.config.init)), self.rules, self.architecture)
            for policy in self._policies().values():
                policy.assign(self.architecture, weights)
        if self.config.opponents.takes_snapshots and not self.config.opponents.agents:
            self._add_snapshot()
            self.pool.deal_out(self.batch)

    def run(self) -> None:
        """Train to the end after ``begin``, or on to the end after ``restore``; the trained agent is then in ``folder.agent``.

        Raises:
            TrainingStopped: ``stop`` was set.
        """
        total = self.config.ppo.total_steps
        self.model.set_logger(configure(str(self.folder.path / "tensorboard"), ["tensorboard"]))
        fresh = self.model.num_timesteps == 0
        left = total - self.model.num_timesteps
        if left > 0:
            self.model.learn(left, callback=_Hook(self), log_interval=_NEVER, reset_num_timesteps=fresh)
        self.checkpoint().save(self.folder.agent)
        self.curves.plot(self._title())

    def _policies(self) -> dict[str, TrucoPolicy]:
        """Return the learner and, if it is kept, its average."""
        average = self.model.average
        return {"learner": self.model.policy} if average is None else {"learner": self.model.policy, "average": average}

    def checkpoint(self, which: str | None = None) -> Checkpoint:
        """Return the agent as it is now: what is published, or ``which`` of learner and average."""
        policy = self._policies()[which or self.config.publish]
        steps = self.model.num_timesteps
        training = {
            "steps": steps,
            "updates": self.updates,
            "seconds": round(self.seconds, 1),
            "config": self.config.model_dump(mode="json"),
        }
        return Checkpoint(self.config.name, self.rules, self.architecture, policy.export(self.architecture), training)

    def after_update(self, seconds: float) -> None:
        """Do what is due between two updates; ``seconds`` is how long the last one took.

        Raises:
            TrainingStopped: ``stop`` is set.
        """
        config, steps = self.config, self.model.num_timesteps
        before = steps - config.rollout
        self.seconds += seconds
        self.updates += 1
        self.pool.fade()
        if self.updates % config.opponents.past.every == 0 and config.opponents.takes_snapshots:
            self._add_snapshot()
        self.pool.deal_out(self.batch)
        last = steps >= config.ppo.total_steps
        self.reporter.progress(steps, config.rollout / seconds)
        every = max(1, config.ppo.total_steps // config.rollout // _ROWS)
        row: dict[str, float] = {}
        due = last or before // config.evaluation.every != steps // config.evaluation.every
        if due and config.evaluation.opponents:
            row = self._evaluate()
        if row or self.updates % every == 0:
            self._log(row)
        if self.stop or last or before // config.checkpoints.every != steps // config.checkpoints.every:
            saved = self.save()
            if self.stop and not last:
                raise TrainingStopped(saved)

    def _add_snapshot(self) -> None:
        steps = self.model.num_timesteps
        self.pool.add_snapshot(replace(self.checkpoint("learner"), name=f"past-{steps:012d}"), steps)

    def _evaluate(self) -> dict[str, float]:
        evaluation = self.config.evaluation
        deals = DealSet(self.rules, evaluation.seed, evaluation.groups)
        learner = PPOAgent(self.checkpoint(), mode=evaluation.mode)
        row: dict[str, float] = {}
        results: dict[str, MatchResult] = {}
        with Arena() as arena:
            for name in evaluation.opponents:
                rivals = side_of(name)
                team = Side(tuple(learner if member is None else member for member in self.config.team(rivals.members[0])))
                result = arena.play(Pairing(deals, (team, rivals), self.config.learner.episode))
                rate = result.win_rate()
                row |= {f"eval/{name}": rate.mean, f"eval_low/{name}": rate.low, f"eval_high/{name}": rate.high}
                row[f"eval_points/{name}"] = result.points_per_hand().mean
                results[name] = result
        self.reporter.evaluated(self.model.num_timesteps, results)
        return row

    def _log(self, evaluation: Mapping[str, float]) -> None:
        steps = self.model.num_timesteps
        row: dict[str, float] = {"steps": steps, "seconds": round(self.seconds, 2)}
        row |= {f"win/{name}": tally.won / tally.matches for name, tally in self.pool.take_period().items()}
        measured = self.model.logger.name_to_value
        row |= {name: float(measured[name]) for name in measured if name.startswith("train/")}
        del row["train/entropy_loss"]  # all regularisers together
        self.curves.add({**row, **evaluation})
        for name, value in {**row, **evaluation}.items():
            self.model.logger.record(name, value)
        self.model.logger.dump(steps)

    def _title(self) -> str:
        steps, seconds = self.model.num_timesteps, self.seconds
        return f"{self.config.name}: {steps:,} decisions in {seconds:,.0f} s of training"

    def save(self) -> Path:
        """Write a checkpoint, the curves and their picture; return the checkpoint's folder."""
        model = self.model
        self.curves.write()
        self.curves.plot(self._title())
        with self.folder.new_checkpoint(model.num_timesteps, keep=self.config.checkpoints.keep) as folder:
            self.checkpoint().save(folder / "agent")
            if model.average is not None:
                for name, policy in self._policies().items():
                    write_arrays(folder / f"{name}.npz", policy.export(self.architecture))
            write_arrays(folder / "optimizer.npz", self._moments())
            write_arrays(folder / "matches.npz", self.batch.save())
            write_arrays(folder / "generators.npz", {"actions": model.policy.generator.get_state().cpu().numpy()})
            if model.rollout_buffer.kept:
                write_arrays(folder / "rollout.npz", model.rollout_buffer.save())
            state = {
                "format": FORMAT,
                "steps": model.num_timesteps,
                "gradient_epochs": model._n_updates,
                "updates": self.updates,
                "seconds": self.seconds,
                "order": model.rollout_buffer.rng.bit_generator.state,
                "pool": self.pool.save(folder / "past"),
            }
            write_json(folder / STATE, state)
        return self.folder.checkpoints()[-1]

    def restore(self, folder: Path) -> None:
        """Go back to a checkpoint that ``save`` wrote in a run with the same config.

        Raises:
            CheckpointError: it cannot be read, or was written with other values of keys that a resumed run may not change.
        """
        state = read_plain(folder / STATE)
        if state.get("format") != FORMAT:
            raise CheckpointError(f"{folder / STATE}: this is not a {FORMAT}")
        differing = self.config.fixed_differences(config_of(folder))
        if differing:
            keys, changeable = ", ".join(differing), ", ".join(RESUMABLE)
            raise CheckpointError(f"{folder} does not fit the config of its run: {keys} differ; a resumed run may change only {changeable}")
        learner = load(folder / "agent")
        if learner.architecture != self.architecture or learner.rules != self.rules:
            raise CheckpointError(f"{folder} is damaged (its agent is not the one of its config)")
        try:
            self._restore(folder, learner, state)
        except CheckpointError:
            raise
        except _DAMAGE as error:
            raise CheckpointError(f"{folder} is damaged ({type(error).__name__}: {' '.join(str(error).split())})") from None

    def _restore(self, folder: Path, learner: Checkpoint, state: dict[str, Any]) -> None:
        model = self.model
        for name, policy in self._policies().items():
            policy.assign(self.architecture, learner.weights if model.average is None else read_arrays(folder / f"{name}.npz"))
        moments = read_arrays(folder / "optimizer.npz")
        for name, tensor in model.policy.tensors(self.architecture).items():
            model.policy.optimizer.state[tensor] = {
                moment: torch.from_numpy(moments[f"{name}.{moment}"]).to("cpu" if moment == "step" else tensor.device)
                for moment in _MOMENTS
            }
        model.policy.generator.set_state(torch.from_numpy(read_arrays(folder / "generators.npz")["actions"]))
        model.rollout_buffer.rng.bit_generator.state = state["order"]
        model.num_timesteps, model._n_updates = state["steps"], state["gradient_epochs"]
        agents = self.pool.restore(folder / "past", state["pool"])
        model._last_obs = self.env.restore(*self.batch.restore(read_arrays(folder / "matches.npz"), agents))
        if model.rollout_buffer.kept:
            model.rollout_buffer.restore(read_arrays(folder / "rollout.npz"))
        self.updates, self.seconds = state["updates"], state["seconds"]
        self.curves.read(up_to=state["steps"])

    def _moments(self) -> dict[str, npt.NDArray[np.float32]]:
        moments: dict[str, npt.NDArray[np.float32]] = {}
        for name, tensor in self.model.policy.tensors(self.architecture).items():
            for moment in _MOMENTS:
                moments[f"{name}.{moment}"] = self.model.policy.optimizer.state[tensor][moment].cpu().numpy()
        return moments


def config_of(folder: Path) -> Config:
    """Return the config of the run that wrote a checkpoint.

    Raises:
        CheckpointError: it cannot be read.
    """
    try:
        return Config.model_validate(load(folder / "agent").training["config"])
    except (KeyError, ValidationError) as error:
        raise CheckpointError(f"{folder} is damaged: it has no valid config ({type(error).__name__})") from None


class _Hook(BaseCallback):
    """Connects the learning loop with a trainer."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__()
        self.trainer = trainer
        self._begun: float | None = None

    def _on_rollout_start(self) -> None:
        self._finish_update()
        self._begun = time.perf_counter()

    def _on_step(self) -> bool:
        episodes = self.trainer.env.episodes
        if episodes is not None and len(episodes.rows):
            self.trainer.pool.record(episodes)
        return True

    def _on_training_end(self) -> None:
        self._finish_update()

    def _finish_update(self) -> None:
        if self._begun is not None:
            self.trainer.after_update(time.perf_counter() - self._begun)
