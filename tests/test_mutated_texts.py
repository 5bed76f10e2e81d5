"""Damaged texts: notation, case files and trace files, changed at random, end in a documented error of one line or in a result."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from truco_env.conformance.cases import Tally, load_cases, run_file
from truco_env.errors import CaseError, NotationError
from truco_env.game.game import Game
from truco_env.rules.options import Rules

DATA: Final = Path(__file__).parent / "data"
WORDS: Final = (
    "0", "-1", "1", "3", "9" * 25, "9" * 5000, "0x" + "f" * 6000, "1e999", ".nan", "none", "null", "true", "[]", "{}", "[[1]]",
    "{a: [1]}",
    "''", "&a", "*a", "? [1]", "!!int ''", "!!bool x", "!!timestamp x", "!!set {a}", "[" * 3000, "{a: " * 500, "option", "players",
    "ruleset",
    "seed", "set", "end", "hand", "seen", "７", "²", "\x00", "\x85", "7O", "discard:" + "9" * 5000 + "O", "9" * 5000 + "O", "sena:tres",
    "2001-99-99",
)  # fmt: skip
MATCHES: Final = (Rules("argentino", 2), Rules("argentino", 3), Rules("argentino", 4, senas="free"), Rules("truc_valencia", 4))


def mutate(text: str, rnd: random.Random) -> str:
    """Change a text in one to three places: a character, a line, or a word."""
    for _ in range(rnd.randint(1, 3)):
        lines = text.split("\n")
        i = rnd.randrange(len(lines))
        kind = rnd.randrange(6)
        if kind == 0 and text:
            at = rnd.randrange(len(text))
            text = text[:at] + rnd.choice(["", chr(rnd.randrange(1, 256)), text[at] * 2]) + text[at + 1 :]
            continue
        if kind == 1:
            del lines[i]
        elif kind == 2:
            lines.insert(rnd.randrange(len(lines)), lines[i])
        elif kind == 3:
            j = rnd.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        else:
            words = lines[i].split(" ")
            words[rnd.randrange(len(words))] = rnd.choice(WORDS)
            lines[i] = " ".join(words)
        text = "\n".join(lines)
    return text


def _one_line(error: Exception) -> None:
    assert len(str(error).splitlines()) == 1, str(error)[:500]


def _played(rules: Rules, rnd: random.Random) -> str:
    game = Game(rules)
    game.deal(seed=rnd.randrange(100))
    for _ in range(40):
        if game.match_over:
            break
        if game.hand_over:
            game.next_hand()
        else:
            game.play(rnd.choice(game.legal))
    return game.notation()


def _load(text: str) -> None:
    try:
        game = Game.from_notation(text)
    except NotationError as error:
        _one_line(error)
    else:
        assert Game.from_notation(game.notation()) == game


def _run(path: Path) -> None:
    out = io.StringIO()
    tally = Tally()
    try:
        run_file(path, tally, out)
    except CaseError as error:
        _one_line(error)
    marks = ("FAIL ", "     ")
    assert all(line.startswith(marks) for line in out.getvalue().split("\n")[:-1]), out.getvalue()[:500]


def _mutants(texts: list[str], count: int, use: Callable[[str], None]) -> None:
    rnd = random.Random(9)
    for _ in range(count):
        mutant = mutate(rnd.choice(texts), rnd)
        try:
            use(mutant)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} {str(error)[:200]} for {mutant[:3000]!r}") from error


def _notations(count: int) -> None:
    rnd = random.Random(4)
    _mutants([_played(rules, rnd) for rules in MATCHES], count, _load)


def _cases(count: int, folder: Path) -> None:
    path = folder / "mutant.yaml"
    parts = [part for file in sorted((DATA / "cases").glob("*.yaml")) for part in file.read_text(encoding="utf-8").split("\n- ")[1:6]]

    def use(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        _run(path)

    _mutants(["- " + part for part in parts], count, use)


def _traces(count: int, folder: Path) -> None:
    path = folder / "mutant.jsonl"
    with gzip.open(sorted((DATA / "traces").glob("*.gz"))[0], "rt", encoding="utf-8") as lines:
        texts = sorted((next(lines) for _ in range(200)), key=len)[:5]

    def use(text: str) -> None:
        path.write_text(text.replace("\n", " "), encoding="utf-8")
        _run(path)

    _mutants([text.replace(", ", " ,\n").replace(": ", " :\n") for text in texts], count, use)


def test_a_few_damaged_texts(tmp_path: Path) -> None:
    _notations(150)
    _cases(100, tmp_path)
    _traces(50, tmp_path)


@pytest.mark.slow
def test_ten_thousand_damaged_notations() -> None:
    _notations(10_000)


@pytest.mark.slow
def test_ten_thousand_damaged_case_files(tmp_path: Path) -> None:
    _cases(10_000, tmp_path)


@pytest.mark.slow
def test_ten_thousand_damaged_trace_files(tmp_path: Path) -> None:
    _traces(10_000, tmp_path)


@pytest.mark.parametrize(
    "then",
    ["hidden: [[1]]", "declared: {0: [1]}", "legal: [[]]", "awarded: [true, false]", "winner: {a: 1}", "hand_over: 1", "to_act: true"],
)
def test_an_expectation_of_another_form_is_refused_by_name(then: str, tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    text = "- {id: x, ruleset: argentino, players: 2, dealer: 1, scores: [0, 0], hands: [7O 6O 4C, 7B 5B 12C], then: {%s}}"
    path.write_text(text % then, encoding="utf-8")
    with pytest.raises(CaseError, match=f"case x: {then.split(':')[0]} cannot be"):
        load_cases(path)


@pytest.mark.parametrize(
    "text",
    [
        "&a [*a]",
        "? [1]\n: 2",
        "[" * 5000,
        "- " + "9" * 5000,
        "- 0x" + "f" * 5000,
        "- !!int ''",
        "- !!bool x",
        "- !!timestamp x",
        "2001-99-99",
    ],
)
def test_hostile_yaml_is_a_case_error_of_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CaseError, match="is no YAML") as caught:
        load_cases(path)
    _one_line(caught.value)


@pytest.mark.parametrize("option", ["players 4", "ruleset x", "self 1", "4 4"])
def test_notation_refuses_what_is_no_option(option: str) -> None:
    with pytest.raises(NotationError, match=r"line 4, .*unknown option"):
        Game.from_notation(f"truco-env match 1\nruleset argentino\nplayers 2\noption {option}\nseed 1\n")
