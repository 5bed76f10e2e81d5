"""Names to players: entry points of packages, code named outright, words, and errors of one line."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truco_agents.rule_based.character import CHARACTERS
from truco_env.players.opponents import make_pool
from truco_env.players.protocol import Agent, AgentError
from truco_env.players.random import RandomAgent
from truco_env.players.registry import agent_names, describe_agents, make_agent, register_agent
from truco_env.rules.options import Rules

RULES = Rules("argentino")

LIAR = '''
from truco_env.players.random import RandomAgent


class Liar(RandomAgent):
    """Says what it has not."""

    def __init__(self, rules, *, calm=False):
        self.name = f"liar at {rules.players}" + (" calmly" if calm else "")


class Table:
    plain = RandomAgent


def fold():
    raise OSError("no cards")


def nothing():
    pass


def refused(rules):
    rules.check("nothing")


some = RandomAgent()
number = 5
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package ``liars`` that ships agents, and return its folder."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "liars.py").write_text(LIAR, encoding="utf-8")
    (tmp_path / "broken.py").write_text("import nothing_of_the_kind\n", encoding="utf-8")
    _install(tmp_path, "liars", {"mentiroso": "liars:Liar", "roto": "broken:Agent"})
    yield tmp_path
    for name in ("liars", "broken"):
        sys.modules.pop(name, None)


def _install(folder: Path, name: str, agents: dict[str, str]) -> None:
    home = folder / f"{name}-1.5.dist-info"
    home.mkdir()
    (home / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n", encoding="utf-8")
    points = "\n".join(f"{agent} = {place}" for agent, place in agents.items())
    (home / "entry_points.txt").write_text(f"[truco_env.agents]\n{points}\n", encoding="utf-8")


def test_the_entry_points_of_this_project_name_every_character() -> None:
    assert {"random", *CHARACTERS} <= set(agent_names())
    for name in CHARACTERS:
        assert make_agent(name, RULES).name == name


def test_a_package_ships_agents_by_entry_points(package: Path) -> None:
    assert "mentiroso" in agent_names()
    assert "liars" not in sys.modules, "asking for names imports nothing"
    assert make_agent("mentiroso", Rules("argentino", 4)).name == "liar at 4"
    assert make_agent("mentiroso:calm", RULES).name == "liar at 2 calmly"
    known = {info.name: info for info in describe_agents()}
    assert (known["mentiroso"].origin, known["mentiroso"].summary) == ("liars 1.5", "Says what it has not.")
    assert known["maestro"].origin.startswith("truco-env ")


def test_an_agent_whose_code_cannot_be_imported_is_named_in_one_line(package: Path) -> None:
    told = "roto of liars 1.5 cannot be imported from broken:Agent: ModuleNotFoundError: No module named 'nothing_of_the_kind'"
    with pytest.raises(AgentError, match=f"^{re.escape(told)}$"):
        make_agent("roto", RULES)
    assert [info.summary for info in describe_agents() if info.name == "roto"] == [told], "the list tells it, and goes on"
    assert make_agent("maestro", RULES).name == "maestro", "others are not affected"


def test_a_name_that_two_packages_ship_is_refused(package: Path) -> None:
    _install(package, "rivals", {"mentiroso": "rivals:Liar"})
    with pytest.raises(AgentError, match=r"mentiroso is shipped by liars 1.5 and rivals 1.5: .* liars:Liar or rivals:Liar"):
        make_agent("mentiroso", RULES)


def test_what_a_program_registers_goes_before_entry_points(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truco_env.players.registry._REGISTERED", {"random": RandomAgent})
    register_agent("mentiroso", RandomAgent)
    assert make_agent("mentiroso", RULES).name == "random"
    assert [info.origin for info in describe_agents() if info.name == "mentiroso"] == ["truco_env"]


def test_code_is_named_by_module_or_file(package: Path) -> None:
    for place in ("liars", str(package / "liars.py")):
        assert make_agent(f"{place}:Liar", RULES).name == "liar at 2"
        assert make_agent(f"{place}:Liar:calm", RULES).name == "liar at 2 calmly"
        assert make_agent(f"{place}:Table.plain", RULES).name == "random"
        assert make_agent(f"{place}:some", RULES) is make_agent(f"{place}:some", RULES)
    pool = make_pool({"liars:Liar": 1, "random": 3}, RULES)
    assert [agent.name for agent in pool.agents] == ["liar at 2", "random"]


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    for name in ("before", "after it"):
        file.write_text(f"from truco_env.players.random import RandomAgent\nmine = RandomAgent()\nmine.name = {name!r}\n", encoding="utf-8")
        assert make_agent(f"{file}:mine", RULES).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("maestr", "no agent is called 'maestr': did you mean maestro? Known names are "),
        ("maestr:mute", "no agent is called 'maestr:mute': did you mean maestro? Known names are "),
        ("nobody", "no agent is called 'nobody': known names are "),
        ("no such folder/agent:greedy", "a checkpoint folder, module:name or path.py:name will do as well"),
        ("nothing_of_the_kind:Agent", "no agent is called 'nothing_of_the_kind:Agent'"),
        ("maestro:loud", "maestro:loud: the word 'loud' is not known: choose from mute"),
        ("random:mute", "random:mute: the word 'mute' is not known: this agent takes none"),
        ("broken:Agent", "broken:Agent cannot be imported: ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("liars:Missing", "liars:Missing: liars has no 'Missing'"),
        ("liars.inner:Missing", "liars.inner:Missing cannot be imported: ModuleNotFoundError: No module named 'liars.inner'"),
        ("liars:number", "liars:number is 5: it must be an agent's class, a factory or an agent"),
        ("liars:fold", "liars:fold cannot be made: OSError: no cards"),
        ("liars:refused", "liars:refused cannot be made: AttributeError: 'Rules' object has no attribute 'check'"),
        ("liars:some:calm", "liars:some:calm: an agent object takes no words, 'calm' cannot be given"),
        ("liars:nothing", "liars:nothing is None, which is not an agent: it needs name, start and act"),
        ("builtins:dict", "builtins:dict cannot be made: ValueError: no signature found"),
        ("missing.py:Agent", "missing.py:Agent: there is no file missing.py"),
        ("", "no agent is called ''"),
        (":", "no agent is called ':'"),
    ],
)
def test_what_is_no_agent_is_refused_in_one_line(text: str, message: str, package: Path) -> None:
    with pytest.raises(AgentError, match=re.escape(message)) as caught:
        make_agent(text, RULES)
    assert "\n" not in str(caught.value)


def test_an_object_that_is_no_agent_is_refused() -> None:
    class Mute:
        name = "mute"

    wrong: Any = Mute()
    with pytest.raises(AgentError, match="which is not an agent: it needs name, start and act"):
        make_agent(wrong, RULES)


def test_a_fresh_process_knows_the_agents_and_imports_only_what_it_needs() -> None:
    program = (
        "import sys\n"
        "from truco_env import Rules, make_agent\n"
        "make_agent('random', Rules())\n"
        "print('truco_agents' in sys.modules, make_agent('maestro', Rules()).name, 'torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "maestro", "False"]


def test_the_register_is_part_of_the_protocol() -> None:
    assert isinstance(make_agent("random", RULES), Agent)
