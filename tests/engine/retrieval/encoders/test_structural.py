from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.model import MethodNode
from engine.retrieval.encoders import Encoder, StructuralEncoder
from engine.settings import EncoderSettings
from verifier.errors import StorageError


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


@pytest.mark.parametrize("count", [0, 5, 45])
def test_what_was_saved_encodes_the_same(
    laws: list[MethodNode], tmp_path: Path, count: int
) -> None:
    encoder = fit(laws[:count])
    encoder.save(tmp_path / "encoder")
    loaded = StructuralEncoder.load(tmp_path / "encoder")
    assert loaded.dimensions == encoder.dimensions
    items = [*laws, "add comm", "(a b : N) : add a b = b"]
    np.testing.assert_array_equal(loaded.encode(items), encoder.encode(items))


def test_saving_replaces_what_was_there(laws: list[MethodNode], tmp_path: Path) -> None:
    fit(laws).save(tmp_path)
    small = fit(laws[:4])
    small.save(tmp_path)
    assert StructuralEncoder.load(tmp_path).dimensions == small.dimensions


@pytest.mark.parametrize("name", ["encoder.json", "weights.npz", "directions.npy"])
@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04 nothing"])
def test_a_damaged_encoder_is_refused(
    laws: list[MethodNode], tmp_path: Path, name: str, content: bytes
) -> None:
    fit(laws).save(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(StorageError, match="could not be read") as caught:
        StructuralEncoder.load(tmp_path)
    assert "ingest" in caught.value.hint


def test_parts_of_two_encoders_are_refused(laws: list[MethodNode], tmp_path: Path) -> None:
    fit(laws).save(tmp_path / "one")
    fit(laws[:35]).save(tmp_path / "other")
    (tmp_path / "other" / "directions.npy").replace(tmp_path / "one" / "directions.npy")
    with pytest.raises(StorageError, match="directions of shape"):
        StructuralEncoder.load(tmp_path / "one")


def test_there_is_no_encoder_in_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be read"):
        StructuralEncoder.load(tmp_path)


def test_a_query_does_not_wait_for_scikit_learn(laws: list[MethodNode], tmp_path: Path) -> None:
    fit(laws).save(tmp_path)
    program = (
        "import sys, pathlib\n"
        "from engine.retrieval.encoders import StructuralEncoder\n"
        "vector = StructuralEncoder.load(pathlib.Path(sys.argv[1])).encode(['add comm'])\n"
        "assert vector.any()\n"
        "print(*{'sklearn', 'scipy', 'torch'} & set(sys.modules))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == []


def test_rare_tokens_of_a_large_corpus_are_cut(laws: list[MethodNode]) -> None:
    many = [law.model_copy(update={"id": f"{law.id}_{copy}"}) for copy in range(23) for law in laws]
    rare = laws[0].model_copy(update={"summary": "xylophone", "id": "M:rare"})
    assert len(many) > 1000 and not fit([*many, rare]).encode(["xylophone"]).any()
    kept = StructuralEncoder.fit([*many, rare], EncoderSettings(dimensions=16, min_documents=1))
    assert kept.encode(["xylophone"]).any()
    assert fit([*laws, rare]).encode(["xylophone"]).any()
