"""The command line of ``evaluate.py``."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from truco_agents.arena.arena import Arena, ArenaInterrupt
from truco_agents.arena.deals import DealSet
from truco_agents.arena.errors import ArenaError, UnfinishedError, WorkerDiedError
from truco_agents.arena.exploit import ExploitInterrupt, Study, measure_exploitability
from truco_agents.arena.pairing import Pairing
from truco_agents.arena.report import open_console, print_exploitability, print_match, print_table, print_tournament
from truco_agents.arena.result import MatchResult
from truco_agents.arena.seating import side_of
from truco_agents.arena.tournament import Tournament, pairs_of
from truco_agents.files import write_json
from truco_agents.rule_based.character import LADDER
from truco_env.batch.rewards import EPISODES
from truco_env.errors import TrucoError
from truco_env.players.registry import FORMS, describe_agents
from truco_env.program.line import BAD_INPUT, INTERRUPTED, CommandLine
from truco_env.rules.options import RULESETS, Rules
from truco_env.rules.text import read_assignments

TABLE_FORMAT: Final = "truco-env table 1"
_FAILED: Final = 1  # exit status


def main(arguments: Sequence[str] | None = None, *, prog: str = "evaluate.py") -> int:
    """Run a command; return its exit status: 0, 1 if an agent failed, 2 for bad input (told in one line), 130 if interrupted."""
    parser = _build_parser(prog)
    args = parser.parse_args(arguments)
    try:
        return int(args.run(args))
    except (TrucoError, OSError) as error:
        _warn(prog, " ".join(str(error).split()))
        return BAD_INPUT
    except KeyboardInterrupt:
        _warn(prog, "interrupted before there was a result: nothing was saved")
        return INTERRUPTED


def _build_parser(prog: str) -> CommandLine:
    parser = CommandLine(prog=prog, description="Compare agents on deal groups: the same deals in every seating of the two sides.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    common = _common_options()
    match = commands.add_parser("match", parents=[common], help="one side against another", prog=parser.prog)
    match.add_argument("a", metavar="A", help="agent name, checkpoint folder, or a team of them in seat order: A+B")
    match.add_argument("b", metavar="B", help="likewise")
    match.set_defaults(run=_run_match)
    table = commands.add_parser("table", parents=[common], help="one side against several others", prog=parser.prog)
    table.add_argument("a", metavar="A", help="agent name, checkpoint folder, or a team of them in seat order: A+B")
    others = "the others, likewise; 'ladder' stands for random and all rule-based agents"
    table.add_argument("--against", metavar="B", nargs="+", required=True, help=others)
    table.set_defaults(run=_run_table)
    tournament = commands.add_parser("tournament", parents=[common], help="everybody against everybody, with ratings", prog=parser.prog)
    tournament.add_argument("sides", metavar="A", nargs="+", help="two sides or more, likewise")
    tournament.add_argument("--anchor", metavar="A", help="the side whose rating is 0 (default: random if it plays, else the first)")
    tournament.set_defaults(run=_run_tournament)
    exploit = commands.add_parser("exploit", parents=[_table_options()], help="what a best response gains in a hand", prog=parser.prog)
    exploit.add_argument("a", metavar="A", help="agent name or checkpoint folder")
    exploit.add_argument("--hands", type=int, default=200, help="own hands of the best responder (default 200)")
    exploit.add_argument("--scores", metavar="OURS,THEIRS", default="0,0", help="points before the hand, the agent's last (default 0,0)")
    exploit.add_argument(
        "--grain",
        type=float,
        default=1.0,
        help="share of a hand below which a line of an agent that mixes is drawn, 0 for never (default 1)",
    )
    exploit.set_defaults(run=_run_exploit)
    agents = commands.add_parser("agents", help="list the agents that have names", prog=parser.prog)
    agents.set_defaults(run=_run_agents)
    for command in (match, table, tournament, exploit, agents):
        command.set_defaults(prog=prog)
    return parser


def _common_options() -> CommandLine:
    common = CommandLine(add_help=False, parents=[_table_options()])
    common.add_argument("--groups", type=int, default=1000, help="number of deal groups (default 1000)")
    common.add_argument("--episode", default="match", help=f"one of {', '.join(EPISODES)} (default match)")
    return common


def _table_options() -> CommandLine:
    options = CommandLine(add_help=False)
    options.add_argument("--ruleset", default="argentino", help=f"one of {', '.join(RULESETS)} (default argentino)")
    options.add_argument("--players", type=int, default=2, help="seats at the table, 3 for gallo (default 2)")
    options.add_argument("--option", metavar="NAME=VALUE", nargs="+", action="extend", default=[], help="options of the rule set")
    options.add_argument("--seed", type=int, default=0, help="names the deals and the agents' draws (default 0)")
    options.add_argument("--workers", type=int, default=1, help="processes; they do not change the result (default 1)")
    options.add_argument("--out", type=Path, metavar="FILE.json", help="write everything, sample by sample")
    return options


def _run_agents(args: argparse.Namespace) -> int:
    infos = describe_agents()
    name_width, origin_width = (max(len(text) for text in column) for column in zip(*((i.name, i.origin) for i in infos), strict=True))
    for info in infos:
        print(f"{info.name:<{name_width}}  {info.origin:<{origin_width}}  {info.summary}")
    print(f"besides these: {FORMS}")
    return 0


def _run_match(args: argparse.Namespace) -> int:
    played = _play(args, _pairings(args, [(args.a, args.b)]))
    result = played.results.get(0, played.partial)
    if result is None:
        return played.give_up()
    if played.status:
        _warn(args.prog, f"{played.why}: kept the first {result.groups} of {args.groups} deal groups")
    print_match(open_console(sys.stdout), result)
    if args.out is not None:
        _save(args, result.to_dict())
    return played.status


def _run_table(args: argparse.Namespace) -> int:
    ladder = tuple(name for name in LADDER if name != args.a)
    args.against = [name for word in args.against for name in (ladder if word == "ladder" else (word,))]
    twice = [opponent for opponent in args.against if args.against.count(opponent) > 1]
    if twice:
        raise ArenaError(f"--against {twice[0]} is given twice")
    played = _play(args, _pairings(args, [(args.a, opponent) for opponent in args.against]))
    results = list(played.results.values())
    if not results:
        return played.give_up()
    if played.status:
        _warn(args.prog, f"{played.why}: kept the {len(results)} of {len(args.against)} pairings that were finished")
    print_table(open_console(sys.stdout), results)
    if args.out is not None:
        _save(args, {"format": TABLE_FORMAT, "results": [result.to_dict() for result in results]})
    return played.status


def _run_tournament(args: argparse.Namespace) -> int:
    labels = tuple(side_of(side).label for side in args.sides)
    pairs = pairs_of(labels)
    anchor = args.anchor if args.anchor is not None else "random" if "random" in labels else labels[0]
    if anchor not in labels:
        raise ArenaError(f"the anchor {anchor!r} is not in the tournament: choose one of {', '.join(labels)}")
    played = _play(args, _pairings(args, [(args.sides[i], args.sides[j]) for i, j in pairs]))
    if not played.results:
        return played.give_up()
    if played.status:
        kept = f"kept the {len(played.results)} of {len(pairs)} pairings that were finished"
        _warn(args.prog, f"{played.why}: {kept}; ratings need all of them")
    tournament = Tournament(labels, {pairs[k]: result for k, result in played.results.items()}, labels.index(anchor))
    print_tournament(open_console(sys.stdout), tournament)
    if args.out is not None:
        _save(args, tournament.to_dict())
    return played.status


def _run_exploit(args: argparse.Namespace) -> int:
    study = Study(_rules(args), args.a, args.hands, seed=args.seed, scores=_scores(args.scores), grain=args.grain)
    _check_file(args)
    status = 0
    try:
        with _stopped_by_sigterm(), _progress("own hands") as bars:
            task = bars.add_task(escape(args.a), total=study.hands)
            result = measure_exploitability(study, workers=args.workers, progress=partial(bars.advance, task))
    except ExploitInterrupt as interrupt:
        if interrupt.partial is None:
            raise
        result, status = interrupt.partial, INTERRUPTED
        _warn(args.prog, f"interrupted: kept the first {len(result.measured)} of {args.hands} own hands")
    print_exploitability(open_console(sys.stdout), result)
    if args.out is not None:
        _save(args, result.to_dict())
    return status


def _scores(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise ArenaError(f"--scores {text!r} is not possible: write the best responder's points and the agent's, as in 25,27")
    return int(parts[0]), int(parts[1])


def _rules(args: argparse.Namespace) -> Rules:
    return Rules(args.ruleset, args.players, **read_assignments(args.option))


def _check_file(args: argparse.Namespace) -> None:
    if args.out is not None:
        if args.out.is_dir():
            raise ArenaError(f"{args.out} is a folder: --out needs a file name")
        args.out.parent.mkdir(parents=True, exist_ok=True)


def _pairings(args: argparse.Namespace, sides: Sequence[tuple[str, str]]) -> list[Pairing]:
    """Build what is to be played; everything that can be refused is refused here, before anything is played."""
    deals = DealSet(_rules(args), args.seed, args.groups)
    pairings = [Pairing(deals, (side_of(a), side_of(b)), args.episode) for a, b in sides]
    for pairing in pairings:
        pairing.make_agents()
    if args.workers < 1:
        raise ArenaError(f"workers={args.workers} is not possible: it is 1 or more")
    _check_file(args)
    return pairings


@dataclass
class _Played:
    """What came of some pairings.

    Attributes:
        results: of those that were finished, by their place.
        partial: the beginning of the last one that was not finished, if there is any.
        status: 0, or the exit status if not all were finished.
        why: in that case, the reason.
    """

    results: dict[int, MatchResult] = field(default_factory=dict)
    partial: MatchResult | None = None
    status: int = 0
    why: str = ""

    def give_up(self) -> int:
        """Return the exit status where nothing can be shown; an agent that failed has been named already."""
        if self.status == INTERRUPTED:
            raise KeyboardInterrupt
        return self.status


def _play(args: argparse.Namespace, pairings: Sequence[Pairing]) -> _Played:
    """Play pairings on one deal set until done or interrupted; those in which an agent fails are left out."""
    played = _Played()
    deals = pairings[0].deals
    try:
        with _stopped_by_sigterm(), Arena(workers=min(args.workers, deals.chunks)) as arena, _progress() as bars:
            for place, pairing in enumerate(pairings):
                label = f"{pairing.sides[0].label} - {pairing.sides[1].label}"
                task = bars.add_task(escape(label), total=deals.groups)
                try:
                    played.results[place] = arena.play(pairing, progress=partial(bars.advance, task))
                except UnfinishedError as error:
                    _warn(args.prog, f"{label}: {error}")
                    played.partial, played.status, played.why = error.partial, _FAILED, "not everything could be played"
                    if isinstance(error, WorkerDiedError):
                        break
    except KeyboardInterrupt as interrupt:
        played.partial = interrupt.partial if isinstance(interrupt, ArenaInterrupt) else None
        played.status, played.why = INTERRUPTED, "interrupted"
    return played


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _progress(unit: str = "deal groups") -> Progress:
    console = open_console(sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _save(args: argparse.Namespace, data: dict[str, Any]) -> None:
    write_json(args.out, data)
    print(f"written to {args.out}", file=sys.stderr)


def _warn(prog: str, message: str) -> None:
    print(f"{prog}: {message}", file=sys.stderr)
