"""What a run stands on: a theory with its library, what is known of it, and where results go."""

from __future__ import annotations

from collections.abc import Collection

from engine.discovery.edges import Uses
from engine.discovery.reach import Reach
from engine.judgement.redundancy import details, needless, speciality
from engine.language.core import BACKGROUND, core_laws
from engine.language.printing import signature_text
from engine.language.rewriting import Rewriter
from engine.language.signature import read_law
from engine.language.term import Law
from engine.library.library import Library
from engine.library.naming import choose_name, law_sides
from engine.library.render import Doc
from engine.model import Label, MethodNode, NodeKind, Scores
from engine.retrieval.features import statement_features
from engine.settings import Settings
from engine.sources.lean_module import (
    Theory,
    contributions_of,
    defining_equations,
    naming_of,
    nodes_of,
    theory_uses,
)
from engine.sources.usage import node_shares
from engine.sources.use_cache import UseCache
from engine.store.lemmas import direct_users
from engine.strategy.operators import Draft, KnownLaw
from engine.trees.statement import statement_key
from verifier.lean import Statement, StatementFacts
from verifier.prover.prover import ProofResult
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.verifier import Verifier


class Ground:
    """A theory and the library about it; results join both.

    Args:
        theory: Read with ``session``.
        library: Open for writing.
        session: Reads what is there, and elaborates what is written back.
        verifier: On the same session; the library's present lemmas are checked with it.
        settings: How long the evidence of proofs is looked for.
        use_cache: Where the evidence of an unchanged module is looked up.

    Attributes:
        theory: The theory.
        known: Defining equations, laws of the theory and of the library, results of this run.
        environment: The theory with all lemmas so far.
        owners: Node of each symbol, by Lean name.
        reach: Which lemmas can serve which statement.

    Raises:
        InputError: The library refuses the theory.
        StorageError: The theory cannot be written down.
    """

    def __init__(
        self,
        theory: Theory,
        library: Library,
        session: Session,
        verifier: Verifier,
        settings: Settings,
        use_cache: UseCache | None = None,
    ) -> None:
        self.theory = theory
        self._library = library
        self._session = session
        library.adopt(theory, verifier)
        for node in nodes_of(theory):
            library.store.upsert_node(node)
        naming = naming_of(theory)
        uses = theory_uses(theory, session, settings.evidence.survival_seconds, use_cache)
        for contribution in contributions_of(theory, uses):
            library.store.add_contribution(contribution)
        self.owners = _symbol_owners(theory)
        self._uses = Uses(session, naming, node_shares(library.store.nodes(), naming), self.owners)
        definitions = self._definitions()
        self.reach = Reach(k.law for k in definitions)
        self._given = [*definitions, *self._stated()]
        self._needless: set[str] = set()
        self.refresh()

    def refresh(self) -> None:
        """Takes up the library as it is now."""
        self.environment = self._library.environment(self.theory, self._session)
        self._taken = self._library.taken(self.theory, self._session)
        self.known = [*self._given, *self._proved_before()]

    def proved(self) -> list[KnownLaw]:
        """The known laws that are lemmas, and no definitions."""
        return [k for k in self.known if k.label is Label.VERIFIED]

    def useful(self) -> list[KnownLaw]:
        """The lemmas that proofs are offered: without those that follow from the others."""
        return [k for k in self.proved() if k.name not in self._needless]

    def serving(self, law: Law) -> list[KnownLaw]:
        """The useful lemmas that can serve a proof, the simplest first."""
        found = [k for k in self.useful() if self.reach.serves(k.law, law)]
        return sorted(found, key=lambda k: speciality(k.law))

    def are_more_special(self, names: Collection[str], law: Law) -> bool:
        """Whether some lemmas speak of more particular values than a law that follows from them."""
        laws = (k.law for k in self.proved() if k.name in names)
        return any(details(k) > details(law) for k in laws)

    def needless(self) -> list[KnownLaw]:
        """Lemmas of the library that follow from those found after them, in their order."""
        return [k for k in self.proved() if k.name in self._needless]

    def rewriter(self) -> Rewriter:
        """Calculates with core's arithmetic, definitions and useful proved laws."""
        rewriter = Rewriter(core_laws())
        for known in self.known:
            if known.name in self._needless:
                continue
            if known.label is Label.ASSUMED:
                rewriter.add_definition(known.law)
            else:
                rewriter.add(known.law)
        return rewriter

    def statement(self, law: Law) -> Statement:
        """A law as a statement where all lemmas are known."""
        return Statement(self.environment, "candidate", signature_text(law), self.theory.context)

    def plain_statement(self, law: Law) -> Statement:
        """A law as a statement of the theory, without any lemma."""
        theory = self.theory
        return Statement(theory.environment, "candidate", signature_text(law), theory.context)

    def write(self, draft: Draft, scores: Scores, proved: ProofResult) -> MethodNode:
        """Adds a proved law to the library, and to what is known.

        Raises:
            InputError: The library refuses it.
            SessionLost: Lean could not elaborate it in its place.
            StorageError: It cannot be written.
        """
        name = choose_name(**law_sides(draft.law)._asdict(), taken=self._taken)
        node = self._node(draft, scores, proved, name)
        statement = self.statement(draft.law)
        edges = self._uses.edges(node, statement, draft, proved, self.proved())
        parents = tuple(e.parent.split(":")[-1].rpartition(".")[2] for e in edges)
        written = self._library.write(
            node,
            edges,
            name=name,
            signature=node.statement,
            proof=proved.proof,
            lean=self._session,
            doc=Doc(summary=draft.summary, operator=draft.operator, parents=parents),
        )
        self.environment = written.environment
        self._taken = self._library.taken(self.theory, self._session)
        self.known.append(KnownLaw(node.id, str(node.name), draft.law, Label.VERIFIED))
        self._find_needless(draft.law)
        return node

    def used(self) -> set[str]:
        """The nodes that a verified proof uses."""
        return set(direct_users(self._library.store.nodes()))

    def withdraw(self, lemma: KnownLaw, reason: str) -> None:
        """Takes a needless lemma out of the library.

        Raises:
            InputError: The proof of another lemma uses it.
            StorageError: It could not be written.
        """
        self._library.withdraw(lemma.node, reason)
        self.known.remove(lemma)

    def _find_needless(self, news: Law) -> None:
        """Notes the lemmas that follow by calculation since there is a new one."""
        lemmas = [k for k in self.useful() if k.law is not news]
        lemmas = [k for k in lemmas if self.reach.serves(news, k.law)]
        if lemmas:
            going = needless([k.law for k in lemmas], self.rewriter())
            self._needless |= {k.name for k in lemmas if k.law in going}

    def _definitions(self) -> list[KnownLaw]:
        return [
            KnownLaw(self.owners[name], f"the definition of {_last(name)}", law, Label.ASSUMED)
            for name, laws in defining_equations(self.theory, self._session).items()
            for law in laws
        ]

    def _stated(self) -> list[KnownLaw]:
        """Laws that the theory itself states and proves."""
        return [
            KnownLaw(self.owners[name], name, law, Label.VERIFIED)
            for name, law in self.theory.laws.items()
        ]

    def _proved_before(self) -> list[KnownLaw]:
        """Laws of the lemmas that the library has already, as Lean reads them."""
        lemmas = self._library.lemmas(self.theory.name)
        names = [lemma.name for lemma in lemmas]
        declarations = self._session.declarations(self.environment, names)
        of_core = {s.name: s for symbols in BACKGROUND.values() for s in symbols}
        symbols = {**of_core, **self.theory.symbols}
        found = []
        for lemma, declaration in zip(lemmas, declarations, strict=True):
            law = read_law(declaration.type, symbols) if declaration else None
            if law is not None:
                found.append(KnownLaw(lemma.node, lemma.name, law, Label.VERIFIED))
        return found

    def _node(self, draft: Draft, scores: Scores, proved: ProofResult, name: str) -> MethodNode:
        candidate = draft.candidate()
        place = self._library.place(self.theory, name)
        facts = self._elaborated(draft.law)
        return MethodNode(
            id=place["id"],
            module=place["module"],
            name=place["name"],
            kind=NodeKind.THEOREM,
            statement=candidate.statement,
            summary=draft.summary,
            limits=(candidate.limits,),
            label=Label.VERIFIED,
            symbols=candidate.symbols,
            proof=proved.proof,
            axioms=proved.verdict.axioms,
            premises=proved.verdict.premises,
            toolchain=proved.verdict.toolchain,
            kernels=proved.verdict.kernels,
            assumed=proved.verdict.assumed,
            scores=scores,
            operator=draft.operator,
            lean_kind="theorem",
            universes=facts.level_params if facts else (),
            features=statement_features(facts.type if facts else None),
            canonical=statement_key(facts.type if facts else None),
        )

    def _elaborated(self, law: Law) -> StatementFacts | None:
        """A statement as Lean reads it, for search; a lemma is written without that, too."""
        try:
            return self._session.state(self.statement(law))
        except SessionLost:
            return None


def _symbol_owners(theory: Theory) -> dict[str, str]:
    """The node of each symbol; a constructor belongs to its type."""
    owners = {e.declaration.name: e.node_id for e in theory.entries}
    for constructor in theory.constructors:
        if constructor.inductive in owners:
            owners[constructor.name] = owners[constructor.inductive]
    return owners


def _last(name: str) -> str:
    return name.rpartition(".")[2]
