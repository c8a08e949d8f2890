"""How wide the trees are: K_t clusters a level of T_C, k_t clusters a step of the funnel."""

from __future__ import annotations

import math
from fractions import Fraction

from engine.settings import AbstractionSettings, FunnelSettings
from verifier.errors import InputError


def cluster_schedule(k_1: int, k_n: int, k_min: int, rounds: int) -> tuple[int, ...]:
    """K_1..K_n, the number of clusters of each round, leaves first (paper: abstraction tree).

    K_t = max(K_min, ceil(K_1 * rho^(t-1))) with rho = (K_n / K_1)^(1/(n-1)). Computed exactly:
    ceil(K_1 rho^(t-1)) is the least k with k^(n-1) >= K_1^(n-t) K_n^(t-1), so that no rounding
    adds a cluster (64 * 0.25 must not become 17).

    Args:
        k_1: Clusters of the first round.
        k_n: Clusters of the last round.
        k_min: Lower bound for every round.
        rounds: Number n of rounds; with one round only k_1 counts.

    Raises:
        InputError: A number is below 1.
    """
    if min(k_1, k_n, k_min, rounds) < 1:
        raise InputError(
            "a cluster schedule needs numbers of at least 1", "see AbstractionSettings"
        )
    degree = rounds - 1
    if degree == 0:
        return (max(k_min, k_1),)
    return tuple(
        max(k_min, _ceil_root(k_1 ** (degree - t) * k_n**t, degree)) for t in range(rounds)
    )


def schedule_for(count: int, settings: AbstractionSettings) -> tuple[int, ...]:
    """The cluster schedule for so many nodes, where K_1 may depend on their number.

    Args:
        count: Number N of method nodes.
        settings: K_1 (``None`` for ceil(density * sqrt(N))), K_n, K_min and rounds.
    """
    square = Fraction(str(settings.density)) ** 2 * max(0, count)
    k_1 = settings.k_1 or max(1, _ceil_root(math.ceil(square), 2))
    return cluster_schedule(k_1, min(settings.k_n, k_1), settings.k_min, settings.rounds)


def funnel_schedule(k_1: int, eta: float, n: int) -> tuple[int, ...]:
    """k_1..k_n with k_t = max(1, ceil(k_1 * eta^(t-1))), roots first (paper: funnel retrieval).

    Eta counts as the decimal number that it is written as: 10 * 0.1 is 1, not a little more.

    Args:
        k_1: Width at the roots, at least 1.
        eta: Factor a step, 0 < eta < 1.
        n: Number of steps; 0 gives an empty schedule.

    Raises:
        InputError: A number is outside its range.
    """
    if k_1 < 1 or not 0.0 < eta < 1.0 or n < 0:
        raise InputError(
            f"no funnel has k_1 = {k_1}, eta = {eta} and {n} steps",
            "use k_1 >= 1, 0 < eta < 1 and at least 0 steps",
        )
    factor = Fraction(str(eta))
    return tuple(max(1, math.ceil(k_1 * factor**t)) for t in range(n))


def funnel_widths(count: int, clusters: int, n: int, settings: FunnelSettings) -> tuple[int, ...]:
    """The funnel schedule for a tree, where k_1 may depend on its size.

    Args:
        count: Number N of method nodes.
        clusters: Clusters directly above the leaves, K_1.
        n: Levels of the tree.
        settings: eta and k_1, or (where it is ``None``) breadth and ranked, for the least k_1
            with k_n >= breadth * sqrt(K_1) and k_n * N / K_1 >= min(ranked, N).
    """
    if settings.k_1 is not None or n == 0:
        return funnel_schedule(settings.k_1 or 1, settings.eta, n)
    last = max(
        math.ceil(settings.breadth * math.sqrt(clusters)),
        math.ceil(Fraction(clusters * min(settings.ranked, count), max(1, count))),
    )
    return funnel_schedule(_first_width(last, settings.eta, n), settings.eta, n)


def _first_width(last: int, eta: float, n: int) -> int:
    """The least k_1 with ceil(k_1 * eta^(n-1)) >= last."""
    if last <= 1:
        return 1
    return math.floor((last - 1) / Fraction(str(eta)) ** (n - 1)) + 1


def _ceil_root(value: int, degree: int) -> int:
    """The least k with k ** degree >= value."""
    low, high = 0, value
    while low < high:
        middle = (low + high) // 2
        if middle**degree >= value:
            high = middle
        else:
            low = middle + 1
    return low
