"""The page of the observation and state layouts, ``docs/observations.md``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from truco_env.observation.layout import CARD_WIDTH, Field, Layout
from truco_env.observation.state import StateLayout

SEATS: Final = (2, 3, 4, 6, 8)

_INTRO: Final = """# Observations

<!-- Written by `make docs` from `truco_env/observation/layout.py`; a test checks that it is up to date. -->

An observation is one int8 vector from one seat's view. It holds everything that the seat may know in this hand (in a pica-pica: in this
duel, with the cards that lie on the table from earlier ones), and nothing else; the tests exchange all cards that a seat cannot see and
compare bytes, and compare the knowledge of positions with equal bytes.

* Seats are counted from the viewer, in play order: 0 = me, 1 = the next, ... With four seats 2 is my partner; with six 2 and 4 are. In
  gallo every seat has an account of its own; *us* is the side of this hand: the pair, or the dealer alone.
* A card is {width} entries: its truco rank 1 to 14 ([rules](rulebook/rules.md) 1.1, 1.2) one-hot, then its suit E B O C one-hot; all zero
  = no card.
* Slots are the dealt cards sorted by rank and suit; they are never renumbered (the gallo's dealer's are sorted anew after the discard).
  Action `PLAY_k` plays slot k.
* *Clock* numbers count the public actions of the hand: cards, calls, answers, folds. They put the calls in order.
* `scale` is a divisor that brings entries to about 0..1, for networks: `observation / layout.scale`.

```python
import truco_env

rules = truco_env.Rules("argentino", players=4)
layout = truco_env.layout_of(rules)
layout.size                        # length of the vector
layout["hand"].start               # where a field begins
layout.views(observations)         # the fields of one observation or of a batch, by name
truco_env.decode(observation, rules)   # one observation as named values, cards as text
```
"""


def print_page() -> str:
    """Return the page as Markdown."""
    full = {n: Layout(n, duels=n == 6, senas=n > 2) for n in SEATS}
    states = {n: StateLayout(n, duels=n == 6, senas=n > 2) for n in SEATS}
    parts = [_INTRO.format(width=CARD_WIDTH), "## Fields\n", "n = seats.\n", _fields_table(full)]
    parts += ["\n## Where each field starts\n", _starts_table({n: Layout(n) for n in SEATS})]
    parts += ["\n`kind` and `duel` come after `shown` where pica-pica is played, then `senas` where señas are made.\n"]
    parts += ["## Length\n", _sizes_table()]
    parts += ["\n## The state of the whole table\n", _STATE, _fields_table(states, skip=full)]
    return "\n".join(parts) + "\n"


_STATE: Final = """`env.state()` is for critics that may see everything. It is the observation of seat 0, whose relative seats are the
absolute ones, followed by these fields (`env.state_layout`, `truco_env.observation.state.decode_state`):
"""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _fields_table(layouts: Mapping[int, Layout], skip: Mapping[int, Layout] | None = None) -> str:
    rows: dict[str, list[str]] = {}
    for name in _names(layouts.values()):
        if skip is not None and name in _names(skip.values()):
            continue
        shapes = {n: layout[name].shape for n, layout in layouts.items() if name in _names([layout])}
        field = next(layout[name] for layout in layouts.values() if name in _names([layout]))
        rows[name] = [f"`{name}`", _shape_text(shapes), field.axes, _bounds(field), str(field.scale), field.meaning]
    return _table(("field", "shape", "axes", "values", "scale", "meaning"), rows.values())


def _names(layouts: Iterable[Layout]) -> list[str]:
    """Names of fields in order, also of those that not every layout has."""
    names: list[str] = []
    for layout in layouts:
        place = 0
        for field in layout.fields:
            if field.name in names:
                place = names.index(field.name) + 1
            else:
                names.insert(place, field.name)
                place += 1
    return names


def _bounds(field: Field) -> str:
    return "0 / 1" if (field.low, field.high) == (0, 1) else f"{field.low} .. {field.high}"


def _shape_text(shapes: Mapping[int, tuple[int, ...]]) -> str:
    axes = [_axis_text({n: shape[axis] for n, shape in shapes.items()}) for axis in range(len(next(iter(shapes.values()))))]
    only = "" if len(shapes) > 1 or 3 not in shapes else " (gallo only)"
    return " × ".join(axes) + only


def _axis_text(sizes: Mapping[int, int]) -> str:
    if len(sizes) > 1 and all(size == n for n, size in sizes.items()):
        return "n"
    others = {size for n, size in sizes.items() if n != 3}
    common = others.pop() if others else sizes[3]
    return f"{common} (gallo {sizes[3]})" if sizes.get(3, common) != common else str(common)


def _starts_table(layouts: Mapping[int, Layout]) -> str:
    head = ("field", *(f"{n} seats" if n != 3 else "gallo" for n in layouts))
    rows = []
    for name in _names(layouts.values()):
        starts = [str(layout[name].start) if name in _names([layout]) else "–" for layout in layouts.values()]
        rows.append((f"`{name}`", *starts))
    return _table(head, rows)


def _sizes_table() -> str:
    rows = []
    for n in SEATS:
        plain, senas = Layout(n), Layout(n, senas=True)
        state = StateLayout(n)
        title = "gallo" if n == 3 else f"{n} seats"
        rows.append((title, str(plain.size), str(senas.size) if n > 2 else "–", str(state.size)))
        if n == 6:
            duels, both = Layout(n, duels=True), Layout(n, duels=True, senas=True)
            rows.append((f"{title}, pica-pica", str(duels.size), str(both.size), str(StateLayout(n, duels=True).size)))
    return _table(("table", "bytes", "bytes with señas", "bytes of a state"), rows)
