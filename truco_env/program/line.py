"""What the commands share: a parser that complains in one line, and aligned columns."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Final, NoReturn

BAD_INPUT: Final = 2  #: exit status
INTERRUPTED: Final = 130  #: exit status after Ctrl-C


class CommandLine(argparse.ArgumentParser):
    """An argument parser that reports a bad command line in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and one line on the standard error stream."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def format_columns(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of text as aligned columns, one line a row."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in table)
