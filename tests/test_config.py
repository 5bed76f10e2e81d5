"""Configs: everything is typed, and every mistake is one line that names the key, its place and what is allowed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from truco_agents.training import config_file
from truco_agents.training.config import Config, ConfigError
from truco_agents.training.config_file import find_config, read_config

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = """\
name: example
table:
  options: {flor_mode: off}
ppo:
  learning_rate: 1e-3
  entropy: {start: 2e-2, end: 0, until: 0.5}
  minibatch: 1024
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "example.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def refusal(path: Path, *changes: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_config(path, changes)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_off_is_text_and_numbers_need_no_point(example: Path) -> None:
    config = read_config(example)
    assert config.table.rules().flor_mode == "off"
    assert config.ppo.learning_rate.at(0.0) == config.ppo.learning_rate.at(1.0) == 1e-3


def test_a_schedule_moves_in_a_line_and_then_stays(example: Path) -> None:
    entropy = read_config(example).ppo.entropy
    assert [round(entropy.at(done), 4) for done in (0.0, 0.25, 0.5, 0.9)] == [0.02, 0.01, 0.0, 0.0]


def test_arguments_replace_values_of_the_file(example: Path) -> None:
    config = read_config(example, ["ppo.epochs=2", "net.trunk=[64, 32]", "opponents.agents={random: 2}", "table.options.target=15"])
    assert (config.ppo.epochs, config.net.trunk, config.opponents.agents) == (2, (64, 32), {"random": 2.0})
    assert (config.table.rules().leg_target, config.table.rules().flor_mode) == (15, "off")


def test_a_written_config_reads_back_equal(example: Path, tmp_path: Path) -> None:
    config = read_config(example)
    (tmp_path / "again.yaml").write_text(config.to_yaml(), encoding="utf-8")
    assert read_config(tmp_path / "again.yaml") == config


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_config_of_the_project_is_valid_and_bears_the_name_of_its_file(path: Path) -> None:
    assert read_config(path).name == path.stem


@pytest.mark.parametrize("name", ["argentino", "argentino.yaml", str(ROOT / "configs" / "argentino.yaml")])
def test_a_preset_is_found_by_name_and_a_config_by_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_config(find_config(name)).name == "argentino"
    (tmp_path / "argentino.yaml").write_text("name: mine")
    assert find_config("argentino.yaml") == Path("argentino.yaml"), "a file goes before a preset"


def test_an_unknown_preset_is_refused_with_a_near_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ConfigError, match=r"config argentin: there is no such file, and the presets are argentino, .*did you mean argentino\?"
    ):
        find_config("argentin")
    monkeypatch.setattr(config_file, "_PRESETS", ())
    with pytest.raises(ConfigError, match="the presets are none"):
        find_config("argentino")


def test_aliases_are_welcome_where_they_end(tmp_path: Path) -> None:
    path = tmp_path / "alias.yaml"
    path.write_text("opponents: {agents: &them {random: 1, bravo: 2}}\nlearner: {plays: seat}\ntable: {players: 4}\npartners: *them\n")
    assert read_config(path).partners == {"random": 1.0, "bravo": 2.0}


def test_an_unknown_key_is_named_with_its_line_a_near_one_and_all_allowed(example: Path) -> None:
    example.write_text(EXAMPLE + "  epoch: 3\n", encoding="utf-8")
    message = refusal(example)
    assert message.startswith(f"unknown key ppo.epoch ({example}, line 8): did you mean ppo.epochs?")
    assert "learning_rate" in message


def test_a_mistake_on_the_command_line_is_placed_there(example: Path) -> None:
    assert refusal(example, "zeed=3").startswith("unknown key zeed (command line): did you mean seed?")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("ppo.epochs=four", ("ppo.epochs = 'four'", "integer")),
        ("seed=true", ("seed = True", "integer")),
        ("learner.reward=wins", ("learner.reward = 'wins'", "'win', 'points' or 'shaped'")),
        ("opponents.past.share=2", ("opponents.past.share = 2", "less than or equal to 1")),
        ("ppo.minibatch=1000", ("ppo.minibatch=1000", "16384")),
        ("ppo.gamma=0.5", ("ppo.gamma = 0.5", "0.9")),
        ("net.trunk=[]", ("at least one hidden layer",)),
        ("net.trunk=[0]", ("width of at least 1",)),
        ("ppo.learning_rate={start: 1}", ("ppo.learning_rate.end", "required")),
        ("ppo.learning_rate.start=1", ("ppo.learning_rate.start", "single value")),
        ("table.ruleset=brisca", ("'brisca'", "argentino")),
        ("table.players=5", ("players=5", "2, 3, 4, 6", "line 2")),
        ("table.options.flor=off", ("unknown option 'flor'", "table")),
        ("opponents.agents={nobody: 1}", ("nobody", "opponents.agents", "random")),
        ("opponents.agents={}", ("opponents.agents", "at least one agent")),
        ("opponents.agents={random: -1}", ("opponents.agents", "at least 0")),
        ("evaluation.opponents=[nobody]", ("nobody", "evaluation.opponents")),
        ("evaluation.opponents=[bravo+random]", ("bravo+random", "evaluation.opponents", "name one agent")),
        ("partners={random: 1}", ("partners", "learner.plays=seat")),
        ("learner.seat=2", ("learner.seat=2", "table of 2")),
        ("name=a/b", ("name = 'a/b'",)),
        ("ppo.epochs=[", ("ppo.epochs=[", "YAML")),
        ("ppo.epochs", ("key=value",)),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(example: Path, change: str, words: tuple[str, ...]) -> None:
    message = refusal(example, change)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", ("line 1", "YAML")),
        ("- 1", ("mapping",)),
        ("seed: 1\nseed: 2\n", ("line 2", "'seed' is there twice")),
        ("table: &a {options: *a}", ("line 1", "contains itself")),
        ("? [1, 2]\n: 3\n", ("line 1", "a key that is not text")),
        ("1: 2\n", ("line 1", "a key that is not text")),
        ("a: " + "[" * 100_000, ("nested too deeply",)),
        ("a: " + "[" * 200 + "]" * 200, ("unknown key a", "line 1")),
        ("seed: " + "9" * 5000, ("a value cannot be read",)),
        ("seed: -0x" + "f" * 5000, ("seed", "a number of thousands of digits")),
        ("name: " + "x" * 5000 + "/", ("name", "...")),
        ("name: 2020-13-45", ("a value cannot be read",)),
        ("name: a\x07b", ("YAML", "special characters")),
        ('name: "a\\x1b[31mb"', ("name = 'a\\x1b[31mb'",)),
        ("a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnop")), ("more than 10000 values",)),
        ("seed: 1\n" + "#" * (1 << 20), ("larger than",)),
    ],
)
def test_a_file_that_is_no_config_is_refused_in_one_line(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text, encoding="utf-8")
    message = refusal(path)
    assert str(path) in message and all(word in message for word in words), message
    assert len(message) < 1000


def test_teams_can_be_named_for_evaluation_and_partners_need_team_mates(example: Path) -> None:
    assert read_config(example, ["table.players=4", "evaluation.opponents=[bravo+random]"]).evaluation.opponents == ("bravo+random",)
    message = refusal(example, "table.players=3", "learner.plays=seat", "partners={random: 1}")
    assert "at a table of 3 nobody has a team-mate" in message


def test_a_missing_file_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "missing.yaml")


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("", encoding="utf-8")
    assert read_config(path) == Config()


def test_options_are_read_from_text_as_everywhere_else(example: Path) -> None:
    changes = ("table.players=6", "table.options.pica_pica=true", "table.options.pica_band=5,25", "table.options.falta=none")
    rules = read_config(example, changes).table.rules()
    assert (rules.pica_band, rules.falta, rules.flor_mode) == ((5, 25), None, "off")
