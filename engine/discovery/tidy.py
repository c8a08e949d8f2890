"""At the end of a run: lemmas go that later ones have made needless.

A lemma that no proof uses and that follows at once from the others says nothing to a reader, and
costs every later proof search time. Calculation finds most of them; for the others Lean is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future

from engine.discovery.ground import Ground
from engine.judgement.novelty import SECONDS, Following, ask_whether_it_follows
from engine.judgement.redundancy import speciality
from engine.strategy.operators import KnownLaw
from engine.workers import ProverPool, Worker

BY_CALCULATION = "follows by calculation from lemmas that were found later"


class Tidy:
    """Withdraws needless lemmas.

    Args:
        ground: The theory with its library.
        pool: Asks Lean.
        left: Seconds that are left.
    """

    def __init__(self, ground: Ground, pool: ProverPool, left: Callable[[], float]) -> None:
        self._ground = ground
        self._pool = pool
        self._left = left

    def withdraw(self, nodes: Collection[str]) -> Iterator[tuple[str, str]]:
        """Withdraws lemmas, the most special first; gives the node of each, with the reason.

        Args:
            nodes: Those that may go.
        """
        yield from self._by_calculation(nodes)
        while self._left() > 0:
            asked = self._unused(nodes)
            gone = list(self._by_asking(asked))
            yield from gone
            if not gone:
                break

    def _by_calculation(self, nodes: Collection[str]) -> Iterator[tuple[str, str]]:
        needless = {k.name for k in self._ground.needless()}
        while going := [k for k in self._unused(nodes) if k.name in needless]:
            for lemma in going:
                yield self._gone(lemma, BY_CALCULATION)

    def _by_asking(self, lemmas: Sequence[KnownLaw]) -> Iterator[tuple[str, str]]:
        """Those that follow from lemmas that stay, by ``simp`` or ``grind``."""
        gone: set[str] = set()
        answers = [(lemma, self._asked(lemma)) for lemma in lemmas]
        try:
            for lemma, future in answers:
                following = future.result(timeout=max(0.0, self._left()))
                if following.follows and gone.isdisjoint(following.lemmas):
                    gone.add(lemma.name)
                    yield self._gone(lemma, following.reason)
        except TimeoutError:
            return  # what is not answered in time stays
        finally:
            for _, future in answers:
                future.cancel()

    def _asked(self, lemma: KnownLaw) -> Future[Following]:
        others = [k.name for k in self._ground.useful() if k is not lemma]
        statement = self._ground.statement(lemma.law)

        def ask(worker: Worker) -> Following:
            return ask_whether_it_follows(worker, statement, others)

        return self._pool.submit(ask, SECONDS)

    def _unused(self, nodes: Collection[str]) -> list[KnownLaw]:
        """The lemmas that no proof uses, the most special and latest first."""
        used = self._ground.used()
        found = [k for k in self._ground.proved() if k.node in nodes and k.node not in used]
        return sorted(found, key=lambda k: speciality(k.law))[::-1]

    def _gone(self, lemma: KnownLaw, reason: str) -> tuple[str, str]:
        self._ground.withdraw(lemma, reason)
        return lemma.node, reason
