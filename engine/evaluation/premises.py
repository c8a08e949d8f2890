"""Lemmas of Lean's library with proofs that Lemmata made, and the premises that those proofs use.

``corpus/premises.jsonl`` has a header line (:class:`PremiseHeader`) and a line for each lemma
(:class:`PremiseLemma`). Each lemma is stated again and proved where the lemma itself, and every
other theorem that says the same, is out of reach of the automation; no premise of the proof is one
of them. :mod:`engine.evaluation.premise_making` makes the file, with real Lean.

What a proof term mentions is more than what a person would call its premises, so names are sorted:

- A constant that Lean derived from another (``X._simp_1``, ``X.eq_2``, ``X.match_1``) stands for
  that one, ``X``.
- Lemmas by which decision procedures certify their steps (``Lean.Omega``, ``Int.Linear``, …) are
  no premises: nobody looks for them. See :data:`INTERNAL`.
- Theorems that are instances are found by Lean itself, by resolution; they are kept with the
  definitions.
- *Plumbing* is what automation puts into proofs whatever they are about: ``Eq.trans``,
  ``congrArg``, ``of_eq_true``, … A theorem is plumbing when it lies in one of the modules of pure
  logic (:data:`LOGIC`) and more than the header's ``threshold`` of all proofs use it. The header
  lists it; figures are given without it and with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import orjson
from pydantic import ValidationError

from engine.model import Frozen, MethodNode, NodeKind
from verifier.errors import StorageError
from verifier.lean import Environment, Statement

FILE = Path(__file__).parent / "corpus" / "premises.jsonl"
IMPORTS = ("Init", "Std")
NAME = "restated"
PLUMBING_SHARE = 0.02
"""5 % would leave ``forall_congr``, ``congrFun`` and the like in, each in 2 to 5 % of proofs."""

INTERNAL = (
    "Lean.",
    "Int.Linear.",
    "Nat.Linear.",
    "Nat.ToInt.",
    "Nat.Simproc.",
    "Int.Simproc.",
    "Std.Internal.",
    "Std.Tactic.",
    "Std.Sat.",
)
"""Namespaces of what decision procedures and compilers use among themselves."""

LOGIC = (
    "Init.Prelude",
    "Init.Core",
    "Init.SimpLemmas",
    "Init.PropLemmas",
    "Init.Classical",
    "Init.ByCases",
    "Init.Util",
    "Init.WF",
)
"""Modules of propositions and equality, about no particular type."""

_DERIVED = re.compile(
    r"_.*|(match|eq|proof|simp|sparseCasesOn)_\d+|eq_def|eq_unfold|congr_simp|hcongr_\d+|splitter"
    r"|induct(_unfolding)?|fun_cases(_unfolding)?|inj|injEq|noConfusion|noConfusionType|sizeOf_spec"
    r"|rec|recOn|casesOn|brecOn|below|ctorIdx|ctorElim"
)


class PremiseHeader(Frozen):
    """How a data set was made.

    Attributes:
        threshold: Share of the proofs above which a theorem of pure logic is plumbing.
        plumbing: Those theorems, the most frequent first.
        tried: Lemmas that were stated again; the others had no proof that the attempts find, or
            one without premises.
    """

    toolchain: str
    seed: int
    threshold: float
    tried: int
    plumbing: tuple[str, ...]


class PremiseLemma(Frozen):
    """A lemma of the library, stated again, with a proof that Lean and the audit accept.

    Attributes:
        name: The lemma in the library. module: Where it is.
        universes: Universe parameters. signature: Binders and type.
        aliases: Other theorems of the library that say the same.
        attempt: The kind of attempt that found the proof.
        proof: Lean text after ``:=``.
        premises: Theorems that the proof term uses, plumbing included; sorted.
        definitions: Definitions, constructors, types and instances that it uses; sorted.
    """

    name: str
    module: str
    universes: tuple[str, ...] = ()
    signature: str
    aliases: tuple[str, ...] = ()
    attempt: str
    proof: str
    premises: tuple[str, ...]
    definitions: tuple[str, ...] = ()

    @property
    def area(self) -> str:
        """What it is about, the head of its name: ``List``, ``Std.HashMap``."""
        return area_of(self.name)

    @property
    def hidden(self) -> tuple[str, ...]:
        """What a proof must not use: the lemma and its aliases."""
        return (self.name, *self.aliases)

    @property
    def statement(self) -> Statement:
        """The statement, in an environment where automation does not know :attr:`hidden`."""
        return restated(self.signature, self.universes, self.hidden)


class PremiseSet(Frozen):
    """A data set: how it was made, and its lemmas."""

    header: PremiseHeader
    lemmas: tuple[PremiseLemma, ...]

    def counted(self, lemma: PremiseLemma) -> tuple[str, ...]:
        """The premises that retrieval is asked for: without plumbing."""
        plumbing = set(self.header.plumbing)
        return tuple(p for p in lemma.premises if p not in plumbing)


def restated(signature: str, universes: Sequence[str], hidden: Sequence[str]) -> Statement:
    """A statement over Init and Std where ``simp`` and ``grind`` do without the hidden theorems.

    Not every theorem has these attributes; taking away what is not there is an error that Lean
    reports and that changes nothing.
    """
    erased = "\n".join(f"attribute [-{a}] {name}" for name in hidden for a in ("simp", "grind"))
    environment = Environment(IMPORTS)
    if erased:
        environment = environment.extended(erased)
    context = f"universe {' '.join(universes)}" if universes else ""
    return Statement(environment, NAME, signature, context)


def area_of(name: str) -> str:
    """The head of a name: its first part, or two in the namespace ``Std``."""
    parts = name.split(".")
    if len(parts) == 1:
        return "core"
    return ".".join(parts[:2]) if parts[0] == "Std" and len(parts) > 2 else parts[0]


def sorted_premises(
    constants: Iterable[str], nodes: Mapping[str, MethodNode]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Theorems and definitions among the constants of a proof term, internal ones left out.

    Args:
        constants: As :class:`verifier.lean.ProofFacts` has them.
        nodes: The library, by declaration name.
    """
    found = {origin for c in constants if (origin := origin_of(c, nodes)) is not None}
    outside = {name for name in found if not name.startswith(INTERNAL)}
    theorems = {name for name in outside if is_sought(nodes[name])}
    return tuple(sorted(theorems)), tuple(sorted(outside - theorems))


def is_sought(node: MethodNode) -> bool:
    """Whether a declaration is a premise that one looks for: a theorem, and no instance."""
    return node.kind is NodeKind.THEOREM and "instance" not in node.attributes


def origin_of(constant: str, nodes: Mapping[str, MethodNode]) -> str | None:
    """The declaration of the library that a constant is, or that Lean derived it from."""
    name = _public(constant)
    while name not in nodes:
        head, dot, _ = name.rpartition(".")
        if not dot or not is_derived(name):
            return None
        name = head
    return name


def is_derived(name: str) -> bool:
    """Whether Lean made a declaration by itself from another one, such as ``X.injEq``."""
    return _DERIVED.fullmatch(name.rpartition(".")[2]) is not None


def _public(constant: str) -> str:
    """The name without the marks of a private one: ``_private.Module.0.X`` is ``X``."""
    if not constant.startswith("_private."):
        return constant
    return constant.partition(".0.")[2] or constant


def plumbing_of(
    lemmas: Sequence[PremiseLemma], nodes: Mapping[str, MethodNode], threshold: float
) -> tuple[str, ...]:
    """Theorems of pure logic that more than a share of the proofs use, most frequent first."""
    uses = Counter(premise for lemma in lemmas for premise in lemma.premises)
    frequent = [
        name
        for name, count in uses.items()
        if count > threshold * len(lemmas) and nodes[name].module in LOGIC
    ]
    return tuple(sorted(frequent, key=lambda name: (-uses[name], name)))


def load_premises(path: Path = FILE) -> PremiseSet:
    """Reads a data set.

    Raises:
        StorageError: It is not there or not a data set.
    """
    try:
        first, *lines = path.read_bytes().splitlines()
        return PremiseSet(
            header=PremiseHeader.model_validate(orjson.loads(first)),
            lemmas=tuple(PremiseLemma.model_validate(orjson.loads(line)) for line in lines),
        )
    except (OSError, ValueError, ValidationError) as error:
        hint = "Make it anew with `lemmata bench retrieval --make`."
        raise StorageError(f"{path} cannot be read: {error}", hint) from error


def save_premises(premises: PremiseSet, path: Path = FILE) -> None:
    """Writes a data set: a header line, then a line for each lemma, by name."""
    lemmas = sorted(premises.lemmas, key=lambda lemma: lemma.name)
    rows = [premises.header, *lemmas]
    path.write_bytes(b"".join(orjson.dumps(r.model_dump(mode="json")) + b"\n" for r in rows))
