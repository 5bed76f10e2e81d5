"""Sides and seatings: which agents a side is made of, and where the two sides sit in the matches of a deal group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truco_agents.arena.errors import ArenaError
from truco_env.players.protocol import Agent
from truco_env.rules.options import Rules


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        members: names, checkpoint folders or agents: one for all seats of the side, or one for each seat in play order.
    """

    members: tuple[str | Agent, ...]

    @property
    def label(self) -> str:
        """The members' names joined by ``+``."""
        return "+".join(member if isinstance(member, str) else member.name for member in self.members)


SideLike = Side | Agent | str | Sequence[str | Agent]


def side_of(side: SideLike) -> Side:
    """Return a side from one agent, from text like ``a`` or ``a+b`` (a path that exists is one agent), or from several members.

    Raises:
        ArenaError: an empty member.
    """
    if isinstance(side, Side):
        return side
    if isinstance(side, str):
        members = (side,) if Path(side).exists() else tuple(part.strip() for part in side.split("+"))
        if not all(members):
            raise ArenaError(f"side {side!r} has an empty name: write an agent, or agents joined by +")
        return Side(members)
    if isinstance(side, Agent):
        return Side((side,))
    return Side(tuple(side))


@dataclass(frozen=True)
class Seating:
    """One way to seat the two sides, 0 and 1.

    Attributes:
        sides: the side of each seat.
        account: an account whose points decide the difference: the team of seat 0, or gallo's seat that has no company.
        first: whether that account is side 0's.
    """

    sides: tuple[int, ...]
    account: int
    first: bool

    @property
    def accounts(self) -> int:
        """Bit mask of side 0's accounts."""
        if len(self.sides) == 3:
            return sum(1 << seat for seat, side in enumerate(self.sides) if side == 0)
        return 1 << self.sides.index(0)

    @property
    def label(self) -> str:
        """Where side 0 sits, as printed."""
        seats = [str(seat) for seat, side in enumerate(self.sides) if side == 0]
        return f"in seat{'s' if len(seats) > 1 else ''} {'+'.join(seats)}"


def seatings_of(rules: Rules) -> tuple[Seating, ...]:
    """Return the seatings of a deal group: both ways round, in gallo all six mixed ways to fill three seats.

    In gallo each side sits once alone in every seat and once in every pair of seats (rules.md 6.2): the roles move with the dealer,
    so every seat meets every role in every seating, and what one side gains by sitting alone or in a pair the other gains as well.
    """
    if not rules.gallo:
        ways = (tuple(seat % 2 for seat in range(rules.players)), tuple(1 - seat % 2 for seat in range(rules.players)))
        return tuple(Seating(way, 0, way[0] == 0) for way in ways)
    alone = [Seating(tuple(int(seat != lone) for seat in range(3)), lone, True) for lone in range(3)]
    paired = [Seating(tuple(int(seat == lone) for seat in range(3)), lone, False) for lone in range(3)]
    return (*alone, *paired)


def check_side(side: Side, rules: Rules) -> None:
    """Refuse a side that does not fit the table.

    Raises:
        ArenaError: neither one member nor one for each seat of the side.
    """
    seats = rules.seats_per_account
    if len(side.members) not in (1, seats):
        have = "in gallo every seat plays for itself" if rules.gallo else f"a side of {rules.players} players has seats for {seats}"
        allowed = "one agent" if seats == 1 else f"one agent or {seats}"
        raise ArenaError(f"side {side.label!r} has {len(side.members)} agents, but {have}: name {allowed}")


def member_table(side_sizes: tuple[int, int], seating: Seating) -> list[int]:
    """Return, for each seat, the index of its agent in the list of side 0's members followed by side 1's."""
    table = []
    seen = [0, 0]
    for side in seating.sides:
        table.append(side * side_sizes[0] + seen[side] % side_sizes[side])
        seen[side] += 1
    return table
