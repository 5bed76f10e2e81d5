"""The picture of a hand, ``docs/hand.svg``: two players in the middle of a hand, drawn with Spanish cards of our own."""

from __future__ import annotations

from typing import Final

WIDTH, HEIGHT = 760, 600
CARD_WIDTH, CARD_HEIGHT = 104, 160
_RED, _GOLD, _BLUE, _GREEN, _BROWN, _INK = "#b3261e", "#d9a420", "#2b5c9e", "#3d7a3a", "#7a4a21", "#33302b"

#: Where the marks of a card stand, from its centre in card widths; the 7 as on Spanish cards, three, one, three.
_PLACES: Final = {
    4: ((-0.2, -0.36), (0.2, -0.36), (-0.2, 0.36), (0.2, 0.36)),
    6: ((-0.2, -0.45), (0.2, -0.45), (-0.2, 0.0), (0.2, 0.0), (-0.2, 0.45), (0.2, 0.45)),
    7: ((-0.22, -0.47), (0.22, -0.47), (-0.22, 0.0), (0.22, 0.0), (-0.22, 0.47), (0.22, 0.47), (0.0, -0.235)),
}
#: Gaps in the frame by suit, as Spanish cards have them (la pinta).
_GAPS: Final = {"O": 0, "C": 1, "B": 3}


def draw() -> str:
    """Return the picture as SVG: seat 0 has won the envido, the rival the first trick, and now says truco."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        'aria-label="A hand of Truco: the rival has won the first trick and says truco">',
        f"<defs>{_suits()}</defs>",
        f'<rect x="3" y="3" width="{WIDTH - 6}" height="{HEIGHT - 6}" rx="26" fill="#24573f" stroke="#173a2a" stroke-width="6"/>',
        f'<ellipse cx="{WIDTH / 2}" cy="{HEIGHT / 2}" rx="330" ry="150" fill="none" stroke="#2f6b4f" stroke-width="3"/>',
        *(_back(x, 96, turn) for x, turn in ((326, 5), (438, -5))),
        _card(7, "B", 320, 290, -6),
        _card(6, "O", 444, 302, 4),
        _card(4, "C", 322, 500, -5),
        _card(7, "O", 438, 500, 5),
        _bubble(534, 96, "¡Truco!", 1.25),
        *(_bubble(534, y, text, 0.95) for y, text in ((456, "¿Quiero?"), (502, "¿No quiero?"), (548, "¿Retruco?"))),
        _note(136, 92, "rival"),
        _small(136, 118, "two cards left"),
        _note(136, 492, "you"),
        _small(136, 518, "4 of copas, 7 of oros"),
        _board(),
        _small(630, 290, "trick 1: the 7 of bastos"),
        _small(630, 312, "beats the 6 of oros"),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _suits() -> str:
    """The marks of the suits, each about 30 wide, around (0, 0)."""
    rays = "".join(f'<path d="M0-12.4L-1.9-9h3.8z" transform="rotate({30 * k})" fill="{_RED}"/>' for k in range(12))
    coin = (
        f'<g id="O"><circle r="15" fill="{_GOLD}" stroke="{_INK}" stroke-width="1"/><circle r="12.8" fill="#f4d774"/>{rays}'
        f'<circle r="7.4" fill="{_GOLD}" stroke="{_RED}" stroke-width="1.2"/><circle r="3" fill="{_RED}"/></g>'
    )
    cup = (
        f'<g id="C" stroke="{_INK}" stroke-width="1"><path d="M-12-15H12C12-2 7 3 2.6 4.4V9.5C7 10 9.5 12 10 15H-10'
        f'C-9.5 12-7 10-2.6 9.5V4.4C-7 3-12-2-12-15Z" fill="{_RED}"/><ellipse cy="-15" rx="12" ry="3.4" fill="{_GOLD}"/>'
        f'<path d="M-9.6-6.4Q0-2.6 9.6-6.4" fill="none" stroke="{_GOLD}" stroke-width="2.2"/></g>'
    )
    club = (
        f'<g id="B" transform="rotate(24)" stroke="{_INK}" stroke-width="1">'
        f'<path d="M-2.4 21C-3.6 8-8.6-6-6.6-15C-5.2-21.6 5.2-21.6 6.6-15'
        f'C8.6-6 3.6 8 2.4 21Q0 23-2.4 21Z" fill="{_GREEN}"/>'
        f'<path d="M-1.5 17C-2-2-3.6-8-3-15" fill="none" stroke="#9cc48f" stroke-width="1.6"/>'
        f'<circle cx="3" cy="-11" r="1.9" fill="{_BROWN}"/><circle cx="-3.8" cy="-3" r="1.7" fill="{_BROWN}"/>'
        f'<circle cx="2.4" cy="3.4" r="1.6" fill="{_BROWN}"/></g>'
    )
    return coin + cup + club


def _card(rank: int, suit: str, x: float, y: float, turn: float) -> str:
    """One face around (x, y), turned clockwise by ``turn`` degrees."""
    size = 1.1 if rank <= 4 else 0.94
    marks = "".join(
        f'<use href="#{suit}" transform="translate({dx * CARD_WIDTH:.1f} {dy * CARD_WIDTH:.1f}) scale({size})"/>'
        for dx, dy in _PLACES[rank]
    )
    corner = f'<text x="{-CARD_WIDTH / 2 + 8}" y="{-CARD_HEIGHT / 2 + 20}" font-size="17" font-weight="bold" fill="{_INK}">{rank}</text>'
    return (
        f'<g transform="translate({x} {y}) rotate({turn})" font-family="Georgia, serif">{_sheet("#fdf8ea")}{_frame(_GAPS[suit])}{corner}'
        f'<g transform="rotate(180)">{corner}</g>{marks}</g>'
    )


def _sheet(fill: str) -> str:
    size = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="9"'
    x, y = -CARD_WIDTH / 2, -CARD_HEIGHT / 2
    shadow = f'<rect x="{x + 3}" y="{y + 4}" {size} fill="#000" opacity=".25"/>'
    return f'{shadow}<rect x="{x}" y="{y}" {size} fill="{fill}" stroke="{_INK}" stroke-width="1.2"/>'


def _frame(gaps: int) -> str:
    """The line inside the edge, broken ``gaps`` times above and below."""
    width, height, gap = CARD_WIDTH - 46, CARD_HEIGHT - 14, 7
    piece = (width - gaps * gap) / (gaps + 1)
    lines = "".join(f"M{-width / 2 + k * (piece + gap):.1f} {y}h{piece:.1f}" for y in (-height / 2, height / 2) for k in range(gaps + 1))
    side = CARD_WIDTH / 2 - 5
    sides = f"M{-side} {-height / 2 + 24}V{height / 2}H{-width / 2}M{side} {height / 2 - 24}V{-height / 2}H{width / 2}"
    return f'<path d="{lines}{sides}" fill="none" stroke="{_BLUE}" stroke-width="1.3"/>'


def _back(x: float, y: float, turn: float) -> str:
    """One card face down."""
    inner = f'x="{-CARD_WIDTH / 2 + 8}" y="{-CARD_HEIGHT / 2 + 8}" width="{CARD_WIDTH - 16}" height="{CARD_HEIGHT - 16}" rx="5"'
    lattice = "".join(
        f'<path d="M{dx * 18} {dy * 18 - 7}L{dx * 18 + 7} {dy * 18}L{dx * 18} {dy * 18 + 7}L{dx * 18 - 7} {dy * 18}Z" fill="#e9d9b0"/>'
        for dx in range(-1, 2)
        for dy in range(-3, 4)
    )
    return f'<g transform="translate({x} {y}) rotate({turn})">{_sheet("#fdf8ea")}<rect {inner} fill="#8c2f2b"/>{lattice}</g>'


def _bubble(x: float, y: float, text: str, size: float) -> str:
    """Words that are said; the tail begins at (x, y) and points left."""
    width, height = (len(text) * 10.5 + 30) * size, 38 * size
    left = 20 * size
    return (
        f'<g transform="translate({x} {y})"><path d="M{left + 3} {-7 * size:.2f}L0 0L{left + 3} {7 * size:.2f}Z" fill="#fffdf5"/>'
        f'<rect x="{left}" y="{-height / 2}" width="{width:.1f}" height="{height}" rx="{height / 2}" fill="#fffdf5"/>'
        f'<text x="{left + width / 2:.1f}" y="{6 * size:.2f}" font-family="Georgia, serif" font-size="{18 * size:.1f}" font-weight="bold" '
        f'text-anchor="middle" fill="{_INK}">{text}</text></g>'
    )


def _note(x: float, y: float, text: str) -> str:
    font = 'font-family="Georgia, serif" font-size="24" font-weight="bold"'
    return f'<text x="{x}" y="{y}" {font} text-anchor="middle" fill="#f3ead0">{text}</text>'


def _small(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-family="Georgia, serif" font-size="15" text-anchor="middle" fill="#d5e4d8">{text}</text>'


def _board() -> str:
    """What the envido brought, and the score, kept with matches as at the table."""
    matches = "".join(
        f'<path d="M{x} 276v34" stroke="#e8cf94" stroke-width="4"/><circle cx="{x}" cy="274" r="4.5" fill="{_RED}"/>' for x in (123, 149)
    )
    lines = _small(136, 258, "envido: 33 beats 32") + _small(136, 338, "you 2 – rival 0")
    return f'<g><rect x="38" y="234" width="196" height="120" rx="10" fill="#1c4632"/>{lines}{matches}</g>'
