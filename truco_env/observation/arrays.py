"""Arrays that callers give, checked before compiled code sees them: it reads and writes memory without looking."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truco_env.rules.actions import N_ACTIONS


def check_integers(values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> npt.NDArray[np.int64]:
    """Return integers of exactly this shape as a contiguous int64 array: nothing is truncated, and one is not taken for many.

    Args:
        values: what was given.
        shape: the shape it must have.
        name: what an error calls it.

    Raises:
        ValueError: they are not integers, or have another shape.
    """
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ValueError(f"{name} are {array.dtype} of shape {array.shape}: give integers of shape {shape}")
    return np.ascontiguousarray(array, dtype=np.int64)


def check_masks(masks: npt.NDArray[np.int8], rows: int | None = None) -> npt.NDArray[np.int8]:
    """Return masks as a contiguous int8 array of shape (rows, N_ACTIONS).

    Raises:
        ValueError: they have another shape, or are neither int8 nor bool.
    """
    array = np.asarray(masks)
    if array.ndim != 2 or array.shape[1] != N_ACTIONS or rows not in (None, len(array)):
        wanted = "one row" if rows is None else f"{rows} rows"
        raise ValueError(f"masks have shape {array.shape}: give {wanted} of {N_ACTIONS} for each choice")
    return _as_bytes(array, "masks")


def check_observations(observations: npt.NDArray[np.int8], size: int) -> npt.NDArray[np.int8]:
    """Return observations as a contiguous int8 array of shape (k, size).

    Raises:
        ValueError: they have another shape, or are not int8.
    """
    array = np.asarray(observations)
    if array.ndim != 2 or array.shape[1] != size:
        raise ValueError(f"observations have shape {array.shape}: give rows of {size}")
    return _as_bytes(array, "observations")


def _as_bytes(array: npt.NDArray[np.generic], name: str) -> npt.NDArray[np.int8]:
    if array.dtype == np.int8 and array.flags.carray:
        return array  # type: ignore[return-value]
    if array.dtype not in (np.int8, np.bool_):
        raise ValueError(f"{name} are {array.dtype}: give int8")
    return np.require(array, np.int8, ["C", "W"])
