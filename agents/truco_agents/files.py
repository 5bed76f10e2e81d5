"""Files and folders that are written whole or not at all, and folders that one process holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from truco_env.errors import TrucoError

_LEFTOVER: Final = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}(?P<old>\.old)?")


class FolderInUseError(TrucoError):
    """A folder that another process holds."""


def draft_of(path: Path) -> Path:
    """Return a free name beside ``path`` for what is to take its place; ``clear_leftovers`` knows such names."""
    return path.with_name(f".{path.name}.{uuid4().hex[:8]}")


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Give the path of a draft to write, which takes the place of the file ``path`` if all goes well."""
    draft = draft_of(path)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8."""
    with replace_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def write_json(path: Path, data: Mapping[str, Any], *, indent: int | None = None) -> None:
    """Write plain data as JSON.

    Raises:
        ValueError: a number is not finite.
    """
    write_text(path, json.dumps(data, allow_nan=False, indent=indent) + "\n")


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill, which takes the place of ``folder`` if all goes well."""
    draft = draft_of(folder)
    draft.mkdir(parents=True)
    try:
        yield draft
        if folder.exists():
            old = draft.with_name(f"{draft.name}.old")
            folder.replace(old)
            draft.replace(folder)
            shutil.rmtree(old)
        else:
            draft.replace(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def remove_folder(folder: Path) -> None:
    """Remove a folder so that no part of it is ever taken for the whole."""
    shutil.rmtree(folder.replace(draft_of(folder)))


def clear_leftovers(folder: Path) -> None:
    """Remove what killed writers left in ``folder``, where nobody may be writing; what one was about to replace is put back."""
    for path in sorted(folder.glob(".*")):
        found = _LEFTOVER.fullmatch(path.name)
        if found is None:
            continue
        if found["old"] and not (whole := path.with_name(found["name"])).exists():
            path.replace(whole)
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


class FolderLock:
    """Holds a folder until it is released or the process ends. It leaves no trace in the folder and stays with it when it is renamed.

    Windows, and file systems without locks, hold nothing.

    Raises:
        FolderInUseError: another holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._handle = -1
        if sys.platform == "win32":
            return
        import fcntl

        self._handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise FolderInUseError(
                f"{folder} is in use by another run that is still going on: wait for it or choose another folder"
            ) from None
        except OSError:
            self.release()

    def release(self) -> None:
        """Let others have the folder."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
