from __future__ import annotations

import numpy as np

from engine.trees.identity import carried_names, new_names


def test_the_most_alike_take_over_the_names_first() -> None:
    # Old A = {0,1,2,3}, B = {4,5}; new 0 = {0,1,4,5}, new 1 = {2,3}, new 2 = {6}.
    before = np.array([0, 0, 0, 0, 1, 1, -1])
    after = np.array([0, 0, 1, 1, 0, 0, 2])
    # Jaccard: A-0 = 2/6, A-1 = 2/4, B-0 = 2/4; the third has no leaf in common with any.
    assert carried_names(before, ["A", "B"], after, 3, 0.3) == ["B", "A", None]
    assert carried_names(before, ["A", "B"], after, 3, 0.6) == [None, None, None]


def test_leaves_that_are_gone_count_against_a_name() -> None:
    before = np.array([0, 0, 0, 0])
    after = np.array([0, -1, -1, -1])
    assert carried_names(before, ["A"], after, 1, 0.25) == ["A"]
    assert carried_names(before, ["A"], after, 1, 0.26) == [None]


def test_equally_alike_clusters_go_by_order() -> None:
    assert carried_names(np.array([0, 0]), ["A"], np.array([0, 1]), 2, 0.5) == ["A", None]


def test_a_new_name_depends_on_level_and_leaves_and_avoids_those_taken() -> None:
    first, second = new_names(1, [["a", "b"], ["c"]])
    assert [first, second] == new_names(1, [["a", "b"], ["c"]]) and first != second
    assert new_names(2, [["a", "b"]]) != [first]
    (other,) = new_names(1, [["a", "b"]], taken={first})
    assert other != first and len(other) == len(first) == 16
