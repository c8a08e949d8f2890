"""What a run does for the truth of what is there: contradictions, and proofs made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.discovery.ground import Ground
from engine.judgement.contradiction import (
    Contradiction,
    ContradictionSearch,
    Named,
    record_contradiction,
)
from engine.language.rewriting import Rewriter
from engine.language.term import Law
from engine.library.library import Library
from engine.library.retraction import retract_failed
from engine.library.reverification import reverify_some
from engine.model import Label
from verifier.verifier import Verifier

HUNT_SECONDS, AT_ONCE = 5.0, 8
"""For the contradictions of a round, and how many new conjectures are looked at then."""
RECHECKED = 2
"""Lemmas that are proved again at a time: each needs all earlier ones elaborated."""

Refute = Callable[[Law], list[tuple[str, str]] | None]


class Upkeep:
    """Looks after conjectures and library.

    Args:
        ground: What is known.
        library: Open for writing.
        verifier: Of the thread that writes.
        clock: Seconds, monotonic.
    """

    def __init__(
        self, ground: Ground, library: Library, verifier: Verifier, clock: Callable[[], float]
    ) -> None:
        self._ground = ground
        self._library = library
        self._verifier = verifier
        self._clock = clock
        self._hunted: set[str] = set()

    def contradictions(
        self,
        conjectures: Sequence[tuple[str, Law]],
        rewriter: Rewriter,
        refute: Refute,
        stop: Callable[[], bool],
    ) -> list[Contradiction]:
        """Contradictions of new conjectures with what is verified, and with one another.

        They are written down. A conjecture is looked at once.

        Args:
            conjectures: Key and law of each.
            rewriter: Calculates with the verified laws.
            refute: Tests a law on values.
            stop: ``True`` ends the search.
        """
        fresh = [Named(key, law) for key, law in conjectures if key not in self._hunted][:AT_ONCE]
        self._hunted |= {named.name for named in fresh}
        if not fresh:
            return []
        deadline = self._clock() + HUNT_SECONDS
        theory = self._ground.theory
        functions = [s for s in theory.symbols.values() if not s.is_constructor]
        search = ContradictionSearch(
            self._verifier,
            self._ground.environment,
            theory.context,
            rewriter,
            refute,
            {s.name: theory.short(s.name) for s in functions if not s.is_background},
        )
        known = [
            Named(k.name, k.law, is_definition=k.label is Label.ASSUMED) for k in self._ground.known
        ]
        found = []
        for contradiction in search.hunt(fresh, known, lambda: stop() or self._clock() >= deadline):
            record_contradiction(self._library.store, theory.name, contradiction)
            found.append(contradiction)
        return found

    def recheck(self, stop: Callable[[], bool]) -> list[tuple[str, str]]:
        """Proves the lemmas again that were longest not looked at, and retracts what fails.

        Returns:
            The retracted and demoted lemmas, by name, with the reasons.

        Raises:
            StorageError: The history of the library was changed, or a write failed.
        """
        seen = reverify_some(
            self._library, self._verifier, RECHECKED, self._ground.theory.name, stop=stop
        )
        if not seen.failed:
            return []
        report = retract_failed(self._library, seen.failed, self._verifier)
        self._ground.refresh()
        return [*report.retracted, *report.demoted]
