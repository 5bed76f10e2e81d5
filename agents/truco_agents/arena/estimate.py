"""Estimates with 95 % intervals, from independent samples: here always the means of deal groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

CONFIDENCE: Final = 0.95

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval.

    Attributes:
        mean: the sample mean.
        low, high: bounds of the interval.
        count: number of independent samples.
    """

    mean: float
    low: float
    high: float
    count: int


def estimate_mean(samples: npt.NDArray[np.float64]) -> Estimate:
    """Return the mean of independent samples, float64 (n,) with n > 1, with Student's t interval.

    >>> estimate_mean(np.array([1.0, 2.0, 3.0, 4.0]))
    Estimate(mean=2.5, low=0.44..., high=4.55..., count=4)
    """
    count = len(samples)
    mean = float(np.mean(samples))
    half = _quantile(count) * float(np.std(samples, ddof=1)) / count**0.5
    return Estimate(mean, mean - half, mean + half, count)


def estimate_rate(samples: npt.NDArray[np.float64]) -> Estimate:
    """Return the mean of independent samples that lie in 0..1, float64 (n,) with n > 1, with a score interval.

    It is Wilson's interval for the number of fair yes/no trials that would have the measured variance of the mean, so it fits group
    means as well as single results and stays honest at 0 and 1. For that variance alone one sample of 0 and one of 1 are added:
    equal samples do not pretend to be certain.

    >>> estimate_rate(np.ones(100))
    Estimate(mean=1.0, low=0.962..., high=1.0, count=100)
    """
    count = len(samples)
    mean = float(np.mean(samples))
    padded = np.concatenate([samples, [0.0, 1.0]])
    middle = float(np.mean(padded))
    trials = middle * (1 - middle) / (float(np.var(padded, ddof=1)) / len(padded))
    square = _quantile(count) ** 2 / trials
    centre = (mean + square / 2) / (1 + square)
    half = (square * mean * (1 - mean) + square**2 / 4) ** 0.5 / (1 + square)
    return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half), count)


def estimate_difference(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> Estimate:
    """Return the mean of ``first - second``, two float64 (n,) measured on the same n groups, with Student's t interval.

    Raises:
        ValueError: the samples do not belong together.
    """
    return estimate_mean(_paired(first, second))


def estimate_rate_difference(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> Estimate:
    """Return the mean of ``first - second``, two float64 (n,) of samples in 0..1 measured on the same n groups, with a score interval.

    Differences are read as rates between -1 and 1, so that no bound leaves that range and equal samples do not pretend to be certain.

    Raises:
        ValueError: the samples do not belong together.
    """
    differences = _paired(first, second)
    rate = estimate_rate((differences + 1) / 2)
    return Estimate(float(np.mean(differences)), 2 * rate.low - 1, 2 * rate.high - 1, rate.count)


def _paired(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if first.shape != second.shape:
        raise ValueError(f"paired samples must have one shape, not {first.shape} and {second.shape}")
    return first - second


@lru_cache
def _quantile(count: int) -> float:
    """Return what Student's t exceeds with a chance of ``(1 - CONFIDENCE) / 2``, for the mean of ``count`` samples.

    Newton's method on the distribution function, the integral of cos(a)**(n - 1) over 0 <= a <= atan(t / sqrt(n)) at n degrees of freedom.
    """
    n = count - 1
    scale = math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(math.pi)
    angle = math.atan(2.0 / math.sqrt(n))
    for _ in range(50):
        covered = scale * angle / 2 * float(_WEIGHTS @ np.cos(angle / 2 * (1 + _NODES)) ** (n - 1))
        step = (covered - CONFIDENCE / 2) / (scale * math.cos(angle) ** (n - 1))
        angle -= step
        if abs(step) < 1e-15 * angle:
            break
    return math.sqrt(n) * math.tan(angle)
