"""Arrays in npz files: plain numbers, not compressed, so that a file never holds more than its own size. Reading runs no code."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from truco_agents.ppo.errors import CheckpointError

_SUFFIX: Final = ".npy"
_HEADERS: Final = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
# What zipfile and NumPy raise for bytes that are no archive or no header, encrypted members and headers nested too deep among them.
_DAMAGE: Final = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    OverflowError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    TokenError,
    zipfile.BadZipFile,
)


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays to an npz file that ``read_arrays`` reads; the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}{_SUFFIX}", "w", force_zip64=True) as member:
                npy.write_array(member, np.asarray(array), allow_pickle=False)


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read an npz file of plain arrays; the memory it takes is bounded by the size of the file.

    Raises:
        CheckpointError: it cannot be read, is compressed, or has members that are no arrays of plain numbers.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise ValueError("it is compressed; its arrays must be stored as they are")
            if sum(member.file_size for member in members) > path.stat().st_size:
                raise ValueError("its members are larger than the file")
            arrays: dict[str, npt.NDArray[Any]] = {}
            for member in members:
                name = member.filename.removesuffix(_SUFFIX)
                if name == member.filename or name in arrays:
                    raise ValueError(f"member {member.filename!r} is no array or is there twice")
                with archive.open(member) as file:
                    arrays[name] = _read_array(file, member.file_size)
            return arrays
    except _DAMAGE as error:
        raise CheckpointError(f"{path} cannot be read: {' '.join(str(error).split()) or type(error).__name__}") from None


def _read_array(file: IO[bytes], size: int) -> npt.NDArray[Any]:
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"npy format {version} is not known")
    shape, fortran, dtype = _HEADERS[version](file)
    if dtype.hasobject:
        raise ValueError("it has Python objects, which are not read")
    left = size - file.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != left:
        raise ValueError(f"an array of {dtype} {shape} does not have {left} bytes")
    data = bytearray(left)
    if file.readinto(data) != left:  # type: ignore[attr-defined]
        raise ValueError("it is cut off")
    return np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if fortran else "C")
