"""Which lemmas can serve a proof: those about the functions that its statement computes with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from engine.language.term import Law


class Reach:
    """The functions behind a law: those that it mentions, and those that their definitions call.

    Args:
        definitions: Defining equations, each with the function at the root of its left side.
    """

    def __init__(self, definitions: Iterable[Law]) -> None:
        self._calls: dict[str, set[str]] = defaultdict(set)
        for law in definitions:
            called = [s.name for s in law.symbols() if not (s.is_constructor or s.is_background)]
            for function in called[:1]:
                self._calls[function] |= set(called)
        self._of: dict[Law, tuple[frozenset[str], frozenset[str]]] = {}

    def serves(self, lemma: Law, law: Law) -> bool:
        """Whether a lemma is about functions of a law, and about none that is not behind it."""
        functions, behind = self._functions(lemma)[0], self._functions(law)[1]
        return bool(functions) and functions <= behind

    def _functions(self, law: Law) -> tuple[frozenset[str], frozenset[str]]:
        """The functions that a law mentions, and those behind it."""
        if law not in self._of:
            mentioned = {s.name for s in law.symbols() if not (s.is_constructor or s.is_background)}
            behind, pending = set(mentioned), list(mentioned)
            while pending:
                further = self._calls[pending.pop()] - behind
                behind |= further
                pending += further
            self._of[law] = frozenset(mentioned), frozenset(behind)
        return self._of[law]
