"""The generated pages are those that the code writes today."""

from __future__ import annotations

from pathlib import Path

from tools import rules_page

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_rules_is_up_to_date() -> None:
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == rules_page.page()
