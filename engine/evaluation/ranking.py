"""Figures of merit of ranked answers, and intervals for their means. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000
COVERAGE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with a bootstrap interval that covers it in 95 of 100 samples."""

    mean: float
    low: float
    high: float


def recall(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant items among the first k.

    Args:
        ranked: Items, best first, each once.
        relevant: At least one item.
        k: At least 1.
    """
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 / rank of the first relevant item, ranks from 1; 0 where there is none."""
    wanted = set(relevant)
    return next((1 / rank for rank, item in enumerate(ranked, start=1) if item in wanted), 0.0)


def bootstrap(values: Sequence[float], seed: int, resamples: int = RESAMPLES) -> Interval:
    """Mean with a percentile bootstrap interval.

    Args:
        values: One for each query, at least one; for a paired difference, the differences.
        seed: Of the resampling.
        resamples: How many samples are drawn, each as large as ``values``.
    """
    sample = np.asarray(values, dtype=np.float64)
    means = _resampled(sample, np.random.default_rng(seed), resamples)
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(float(sample.mean()), float(low), float(high))


def _resampled(
    sample: NDArray[np.float64], generator: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    rows = generator.integers(0, len(sample), size=(resamples, len(sample)))
    means: NDArray[np.float64] = sample[rows].mean(axis=1)
    return means


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p-value of the exact sign test, which is McNemar's exact test on pairs.

    Args:
        wins: Pairs that only the one side solved.
        losses: Pairs that only the other side solved.
    """
    pairs, larger = wins + losses, max(wins, losses)
    if pairs == 0:
        return 1.0
    tail: float = sum(comb(pairs, k) for k in range(larger, pairs + 1)) / 2**pairs
    return min(1.0, 2 * tail)
