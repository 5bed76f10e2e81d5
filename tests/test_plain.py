"""Plain Python (``NUMBA_DISABLE_JIT=1``) plays the same games as compiled code, at a table of every kind."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.plain_games import TABLES, digests


def test_plain_python_plays_the_same_games() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.plain_games"],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    plain = done.stdout.split()
    differing = [table for table, compiled, found in zip(TABLES, digests(), plain, strict=True) if compiled != found]
    assert not differing
