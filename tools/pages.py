"""Write every generated page and part of a page: ``python -m tools.pages`` (or ``make docs``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tools import hand_picture, observation_page, options_page, record_types, traits_table
from truco_agents.training.config import describe

ROOT: Final = Path(__file__).parent.parent


def replace_part(name: str, write: Callable[[], str], page: str) -> str:
    """Return ``page`` with the text between its markers ``<!-- NAME -->`` and ``<!-- /NAME -->`` written anew.

    Raises:
        ValueError: the page does not have exactly one such pair.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page needs the marks {begin.strip()} and {end} once each")
    before, rest = page.split(begin)
    return before + begin + write() + end + rest.split(end)[1]


def _whole(write: Callable[[], str], page: str) -> str:
    return write()


#: For each generated file, how its present text becomes the new one.
PAGES: Final[dict[str, Callable[[str], str]]] = {
    "docs/options.md": partial(_whole, options_page.print_page),
    "docs/observations.md": partial(_whole, observation_page.print_page),
    "docs/hand.svg": partial(_whole, hand_picture.draw),
    "docs/agents.md": partial(replace_part, "traits", traits_table.print_table),
    "truco_env/engine/record_types.py": partial(_whole, record_types.print_types),
    "docs/training.md": partial(replace_part, "keys", describe),
}


def main() -> None:
    """Write all pages."""
    for name, renew in PAGES.items():
        path = ROOT / name
        path.write_text(renew(path.read_text(encoding="utf-8") if path.exists() else ""), encoding="utf-8")


if __name__ == "__main__":
    main()
