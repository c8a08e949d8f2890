from __future__ import annotations

import numpy as np
import pytest

from engine.model import MethodNode
from engine.retrieval.encoder import Encoder, StructuralEncoder
from engine.settings import EncoderSettings


def fit(corpus: list[MethodNode], dimensions: int = 16) -> StructuralEncoder:
    return StructuralEncoder.fit(corpus, EncoderSettings(dimensions=dimensions))


@pytest.mark.parametrize("count", [1, 2, 10, 31, 32, 45])
def test_rows_are_unit_and_few_enough(laws: list[MethodNode], count: int) -> None:
    encoder: Encoder = fit(laws[:count])
    vectors = encoder.encode(laws[:count])
    assert vectors.dtype == np.float32 and vectors.shape[0] == count
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    if count >= 32:
        assert vectors.shape[1] == min(16, count - 1)


def test_one_corpus_makes_one_space(laws: list[MethodNode]) -> None:
    np.testing.assert_array_equal(fit(laws).encode(laws), fit(laws).encode(laws))


def test_nothing_known_is_zero(laws: list[MethodNode]) -> None:
    assert not fit(laws).encode(["qwertz"]).any()
    empty = StructuralEncoder.fit([])
    assert empty.encode(laws[:2]).shape == (2, empty.dimensions)
    assert fit(laws).encode([]).shape == (0, 16)


def test_queries_and_nodes_share_the_space(laws: list[MethodNode]) -> None:
    encoder = StructuralEncoder.fit(laws)
    for node in laws[::7]:
        cosines = encoder.encode(laws) @ encoder.encode([node.statement])[0]
        assert laws[int(np.argmax(cosines))].id == node.id


def test_words_find_names(laws: list[MethodNode]) -> None:
    encoder = StructuralEncoder.fit(laws)
    cosines = encoder.encode(laws) @ encoder.encode(["join tree comm"])[0]
    assert laws[int(np.argmax(cosines))].id == "M:join_Tree_comm"
