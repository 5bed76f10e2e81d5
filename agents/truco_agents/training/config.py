"""Config: everything that decides a training run, as typed values with defaults. ``config_file`` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from truco_agents.arena.deals import MOST_GROUPS
from truco_env.errors import TrucoError
from truco_env.rules.options import Rules
from truco_env.rules.text import read_options

#: Keys that a resumed run may change; all others decide what is learned.
RESUMABLE: Final = ("ppo.total_steps", "evaluation.*", "checkpoints.*", "machine.*")

_MOST_STEPS: Final = 10**12
_MOST_ENVS: Final = 1 << 20
_MOST_ROLLOUT: Final = 1 << 26  # decisions of an update, which are kept in memory
_WIDEST: Final = 1 << 14
_SHARPEST_FOCUS: Final = 100.0


class ConfigError(TrucoError):
    """A config that cannot be read, or a key or value that it does not take."""


class Section(BaseModel):
    """A group of settings; unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


class Schedule(Section):
    """A value that moves on a straight line from ``start`` to ``end`` and then stays. A plain number is a constant one."""

    start: float = Field(ge=0)
    """Value at the first update."""
    end: float = Field(ge=0)
    """Value from ``until`` on."""
    until: float = Field(default=1.0, gt=0, le=1)
    """Share of the run at which ``end`` is reached."""

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"start": float(value), "end": float(value)}
        return value

    def at(self, done: float) -> float:
        """Return the value when the share ``done`` of the run, 0..1, is over."""
        return self.start + (self.end - self.start) * min(done / self.until, 1.0)


class Table(Section):
    """The game that is learned."""

    ruleset: str = "argentino"
    """Rule set: argentino, reglamento, truc_valencia or trucomano."""
    players: int = 2
    """Seats; 3 is the gallo."""
    options: dict[str, Any] = {}
    """Options of rules.md 7 that differ from the rule set's defaults."""

    def rules(self) -> Rules:
        """Return the rules of the table."""
        return Rules(self.ruleset, self.players, **read_options(self.options))


class Learner(Section):
    """What the learner plays, and what it is paid."""

    plays: Literal["side", "seat"] = "side"
    """Whether it plays every seat of its side or only one, beside a partner from ``partners``."""
    seat: int | None = Field(default=None, ge=0)
    """Its seat; null draws one for every match."""
    episode: Literal["match", "hand"] = "match"
    """A whole match, or single hands that all begin at 0-0."""
    reward: Literal["win", "points", "shaped"] = "shaped"
    """Result of the match, points as they are posted, or the result with a potential of the scores."""
    n_envs: int = Field(default=1024, ge=1, le=_MOST_ENVS)
    """Matches played side by side."""


class Past(Section):
    """Snapshots of the learner among its opponents."""

    share: float = Field(default=0.5, ge=0, le=1)
    """Share of the matches that are not ``opponents.mirror`` that is against a snapshot, once there is one; the rest goes to ``agents``."""
    every: int = Field(default=20, ge=1, le=_MOST_STEPS)
    """Updates between two snapshots."""
    keep: int = Field(default=8, ge=1, le=1000)
    """Snapshots kept: always the newest, the others spread over the run."""
    focus: float = Field(default=0.0, ge=0, le=_SHARPEST_FOCUS)
    """As ``opponents.focus``, among the snapshots; 0 makes them equally likely, 2 is usual."""


class Opponents(Section):
    """Who sits on the other side, drawn for every match."""

    mirror: float = Field(default=0.0, ge=0, le=1)
    """Share of matches in which the learner plays all sides as it is now, and learns from the decisions of all of them."""
    agents: dict[str, float] = {"random": 1.0}
    """Names or checkpoint folders of agents, with their weights; may be empty where ``mirror`` or ``past.share`` is 1."""
    focus: float = Field(default=0.0, ge=0, le=_SHARPEST_FOCUS)
    """Prioritised fictitious self-play: weights are multiplied by the share of matches that the opponent wins, to this power."""
    past: Past = Past()
    """The learner's own past."""

    @property
    def takes_snapshots(self) -> bool:
        """Whether the learner meets its past."""
        return self.past.share > 0 and self.mirror < 1

    @property
    def only_itself(self) -> bool:
        """Whether no other agent is needed."""
        return self.mirror == 1 or self.past.share == 1


class Magnet(Section):
    """A moving average of the learner's own weights, and a pull towards it."""

    coef: Schedule = Schedule(start=0.0, end=0.0)
    """Weight of the divergence KL(policy || average) in the loss; a pull towards the uniform policy is what ``ppo.entropy`` does."""
    rate: Schedule = Schedule(start=0.01, end=0.01)
    """What the average takes over from the learner after each update: average += rate * (learner - average)."""

    @model_validator(mode="after")
    def _check_rate(self) -> Magnet:
        if max(self.rate.start, self.rate.end) > 1:
            raise ValueError("ppo.magnet.rate must be between 0 and 1")
        return self

    @property
    def pulls(self) -> bool:
        """Whether the loss has the term at all."""
        return max(self.coef.start, self.coef.end) > 0


class PPO(Section):
    """The algorithm, MaskablePPO of sb3-contrib."""

    total_steps: int = Field(default=1_000_000, ge=1, le=_MOST_STEPS)
    """Decisions of the learner in the whole run."""
    schedule_steps: int | None = Field(default=None, ge=1, le=_MOST_STEPS)
    """Decisions over which schedules run; null is ``total_steps``. Resuming with another ``total_steps`` keeps what it was before."""
    n_steps: int = Field(default=16, ge=1, le=_MOST_ROLLOUT)
    """Decisions per match and update."""
    minibatch: int = Field(default=4096, ge=2)
    """Decisions per gradient step."""
    epochs: int = Field(default=4, ge=1, le=1000)
    """Passes over the decisions of an update."""
    learning_rate: Schedule = Schedule(start=1e-3, end=1e-4)
    """Step size of Adam."""
    entropy: Schedule = Schedule(start=0.01, end=0.002)
    """Weight of the policy's entropy in the loss; a plain number keeps it constant."""
    magnet: Magnet = Magnet()
    """Pull towards the learner's own average."""
    gamma: float = Field(default=1.0, ge=0.9, le=1)
    """Discount per decision; below 0.995 the end of a match is hardly seen."""
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    """Trade-off of bias and variance in the advantages."""
    clip: float = Field(default=0.2, gt=0)
    """Range in which the ratio of new to old policy still pays."""
    value_coef: float = Field(default=0.5, ge=0)
    """Weight of the value loss."""
    max_grad_norm: float = Field(default=0.5, gt=0)
    """Longest gradient."""
    target_kl: float | None = Field(default=None, gt=0)
    """Stop the epochs of an update beyond 1.5 times this divergence; null never does."""


class Net(Section):
    """The network: hidden layers, each followed by ReLU."""

    trunk: tuple[int, ...] = (128, 128)
    """Widths of the layers that policy and value share."""
    policy: tuple[int, ...] = ()
    """Widths of the policy's own layers."""
    value: tuple[int, ...] = ()
    """Widths of the value's own layers."""

    @model_validator(mode="before")
    @classmethod
    def _from_lists(cls, value: object) -> object:
        if isinstance(value, Mapping):
            return {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
        return value

    @model_validator(mode="after")
    def _check_widths(self) -> Net:
        if any(not 1 <= width <= _WIDEST for width in (*self.trunk, *self.policy, *self.value)):
            raise ValueError(f"every layer needs a width of at least 1 and at most {_WIDEST}")
        if not (*self.trunk, *self.policy):
            raise ValueError("the policy needs at least one hidden layer, in trunk or in policy")
        return self


class Evaluation(Section):
    """Matches against fixed opponents during training, on the same deals every time."""

    every: int = Field(default=1_000_000, ge=1, le=_MOST_STEPS)
    """Decisions of the learner between two evaluations; there is one at the end in any case."""
    opponents: tuple[str, ...] = ("random",)
    """Names or checkpoint folders of agents."""
    groups: int = Field(default=100, ge=2, le=MOST_GROUPS)
    """Deal groups against each; a group plays the same deals in every seating."""
    seed: int = Field(default=1, ge=0)
    """Names the deals; it does not follow from the seed of the run, so that runs can be compared."""
    mode: Literal["sampled", "greedy"] = "sampled"
    """How the learner plays them."""

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, value: object) -> object:
        if isinstance(value, Mapping) and isinstance(value.get("opponents"), list):
            return {**value, "opponents": tuple(value["opponents"])}
        return value


class Checkpoints(Section):
    """Saved states from which a run can be resumed."""

    every: int = Field(default=1_000_000, ge=1, le=_MOST_STEPS)
    """Decisions of the learner between two; there is one at the end in any case."""
    keep: int = Field(default=2, ge=1, le=_MOST_STEPS)
    """Newest ones kept."""


class Machine(Section):
    """What the run computes on."""

    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$")
    """Device of torch: auto (a GPU if there is one), cpu, mps, cuda, cuda:1, ..."""
    threads: int = Field(default=0, ge=0, le=1024)
    """CPU threads of torch; 0 uses all cores."""
    matmul: Literal["highest", "high", "medium"] = "medium"
    """Least precision of float32 matrix products; medium is faster on CPUs with AVX512_BF16 or AMX, and on GPUs."""


class Config(Section):
    """A training run."""

    name: str = Field(default="run", pattern=r"^[A-Za-z0-9_.-]+$")
    """Name of the run folder and of the agent."""
    seed: int = Field(default=1, ge=0)
    """Everything random follows from it."""
    init: str | None = None
    """Folder of a trained agent with the same ``net``, perhaps of another table, whose weights the run begins with; null draws them."""
    publish: Literal["learner", "average"] = "learner"
    """Which weights are evaluated and become the trained agent: the latest, or their moving average (``ppo.magnet.rate``)."""
    table: Table = Table()
    learner: Learner = Learner()
    opponents: Opponents = Opponents()
    partners: dict[str, float] = {}
    """Agents in the seats of the learner's team-mates, with weights, if ``learner.plays`` is seat; empty: the match's opponent."""
    ppo: PPO = PPO()
    net: Net = Net()
    evaluation: Evaluation = Evaluation()
    checkpoints: Checkpoints = Checkpoints()
    machine: Machine = Machine()

    @model_validator(mode="after")
    def _check_whole(self) -> Config:
        rollout = self.learner.n_envs * self.ppo.n_steps
        if rollout > _MOST_ROLLOUT:
            raise ValueError(f"learner.n_envs * ppo.n_steps = {rollout} decisions of an update are too many: at most {_MOST_ROLLOUT}")
        if rollout % self.ppo.minibatch:
            raise ValueError(f"ppo.minibatch={self.ppo.minibatch} must divide learner.n_envs * ppo.n_steps = {rollout}")
        if self.learner.seat is not None and self.learner.seat >= self.table.players:
            raise ValueError(f"learner.seat={self.learner.seat} is not at a table of {self.table.players}")
        if self.partners and self.learner.plays == "side":
            raise ValueError("partners need learner.plays=seat: with side the learner plays its team-mates too")
        return self

    @property
    def keeps_average(self) -> bool:
        """Whether a moving average of the weights is needed."""
        return self.publish == "average" or self.ppo.magnet.pulls

    @property
    def rollout(self) -> int:
        """Decisions per update."""
        return self.learner.n_envs * self.ppo.n_steps

    @property
    def schedule_steps(self) -> int:
        """Decisions over which schedules run."""
        return self.ppo.schedule_steps or self.ppo.total_steps

    def continuing(self, before: Config) -> Config:
        """Return this config for a run that went on by ``before`` so far: with another length, schedules stay as they were laid out."""
        if self.ppo.total_steps == before.ppo.total_steps:
            return self
        return self.model_copy(update={"ppo": self.ppo.model_copy(update={"schedule_steps": before.schedule_steps})})

    def fixed_differences(self, other: Config) -> list[str]:
        """Return the dotted keys whose values differ although a resumed run may not change them."""
        ours, theirs = (
            _flatten({**config.model_dump(mode="json"), "ppo.schedule_steps": config.schedule_steps}) for config in (self, other)
        )
        return sorted(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key) and not may_change(key))

    def team(self, rival: Any) -> tuple[Any, ...]:
        """Return who sits on the learner's side in an evaluation, one member for all seats or one for each; ``None`` is the learner.

        A learner of one seat plays in its own, or in the side's first if that is drawn, beside its most frequent partner, or beside
        ``rival`` where the opponent plays the team-mates.
        """
        seats = self.table.rules().seats_per_account
        if self.learner.plays == "side" or seats == 1:
            return (None,)
        partner = max(self.partners, key=self.partners.__getitem__) if self.partners else rival
        own = 0 if self.learner.seat is None else self.learner.seat // 2
        return tuple(None if place == own else partner for place in range(seats))

    def to_yaml(self) -> str:
        """Return the whole config as YAML that ``read_config`` reads."""
        return str(yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False))


def may_change(key: str) -> bool:
    """Whether a resumed run may change the value of a dotted key, or of a whole section."""
    return any(key == free or f"{key}." == free.removesuffix("*") or fnmatchcase(key, free) for free in RESUMABLE)


def _flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values by dotted keys; a value that is given by its dotted key replaces the one inside."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flatten(value, f"{prefix}{key}.") if isinstance(value, Mapping) and value else {f"{prefix}{key}": value}
    return flat


def section_of(annotation: object) -> type[Section] | None:
    """Return the section that a field holds, or None."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, Section) else None


def describe() -> str:
    """Return all keys as Markdown tables, one a section, from the docstrings of this module."""
    lines: list[str] = []

    def walk(section: type[Section], prefix: str) -> None:
        inner: list[tuple[str, type[Section]]] = []
        lines.extend(["| key | default | meaning |", "| --- | --- | --- |"])
        for name, info in section.model_fields.items():
            found = section_of(info.annotation)
            if found is not None and found is not Schedule:
                inner.append((f"{prefix}{name}", found))
                continue
            default = info.default.model_dump() if isinstance(info.default, Section) else info.default
            choices = [repr(choice) for choice in get_args(info.annotation) if isinstance(choice, str)]
            meaning = f"{info.description} One of {', '.join(choices)}." if choices else f"{info.description}"
            lines.append(f"| `{prefix}{name}` | `{yaml.safe_dump(_plain(default), default_flow_style=True).splitlines()[0]}` | {meaning} |")
        for key, found in inner:
            lines.extend(["", f"**{key}**: {(found.__doc__ or '').strip()}", ""])
            walk(found, f"{key}.")

    walk(Config, "")
    return "\n".join(lines) + "\n"


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
