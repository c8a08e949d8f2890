"""BM25 over the tokens of statements, names and summaries: search without vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.derived import reading, writing
from engine.model import MethodNode
from engine.retrieval.index import require_count
from engine.retrieval.interface import Hit, Query, Retrieval, Retriever
from engine.retrieval.shape import item_tokens
from verifier.errors import InputError

_WHY: Final = 3  # tokens named as the reason of a hit
_NAMES: Final = "names.json"
_TOKENS: Final = "tokens.npy"
_STARTS: Final = "starts.npy"


@dataclass(frozen=True)
class _Documents:
    """The tokens of all documents, as numbers.

    Attributes:
        tokens: The numbers of the tokens of all documents, one after the other.
        starts: Where each document starts, and where the last one ends.
    """

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, documents: Iterable[Sequence[str]], vocabulary: dict[str, int]) -> Self:
        """Numbers tokens, new ones as the vocabulary lets them; it grows."""
        numbered = [[vocabulary.setdefault(t, len(vocabulary)) for t in d] for d in documents]
        return cls(
            np.array([number for document in numbered for number in document], dtype=np.int32),
            np.cumsum([0, *map(len, numbered)]),
        )

    def lists(self) -> list[list[int]]:
        """Each document by itself."""
        tokens = self.tokens.tolist()
        return [tokens[start:end] for start, end in pairwise(self.starts.tolist())]


class LexicalRetriever:
    """Ranks nodes by BM25 (Lucene's variant); nodes that share no token with a query are no hits.

    Made by ``of`` or ``build``, or read by ``load``.
    """

    def __init__(self, names: tuple[str, ...], scores: Any, documents: _Documents) -> None:
        self.names = names
        self._scores = scores
        self._documents = documents

    @classmethod
    def of(cls, nodes: Iterable[MethodNode]) -> Self:
        """An index of nodes by all their tokens, see ``engine.retrieval.shape.item_tokens``.

        Raises:
            InputError: A node occurs twice.
        """
        return cls.build(*_named(nodes))

    @classmethod
    def build(cls, names: Sequence[str], documents: Sequence[Sequence[str]]) -> Self:
        """An index of documents whose tokens are known already.

        Args:
            names: Names of the documents, each once.
            documents: The tokens of each, with repetition.

        Raises:
            InputError: Names and documents are not equally many, or a name occurs twice.
        """
        if len(names) != len(documents):
            raise InputError(
                f"{len(names)} names came with {len(documents)} documents", "read them once more"
            )
        vocabulary: dict[str, int] = {}
        numbered = _Documents.of(documents, vocabulary).lists()
        return cls._indexed(names, numbered, vocabulary)

    def changed(self, removed: Iterable[str], nodes: Iterable[MethodNode]) -> Self:
        """An index without some nodes and with some more; only the new ones are read.

        It ranks as an index of the remaining nodes would that was made from nothing.

        Raises:
            InputError: A node occurs twice.
        """
        gone = frozenset(removed)
        names, tokens = _named(nodes)
        vocabulary = self._vocabulary.copy()
        added = _Documents.of(tokens, vocabulary).lists()
        kept = [
            (name, document)
            for name, document in zip(self.names, self._documents.lists(), strict=True)
            if name not in gone
        ]
        return self._indexed(
            [*(name for name, _ in kept), *names],
            [*(document for _, document in kept), *added],
            vocabulary,
        )

    @classmethod
    def _indexed(
        cls, names: Sequence[str], documents: Sequence[list[int]], vocabulary: dict[str, int]
    ) -> Self:
        if len(frozenset(names)) != len(names):
            raise InputError("a name occurs twice in the index", "give each name once")
        order = sorted(range(len(names)), key=names.__getitem__)
        ordered = [documents[place] for place in order]
        scores = _bm25(ordered, vocabulary) if any(ordered) else None
        lengths = np.cumsum([0, *map(len, ordered)])
        tokens = np.array([token for document in ordered for token in document], dtype=np.int32)
        return cls(tuple(names[place] for place in order), scores, _Documents(tokens, lengths))

    def __len__(self) -> int:
        return len(self.names)

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nodes with the largest BM25 score above 0, see ``Retriever.search``.

        Each hit names the tokens that contributed most to its score.
        """
        require_count(k)
        tokens = self._known(item_tokens(query))
        if not tokens:
            return Retrieval(hits=())
        scores = self._scores.get_scores(list(tokens))
        rows = _best(scores, k)
        reasons = self._reasons(tokens, rows)
        return Retrieval(
            hits=tuple(
                Hit(node=self.names[row], score=float(scores[row]), why=why)
                for row, why in zip(rows.tolist(), reasons, strict=True)
            )
        )

    def beside(self, nodes: Iterable[MethodNode]) -> Retriever:
        """A search of this index and of some more nodes, at no more cost than reading these.

        They are scored by the document frequencies and the mean length of this index, so that
        nothing in it changes; ``changed`` is for more than a few, or for good.

        Args:
            nodes: None of them in the index.
        """
        if self._scores is None:
            return self.changed((), nodes)
        return _Beside(self, nodes)

    def share(self, token: str, count: int, length: int) -> float:
        """What a token that occurs so often adds to the score of a document of that length."""
        scores, starts = self._scores, self._scores.scores["indptr"]
        number = scores.vocab_dict.get(token)
        having = 0 if number is None else int(starts[number + 1] - starts[number])
        mean = len(self._documents.tokens) / len(self.names)
        rarity = math.log(1 + (len(self.names) - having + 0.5) / (having + 0.5))
        norm = 1 - scores.b + scores.b * length / mean
        return float(rarity * count / (count + scores.k1 * norm))

    def save(self, folder: Path) -> None:
        """Write the index to a folder, in the format of bm25s, with names and documents beside it.

        Raises:
            StorageError: A file cannot be written.
        """
        with writing(folder / _NAMES) as temporary:
            if self._scores is not None:
                self._scores.save(folder, show_progress=False)
            np.save(folder / _TOKENS, self._documents.tokens)
            np.save(folder / _STARTS, self._documents.starts)
            content = {"names": self.names, "scores": self._scores is not None}
            temporary.write_bytes(orjson.dumps(content))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read an index that was saved; its arrays stay in the files until they are looked at.

        Raises:
            StorageError: A file is missing or damaged, or they do not belong together.
        """
        with reading(folder / _NAMES):
            content = orjson.loads((folder / _NAMES).read_bytes())
            names = tuple(content["names"])
            documents = _Documents(
                np.load(folder / _TOKENS, mmap_mode="r"), np.load(folder / _STARTS, mmap_mode="r")
            )
            scores = None
            if content["scores"]:
                from bm25s import BM25  # type: ignore[import-untyped]

                scores = BM25.load(folder, mmap=True, show_progress=False)
            count = len(documents.starts) - 1 if scores is None else scores.scores["num_docs"]
            if count != len(names) or len(documents.starts) - 1 != len(names):
                raise ValueError(f"{len(names)} names, {count} documents")
        return cls(names, scores, documents)

    @property
    def _vocabulary(self) -> dict[str, int]:
        """The number of each token; without the empty one, which bm25s adds."""
        known: dict[str, int] = {} if self._scores is None else self._scores.vocab_dict
        return {token: number for token, number in known.items() if token}

    def _known(self, tokens: Iterable[str]) -> dict[str, int]:
        """The numbers of those tokens that some document has, by token and in order."""
        if self._scores is None:
            return {}
        vocabulary, starts = self._scores.vocab_dict, self._scores.scores["indptr"]
        numbers = {t: vocabulary[t] for t in sorted(set(tokens)) if t and t in vocabulary}
        # What only removed nodes had is known by number, but leads nowhere.
        return {t: n for t, n in numbers.items() if starts[n] < starts[n + 1]}

    def _reasons(self, tokens: dict[str, int], rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """For each row the tokens that contributed most to its score, most first."""
        matrix = self._scores.scores
        shares = np.zeros((len(tokens), len(rows)), dtype=np.float32)
        for place, number in enumerate(tokens.values()):
            start, end = matrix["indptr"][number], matrix["indptr"][number + 1]
            documents = matrix["indices"][start:end]
            found = np.searchsorted(documents, rows)
            found[found == len(documents)] = 0
            share = matrix["data"][start:end][found]
            shares[place] = np.where(documents[found] == rows, share, 0.0)
        names = list(tokens)
        order = np.argsort(-shares, axis=0, kind="stable")[:_WHY]
        return [
            tuple(names[token] for token in column if shares[token, place] > 0.0)
            for place, column in enumerate(order.T.tolist())
        ]


class _Beside:
    """An index and a few nodes that are not in it, searched as one."""

    def __init__(self, base: LexicalRetriever, nodes: Iterable[MethodNode]) -> None:
        self._base = base
        self._more = {node.id: Counter(item_tokens(node)) for node in nodes}

    def search(self, query: Query, k: int) -> Retrieval:
        """The k nodes with the largest BM25 score above 0, see ``Retriever.search``."""
        found = self._base.search(query, k).hits
        tokens = sorted(set(item_tokens(query)))
        more = (self._hit(node, counts, tokens) for node, counts in self._more.items())
        hits = sorted(
            [*found, *(hit for hit in more if hit.why)], key=lambda hit: (-hit.score, hit.node)
        )
        return Retrieval(hits=tuple(hits[:k]))

    def _hit(self, node: str, counts: Counter[str], tokens: Sequence[str]) -> Hit:
        length = counts.total()
        shares = {t: self._base.share(t, counts[t], length) for t in tokens if t and counts[t]}
        why = sorted(shares, key=lambda token: (-shares[token], token))[:_WHY]
        return Hit(node=node, score=sum(shares.values()), why=tuple(why))


def _named(nodes: Iterable[MethodNode]) -> tuple[list[str], list[list[str]]]:
    """The ids of nodes and the tokens of each."""
    names: list[str] = []
    documents: list[list[str]] = []
    for node in nodes:
        names.append(node.id)
        documents.append(item_tokens(node))
    return names, documents


def _bm25(documents: Sequence[list[int]], vocabulary: dict[str, int]) -> Any:
    from bm25s import BM25

    scores = BM25()
    scores.index((documents, vocabulary), show_progress=False)
    return scores


def _best(scores: NDArray[Any], k: int) -> NDArray[Any]:
    """The rows of the k largest scores above 0, equal ones in order."""
    least = np.partition(scores, len(scores) - k)[len(scores) - k] if k < len(scores) else 0.0
    likely = np.flatnonzero((scores >= least) & (scores > 0.0))
    best: NDArray[Any] = likely[np.lexsort((likely, -scores[likely]))[:k]]
    return best
