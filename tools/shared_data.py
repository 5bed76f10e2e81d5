"""Say which cases and traces of ``../shared`` the tests do not have: ``python -m tools.shared_data``, or ``make check-shared``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
SHARED: Final = ROOT.parent / "shared"
_KINDS: Final = {"cases": "*.yaml", "traces": "*.jsonl.gz"}


def find_differences(shared: Path, own: Path) -> Iterator[str]:
    """Yield a line for each file of ``shared`` that ``own`` lacks, or has with other content."""
    for kind, pattern in _KINDS.items():
        for file in sorted((shared / kind).glob(pattern)):
            copy = own / kind / file.name
            if not copy.exists():
                yield f"{kind}/{file.name} is new: copy it to {copy}"
            elif copy.read_bytes() != file.read_bytes():
                yield f"{kind}/{file.name} differs from {copy}"


def main() -> int:
    """Print the differences and return the exit status: 1 if there are any, else 0 (also where there is no such folder)."""
    if not SHARED.is_dir():
        print(f"{SHARED} is not here: nothing to compare")
        return 0
    lines = list(find_differences(SHARED, ROOT / "tests" / "data"))
    print("\n".join(lines) or "tests/data has all cases and traces")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
