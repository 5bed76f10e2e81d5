"""Write the golden playthroughs anew: ``python -m tests.regenerate_playthroughs``. Look at the difference before you keep it."""

from __future__ import annotations

from tests.test_playthroughs import FOLDER, TABLES, play_through


def main() -> None:
    """Write one file for each table and delete those without one."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in FOLDER.iterdir():
        if file.stem not in TABLES:
            file.unlink()
    for name in TABLES:
        (FOLDER / f"{name}.txt").write_text(play_through(name), encoding="utf-8")


if __name__ == "__main__":
    main()
