"""Cases: run case files (YAML) and trace files (JSON lines) against the engine.

    python -m truco_env.cases PATH...

A case is a position, what was said and played, and what must hold then; a trace is a match with the right answer after every move.
Each failure is printed with what was expected and what was found. Exit status: 0 all hold, 1 some fail, 2 a file cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from truco_env.conformance.documents import line_of, read_yaml
from truco_env.conformance.traces import TRACE_SUFFIXES, differ, load_traces, run_trace, text_of
from truco_env.errors import CaseError, TrucoError
from truco_env.game.events import FlorTold, NumberTold
from truco_env.game.game import Game
from truco_env.rules.text import read_options

#: Cases whose answer is disputed, by id, with the reason: they are run and reported, but do not fail.
DISPUTED: Final[dict[str, str]] = {}

_CASE_SUFFIXES: Final = (".yaml", ".yml")
_REQUIRED: Final = ("id", "ruleset", "players", "dealer", "scores", "hands", "then")
_OPTIONAL: Final = ("title", "source", "options", "won", "kind", "moves", "note")


@dataclass(frozen=True)
class Case:
    """A position with the right answer, as its file has it."""

    path: Path
    id: str
    title: str
    ruleset: str
    players: int
    options: dict[str, Any]
    dealer: int
    scores: list[int]
    won: list[int] | None
    kind: str | None
    hands: list[str]
    moves: list[str]
    """Each ``SEAT NAME``."""
    then: dict[str, Any]
    source: str = ""

    def __str__(self) -> str:
        return f"{self.path.name}: {self.id} {self.title}".rstrip()


# Reading.


def load_cases(path: str | Path) -> list[Case]:
    """Read a case file.

    Raises:
        CaseError: the file cannot be read, or is no list of cases; the message names the file and the case.
    """
    path = Path(path)
    try:
        items = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise CaseError(f"{path}: cannot be read: {error}") from error
    except CaseError as error:
        raise CaseError(f"{path}: {error}") from error
    if not isinstance(items, list) or not items:
        raise CaseError(f"{path}: must be a list of cases")
    cases: list[Case] = []
    for number, item in enumerate(items, 1):
        case = _read_case(path, number, item)
        if any(case.id == other.id for other in cases):
            raise CaseError(f"{path}: the id {case.id!r} stands twice")
        cases.append(case)
    return cases


def _read_case(path: Path, number: int, item: object) -> Case:
    if not isinstance(item, dict):
        raise CaseError(f"{path}: case {number} must have keys and values")
    name = f"{path}: case {line_of(item.get('id', number))}"
    missing = [key for key in _REQUIRED if key not in item]
    unknown = [line_of(key) for key in item if key not in _REQUIRED and key not in _OPTIONAL]
    if missing or unknown:
        raise CaseError(f"{name}: " + (f"lacks {', '.join(missing)}" if missing else f"has unknown keys {', '.join(unknown)}"))

    def take(key: str, kind: type, default: Any = None) -> Any:
        value = item.get(key)
        if value is None and key not in _REQUIRED:
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise CaseError(f"{name}: {key} must be a {kind.__name__}, not {line_of(repr(value))}")
        return value

    then = take("then", dict)
    for key, value in then.items():
        if key not in _CHECKS:
            raise CaseError(f"{name}: unknown expectation {key!r}; known are {', '.join(_CHECKS)}")
        if not _CHECKS[key][0](value):
            raise CaseError(f"{name}: {key} cannot be {line_of(repr(value))}")
    moves = item.get("moves") or ""
    listed = moves.split(",") if isinstance(moves, str) else moves
    if not isinstance(listed, list) or not all(isinstance(move, str) for move in listed):
        raise CaseError(f"{name}: moves must be text such as '0 truco, 1 quiero'")
    return Case(
        path=path,
        id=str(item["id"]),
        title=str(item.get("title", "")),
        ruleset=take("ruleset", str),
        players=take("players", int),
        options=take("options", dict, {}),
        dealer=take("dealer", int),
        scores=take("scores", list),
        won=take("won", list),
        kind=take("kind", str),
        hands=take("hands", list),
        moves=[move.strip() for move in listed if move.strip()],
        then=then,
        source=str(item.get("source", "")),
    )


# Running a case.


def run_case(case: Case) -> list[str]:
    """Play a case and return what does not hold, one sentence each; empty if all holds."""
    game = None
    try:
        game = Game(case.ruleset, case.players, **read_options(case.options))
        game.deal(case.hands, dealer=case.dealer, scores=case.scores, won=case.won, kind=case.kind, seed=0)
    except (TrucoError, TypeError) as error:
        return [f"it cannot be set up: {error}"]
    for number, move in enumerate(case.moves, 1):
        try:
            _play(game, move)
        except TrucoError as error:
            return [f"move {number}, {move!r}: {error}"]
    failures: list[str] = []
    for key, expected in case.then.items():
        failure = _CHECKS[key][1](case, game, expected)
        if failure is not None:
            failures.append(f"{key}: {failure}")
    return failures


def _play(game: Game, move: str) -> None:
    """Play ``SEAT NAME``."""
    seat, _, name = move.partition(" ")
    if not (seat.isascii() and seat.isdecimal() and len(seat) <= 2):
        raise CaseError(f"a move is 'SEAT NAME', not {move!r}")
    game.play(name.strip(), seat=int(seat))


def _check_to_act(case: Case, game: Game, expected: int | None) -> str | None:
    return differ(expected, game.to_act)


def _check_legal(case: Case, game: Game, expected: list[str]) -> str | None:
    return differ(sorted(expected), game.legal)


def _check_legal_has(case: Case, game: Game, expected: list[str]) -> str | None:
    absent = [name for name in expected if name not in game.legal]
    return f"expected also {text_of(absent)}, found {text_of(game.legal)}" if absent else None


def _check_legal_lacks(case: Case, game: Game, expected: list[str]) -> str | None:
    present = [name for name in expected if name in game.legal]
    return f"expected no {text_of(present)}, found {text_of(game.legal)}" if present else None


def _check_awarded(case: Case, game: Game, expected: list[int]) -> str | None:
    return differ(list(expected), [now - before for now, before in zip(game.scores, case.scores, strict=True)])


def _check_scores(case: Case, game: Game, expected: list[int]) -> str | None:
    return differ(list(expected), list(game.scores))


def _told(game: Game) -> dict[int, list[int]]:
    """The numbers and flor values that became public, by seat."""
    told: dict[int, list[int]] = {}
    for event in game.events:
        if isinstance(event, NumberTold):
            told.setdefault(event.seat, []).append(event.number)
        elif isinstance(event, FlorTold):
            told.setdefault(event.seat, []).append(event.value)
    return told


def _check_declared(case: Case, game: Game, expected: dict[int, int]) -> str | None:
    told = _told(game)
    if all(number in told.get(seat, []) for seat, number in expected.items()):
        return None
    found = ", ".join(f"seat {seat} {text_of(numbers)}" for seat, numbers in sorted(told.items()))
    return f"expected {', '.join(f'seat {seat} {number}' for seat, number in expected.items())}, found {found or 'nothing'}"


def _check_hidden(case: Case, game: Game, expected: list[int]) -> str | None:
    told, shown = _told(game), game.view(0).shown
    public = [
        f"seat {seat} told {text_of(told[seat])}" if seat in told else f"seat {seat} showed its cards"
        for seat in expected
        if seat in told or seat in shown
    ]
    return f"expected nothing of {text_of(expected)}, found {', '.join(public)}" if public else None


def _check_hand_over(case: Case, game: Game, expected: bool) -> str | None:
    return differ(expected, game.hand_over)


def _check_match_over(case: Case, game: Game, expected: bool) -> str | None:
    return differ(expected, game.match_over)


def _check_winner(case: Case, game: Game, expected: str | int | list[int] | None) -> str | None:
    sides = {0: "A", 1: "B"}
    winner: object = list(game.winner) if isinstance(game.winner, tuple) else game.winner
    if not game.rules.gallo and isinstance(game.winner, int):
        winner = sides[game.winner]
        expected = sides.get(expected, expected) if isinstance(expected, int) else expected
    return differ(expected, winner)


def _check_refused(case: Case, game: Game, expected: str | list[str]) -> str | None:
    for move in [expected] if isinstance(expected, str) else expected:
        before = game.copy()
        try:
            _play(game, move)
        except TrucoError:
            if game != before:
                return f"{move!r} was refused, but changed the game"
        else:
            return f"{move!r} was accepted; legal moves were {text_of(before.legal)}"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_number, value))


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _are_told(value: object) -> bool:
    return isinstance(value, dict) and all(_is_number(item) for item in (*value, *value.values()))


_Check = Callable[[Case, Game, Any], str | None]
#: What ``then`` may say: whether a value of the file can be meant, and the check.
_CHECKS: Final[dict[str, tuple[Callable[[object], bool], _Check]]] = {
    "to_act": (lambda value: value is None or _is_number(value), _check_to_act),
    "legal": (_are_names, _check_legal),
    "legal_has": (_are_names, _check_legal_has),
    "legal_lacks": (_are_names, _check_legal_lacks),
    "awarded": (_are_numbers, _check_awarded),
    "scores": (_are_numbers, _check_scores),
    "declared": (_are_told, _check_declared),
    "hidden": (_are_numbers, _check_hidden),
    "hand_over": (_is_flag, _check_hand_over),
    "match_over": (_is_flag, _check_match_over),
    "winner": (lambda value: value is None or isinstance(value, str) or _is_number(value) or _are_numbers(value), _check_winner),
    "refused": (lambda value: isinstance(value, str) or _are_names(value), _check_refused),
}


# Running files.


def find_files(path: str | Path) -> list[Path]:
    """Return a file, or the case and trace files of a folder and its subfolders, sorted.

    Raises:
        CaseError: there is nothing, or the file is neither.
    """
    path = Path(path)
    if not path.exists():
        raise CaseError(f"{path}: there is no such file or folder")
    if path.is_file():
        if not path.name.endswith(_CASE_SUFFIXES + TRACE_SUFFIXES):
            raise CaseError(f"{path}: is neither a case file ({', '.join(_CASE_SUFFIXES)}) nor a trace file ({', '.join(TRACE_SUFFIXES)})")
        return [path]
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name.endswith(_CASE_SUFFIXES + TRACE_SUFFIXES))
    if not files:
        raise CaseError(f"{path}: has no case or trace files")
    return files


@dataclass
class Tally:
    """What a run came to."""

    cases: int = 0
    traces: int = 0
    failed: int = 0
    disputed: int = 0
    broken: int = 0

    def __str__(self) -> str:
        run = f"{self.cases} cases, {self.traces} traces"
        parts = [
            f"{count} {word}"
            for word, count in (("failed", self.failed), ("disputed", self.disputed), ("unreadable", self.broken))
            if count
        ]
        return f"{run}: {', '.join(parts) or 'all hold'}"


def run_file(path: Path, tally: Tally, out: TextIO) -> None:
    """Run a case or trace file, print its failures to ``out`` and count them in ``tally``.

    Raises:
        CaseError: the file cannot be read.
    """
    if path.name.endswith(TRACE_SUFFIXES):
        for trace in load_traces(path):
            tally.traces += 1
            tally.failed += _report(str(trace), run_trace(trace), "FAIL", out)
        return
    for case in load_cases(path):
        tally.cases += 1
        reason = DISPUTED.get(case.id)
        title = f"{case} ({case.source})" if case.source else str(case)
        if reason is None:
            tally.failed += _report(title, run_case(case), "FAIL", out)
        else:
            tally.disputed += _report(f"{title}: {reason}", run_case(case), "DISPUTED", out)


def _report(title: str, failures: list[str], word: str, out: TextIO) -> bool:
    if failures:
        out.write(f"{word} {line_of(title)}\n" + "".join(f"     {line_of(failure)}\n" for failure in failures))
    return bool(failures)


def main(arguments: Sequence[str] | None = None, *, prog: str = "python -m truco_env.cases") -> int:
    """Run the command line and return the exit status: 0 all hold, 1 something fails, 2 a file cannot be read."""
    parser = argparse.ArgumentParser(prog=prog, description="Run case files (.yaml) and trace files (.jsonl, .jsonl.gz).")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder with such files")
    tally = Tally()
    for name in parser.parse_args(arguments).paths:
        try:
            files = find_files(name)
        except CaseError as error:
            tally.broken += 1
            sys.stderr.write(f"error: {line_of(error)}\n")
            continue
        for file in files:
            try:
                run_file(file, tally, sys.stdout)
            except CaseError as error:
                tally.broken += 1
                sys.stderr.write(f"error: {line_of(error)}\n")
    sys.stdout.write(f"{tally}\n")
    return 2 if tally.broken else 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
