"""The page: results as Markdown tables and a plot, put between the markers of ``docs/benchmarks.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from benchmarks.catalogue import GROUPS, SEATS, Claim, Group, Workload
from benchmarks.plot import draw
from benchmarks.results import Results, Spread

BEGIN: Final = "<!-- results: written by python -m benchmarks, do not edit -->"
END: Final = "<!-- end of results -->"
_TRAINING: Final = ("training", "cores")


class PageError(ValueError):
    """A page without a place for the results."""


def write_page(results: Results, page: Path) -> None:
    """Put the results between the markers of a page, and the plot beside it; the rest of the page stays as it is.

    Args:
        results: of a run.
        page: the Markdown file; the plot gets its name, with ``.png``.

    Raises:
        PageError: the page has no markers.
    """
    text = page.read_text(encoding="utf-8") if page.exists() else f"# Benchmarks\n\n{BEGIN}\n{END}\n"
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise PageError(f"{page} has no place for the results: it needs the lines {BEGIN!r} and {END!r}")
    plot = page.with_suffix(".png")
    shown = (
        f"![Decisions a second and time of a step by batch size, time of a decision by seats]({plot.name})\n\n"
        if draw(results, plot)
        else ""
    )
    draft = page.with_name(f".{page.name}")
    draft.write_text(f"{head}{BEGIN}\n\n{machine(results)}\n\n{shown}{tables(results)}\n\n{END}{tail}", encoding="utf-8")
    draft.replace(page)


def machine(results: Results) -> str:
    """Return where, when and with what the results were measured."""
    m = results.machine
    versions = ", ".join(f"{package} {version}" for package, version in results.versions().items())
    lines = [
        f"Command: `{results.command}`",
        f"Machine: {m.cpu}, {m.cores} cores, {m.memory / 2**30:.0f} GiB, {m.system}; Python {m.python}",
        f"Began {results.began}; load average {', '.join(f'{load:.1f}' for load in results.loads)} (before the first group, after each)",
        f"Versions: {versions}",
    ]
    return "\n".join(f"* {line}" for line in lines)


def tables(results: Results) -> str:
    """Return the claims and every group as Markdown."""
    parts = [_claims(results)] if results.claims() else []
    parts += [_group(results, group) for group in GROUPS if any(w.name in results.outcomes for w in group.workloads)]
    return "\n\n".join(parts)


def _claims(results: Results) -> str:
    rows = ["### Goals", "", "| what | measured | goal | reached |", "| --- | --- | --- | --- |"]
    for claim, spread, reached in results.claims():
        sign = "at most" if claim.at_most else "at least"
        rows.append(f"| {claim.text} | {_claimed(claim, spread)} | {sign} {_number(claim, claim.goal)} | {'yes' if reached else 'no'} |")
    return "\n".join(rows)


def _claimed(claim: Claim, spread: Spread) -> str:
    low, high = _number(claim, spread.low), _number(claim, spread.high)
    middle = _number(claim, spread.median)
    return f"**{middle}**" if low == high else f"**{middle}** ({low} to {high})"


def _number(claim: Claim, value: float) -> str:
    if claim.peers:
        return f"{value:.3g} x"
    return f"{100 * value:.3g} %" if claim.figure == "share" else short(value)


def short(value: float) -> str:
    """Return a number in three digits: 12.3 M, 456 k, 7.89."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= 0.9995 * size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _group(results: Results, group: Group) -> str:
    columns = {
        "decisions/s": ["decisions/s", "range"],
        "s": ["CPU seconds", "range", "wall-clock"],
        "bytes": ["bytes", "per game"],
    }[group.workloads[0].unit]
    if group.name in _TRAINING:
        columns.append("environment, masks, opponents")
    rows = [f"### {group.title}", "", group.note, "", f"| {' | '.join(['what', *columns])} |", f"|{' --- |' * (1 + len(columns))}"]
    for workload in group.workloads:
        outcome = results.outcomes.get(workload.name)
        if outcome is None:
            continue
        if outcome.samples:
            cells = _cells(results, workload)
        else:
            cells = [f"skipped: {outcome.skipped}" if outcome.skipped else f"failed: {outcome.failed}"]
        rows.append(f"| {' | '.join([workload.label, *cells, *[''] * (len(columns) - len(cells))])} |")
    if group.name == "memory":
        rows += ["", *_memory(results)]
    return "\n".join(rows)


def _cells(results: Results, workload: Workload) -> list[str]:
    spread = results.spread(workload.name)
    assert spread is not None
    if workload.unit == "bytes":
        return [short(spread.median), short(spread.median / int(workload.arguments["size"]))]
    cells = [short(spread.median), f"{short(spread.low)} to {short(spread.high)}"]
    share, wall = results.spread(workload.name, "share"), results.spread(workload.name, "wall")
    if share is not None:
        cells.append(f"{100 * share.median:.0f} %")
    elif workload.unit == "s" and wall is not None:
        cells.append(short(wall.median))
    return cells


def _memory(results: Results) -> list[str]:
    sample = results.outcomes["memory-million"].samples
    if not sample:
        return []
    views = ", ".join(f"{sample[0][f'observation_{seats}']:.0f} with {seats} seats" for seats in SEATS)
    return [f"A game's record has {sample[0]['game']:.0f} bytes, a mask {sample[0]['mask']:.0f}; an observation {views}."]
