"""Induction: a general law from tested instances (theory exploration)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.printing import proposition_text
from engine.language.term import Law, Symbol
from engine.strategy.exploration import Explorer, Suggestion
from engine.strategy.operators.base import Context, Draft, parents_by_symbols


class Induction:
    """Enumerates terms over the retrieved functions and generalises from equal values.

    Laws that were tried before are not believed while exploring: what they would hide, such as
    the lemmas that their proofs lack, then shows itself.
    """

    name = "induction"
    description = "a general law from tested instances: equal on all test values, smallest first"

    def applies(self, context: Context) -> bool:
        """There is a function of the theory to explore."""
        return any(not s.is_constructor and not s.is_background for s in context.symbols)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each law that the exploration suggests."""
        explorer = Explorer(
            context.interpretation,
            context.symbols,
            context.rewriter,
            tried=context.tried,
            stop=context.stop,
            seed=context.seed,
        )
        for suggestion in explorer.suggestions(context.max_size):
            yield self._draft(suggestion, context)

    def _draft(self, suggestion: Suggestion, context: Context) -> Draft:
        law = suggestion.law
        return Draft(
            law=law,
            operator=self.name,
            summary=f"{_subject(law)}: {proposition_text(law)}.",
            parents=parents_by_symbols(law, context.owners),
            novelty=_novelty(law),
            cases=suggestion.cases,
            plan=(
                f"{_evidence(suggestion)} already; test it on more and larger values",
                "search for a proof by simplification, induction and automation",
                "audit the finished proof",
            ),
        )


def _evidence(suggestion: Suggestion) -> str:
    if suggestion.law.hypotheses:
        return f"equal in all {suggestion.cases} test cases in which the hypotheses hold"
    return f"equal in all {suggestion.cases} test cases"


def _novelty(law: Law) -> str:
    known = "Neither side rewrites to the other by the laws known so far"
    return f"{known}, and without the hypotheses they differ." if law.hypotheses else f"{known}."


def _subject(law: Law) -> str:
    """What a law is about, in words."""
    functions = [s for s in law.symbols() if not s.is_constructor and not s.is_background]
    names = [_word(s) for s in functions]
    if not names:
        return "A law of the constructors"
    if len(names) == 1:
        return f"A law of {names[0]}"
    return f"How {', '.join(names[:-1])} and {names[-1]} relate"


def _word(symbol: Symbol) -> str:
    return symbol.name.rpartition(".")[2]
