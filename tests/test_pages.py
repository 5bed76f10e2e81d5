"""Generated pages are those that the code writes today, and every citation of the rule book leads to a heading or a row of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.pages import PAGES, ROOT, replace_part
from truco_env.rules.options import OPTIONS

BOOK = ROOT / "docs" / "rulebook"
_SECTION = r"\d\.\d+|\d(?![\d.])"
_CODE = r"\b(?:[GAVMW]\d{1,2}|r\d+[ab])\b"
#: A citation names the page, then one section or several: ``rules.md 1.6, 2.4``; ``1.10-1.12`` is a range.
_CITATION = rf"(?:rules\.md\)?|\[rules\]\([^)]*rules\.md\))[`*]*,? (?:sections? )?((?:{_SECTION})(?:(?:, | and |-)(?:{_SECTION}))*)"


def _sections() -> set[str]:
    headings = re.findall(r"^##+ (\d(?:\.\d+)?)\.? ", (BOOK / "rules.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {*headings, "8"}  # section 8 is the page of rulings


def _anchors() -> set[str]:
    return {name for page in BOOK.glob("*.md") for name in re.findall(r'<a id="(\w+)"></a>', page.read_text(encoding="utf-8"))}


def _citing() -> list[Path]:
    folders = ("truco_env", "agents", "docs", "tests", "tools", "benchmarks", "configs")
    files = [path for folder in folders for kind in ("*.py", "*.md", "*.yaml") for path in (ROOT / folder).rglob(kind)]
    return [ROOT / "README.md", *(path for path in files if path != Path(__file__))]


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert page == PAGES[name](page), f"{name} is out of date: run `make docs`"


def test_only_the_part_between_the_markers_is_written() -> None:
    assert replace_part("x", lambda: "new\n", "a\n<!-- x -->\nold\n<!-- /x -->\nb\n") == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    with pytest.raises(ValueError, match="needs the marks"):
        replace_part("x", lambda: "new\n", "no marks")


def test_the_sections_of_the_rule_book_are_found() -> None:
    assert {"0.1", "1.13", "6.3", "7", "9"} <= _sections()
    assert {"A9", "G2", "W16", "r30b", "P1"} <= _anchors()


def test_every_cited_section_of_the_rules_exists() -> None:
    sections = _sections()
    cited = 0
    for path in _citing():
        text = re.sub(r"\n\s*#?:? ?", " ", path.read_text(encoding="utf-8"))
        for found in re.findall(_CITATION, text):
            for section in re.findall(_SECTION, found):
                cited += 1
                assert section in sections, f"{path.relative_to(ROOT)} cites rules.md {section}"
    assert cited > 60


def test_every_section_in_the_options_index_exists() -> None:
    for option in OPTIONS.values():
        assert set(option.section.split(", ")) <= _sections(), option.name


def test_every_cited_ruling_exists() -> None:
    """In the rule book anywhere; elsewhere in comments, docstrings and text, where a code such as G7 stands in round brackets or alone."""
    anchors = _anchors()
    for path in (BOOK / "rules.md", BOOK / "rulings.md"):
        for code in re.findall(_CODE, path.read_text(encoding="utf-8")):
            assert code in anchors, f"{path.name} cites {code}"
    cited = set()
    for path in _citing():
        for code in re.findall(rf"(?:\(|, |rules\.md \S+ ?)({_CODE})(?=[),:])|\b(r\d+[ab])\b", path.read_text(encoding="utf-8")):
            cited.add(code[0] or code[1])
            assert cited <= anchors, f"{path.relative_to(ROOT)} cites {code[0] or code[1]}"
    assert {"A9", "A17", "G7", "V2", "r30a"} <= cited


def test_references_inside_the_rules_lead_somewhere() -> None:
    sections = _sections()
    text = (BOOK / "rules.md").read_text(encoding="utf-8")
    for found in re.findall(r"\((\d\.\d+(?:, \d\.\d+)*)\)", text):
        assert set(found.split(", ")) <= sections, found
