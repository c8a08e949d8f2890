"""Replays exports in the second kernel: scopes that grow on the base library, and proofs on them.

What a declaration may do is narrow. Names of the base library are taken from the pinned base only,
since the kernel computes with ``Nat.add`` and others by their names; inductive types and quotients
are made by this kernel itself and compared with what was exported; axioms are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from verifier.kernel import format as fmt
from verifier.kernel.base import Base
from verifier.kernel.comparison import Comparison, incoherence
from verifier.kernel.format import Declaration, Export, Inductive, Name, declared
from verifier.kernel.native import QUOTIENT_DECLARATION, NativeLean
from verifier.kernel.objects import BaseObjects, ExportObjects, Sparse, roots, single
from verifier.kernel.words import NOT_IN_THE_BASE

KNOWN_TO_KERNELS = frozenset(
    [
        *(
            ("Nat", f)
            for f in [
                "add",
                "sub",
                "mul",
                "div",
                "mod",
                "gcd",
                "beq",
                "ble",
                "land",
                "lor",
                "xor",
                "pow",
                "log2",
            ]
        ),
        *(("Nat", f) for f in ("shiftLeft", "shiftRight", "zero", "succ", "pred")),
        *(("String", f) for f in ("mk", "ofList", "ofByteArray")),
        ("Char", "ofNat"),
        ("List", "cons"),
        ("Lean", "reduceBool"),
        ("Lean", "reduceNat"),
        ("eagerReduce",),
        *((name,) for name in ("Nat", "String", "Char", "Quot", "Eq", "Bool", "Int")),
    ]
)
"""Names that kernels treat specially; only the base library may declare them."""

COMPILED = frozenset({"Lean.reduceBool", "Lean.reduceNat"})
"""Functions that a kernel computes by running compiled code."""


class Refused(Exception):
    """The kernel, or a comparison with it, said no to a declaration."""


@dataclass(frozen=True)
class Foundation:
    """What constants rest on.

    Attributes:
        axioms: Axioms, and functions by which the compiler is trusted.
        assumed: Constants of the base library that are there without their bodies.
    """

    axioms: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()


@dataclass
class Scope:
    """An environment of the kernel, and what is in it beyond the base.

    Attributes:
        environment: The kernel's object (owned).
        based: Groups of the base that are in it.
        local: What each other constant rests on.
        refused: Constants that were refused, and why.
    """

    environment: int
    based: set[int] = field(default_factory=set)
    local: dict[Name, Foundation] = field(default_factory=dict)
    refused: dict[Name, str] = field(default_factory=dict)


def mentions(export: Export, declaration: Declaration) -> set[Name]:
    """Names of the constants, and of the structures projected from, in a declaration."""
    found: set[Name] = set()
    seen: set[int] = set()
    pending = list(roots(declaration))
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        e = export.expressions[number]
        if e[0] in (fmt.CONST, fmt.PROJ):
            found.add(e[1])
        pending += fmt.parts_of(e)
    return found


class Replayer:
    """Keeps scopes by key, and says what the kernel thinks of declarations.

    Args:
        lean: The native library.
        base: The base library.
    """

    def __init__(self, lean: NativeLean, base: Base) -> None:
        self.lean, self.base = lean, base
        self._empty = lean.empty_environment()
        self._base = BaseObjects(lean, base)
        self._comparison = Comparison(lean)
        self._foundations: dict[int, Foundation] = {}
        self.scopes: dict[str, Scope] = {}
        self._unproved: set[int] = set()

    def root(self, key: str) -> None:
        """A scope that has the base library only.

        What a kernel makes of literals is not mentioned in them, so it is put there first.
        """
        scope = Scope(self.lean.keep(self._empty))
        for name in sorted(KNOWN_TO_KERNELS, key=str):
            if (group := self.base.group(name)) is not None:
                self._add_base(scope, group)
        self.scopes[key] = scope

    def extend(self, key: str, below: str, delta: str) -> dict[str, str]:
        """A scope with further declarations; what is refused is left out.

        Returns:
            What was refused, and why.

        Raises:
            Malformed: The delta does not follow the format.
            KeyError: There is no scope below.
        """
        export = fmt.read(delta)
        scope = self._child(self.scopes[below])
        known = set(scope.refused)
        self._declare_all(scope, export)
        self.scopes[key] = scope
        return {fmt.name_text(n): why for n, why in scope.refused.items() if n not in known}

    def check(self, key: str, delta: str, theorem: str) -> tuple[Foundation, Export]:
        """Replays the declarations of a proof, and forgets them again.

        Returns:
            What the theorem rests on; and the export, whose last theorem of that name was checked.

        Raises:
            Malformed: The delta does not follow the format.
            Refused: A declaration in it was refused, or the theorem is not in it.
            KeyError: There is no such scope.
        """
        export = fmt.read(delta)
        below = self.scopes[key]
        self._base_for(below, export)
        scope = self._child(below)
        try:
            self._declare_all(scope, export)
            for name in (n for d in export.declarations for n in declared(d)):
                if name in scope.refused:
                    raise Refused(f"{fmt.name_text(name)}: {scope.refused[name]}")
            made = [d for d in export.declarations if fmt.name_text(declared(d)[0]) == theorem]
            if len(made) != 1 or not isinstance(made[0], fmt.Theorem):
                raise Refused(f"{theorem}: it is not in the export as a theorem")
            return scope.local[made[0].name], export
        finally:
            self.lean.drop(scope.environment)

    def forget(self, keys: Iterable[str]) -> None:
        """Frees scopes."""
        for key in keys:
            if scope := self.scopes.pop(key, None):
                self.lean.drop(scope.environment)

    def _child(self, below: Scope) -> Scope:
        return Scope(
            self.lean.keep(below.environment),
            set(below.based),
            dict(below.local),
            dict(below.refused),
        )

    def _base_for(self, scope: Scope, export: Export) -> None:
        """Puts what an export needs of the base into a scope that stays."""
        for e in export.expressions:
            if e[0] in (fmt.CONST, fmt.PROJ):
                group = self.base.group(e[1])
                if group is not None and group not in scope.based and e[1] not in scope.local:
                    self._add_base(scope, group)

    def _declare_all(self, scope: Scope, export: Export) -> None:
        made = ExportObjects(self.lean, export).make()
        for declaration in export.declarations:
            try:
                self._declare(scope, export, declaration, made)
            except Refused as refusal:
                for name in declared(declaration):
                    scope.refused[name] = str(refusal)

    def _declare(
        self, scope: Scope, export: Export, declaration: Declaration, made: Sequence[int]
    ) -> None:
        used = list(roots(declaration))
        try:
            names = declared(declaration)
            if self._is_of_base(scope, declaration, made):
                return
            self._require_fresh(scope, names)
            foundation = self._foundation(scope, mentions(export, declaration), set(names))
            if isinstance(declaration, fmt.Axiom):
                own = frozenset({fmt.name_text(declaration.name)})
                foundation = Foundation(foundation.axioms | own, foundation.assumed)
            self._give(scope, declaration, made)
            for name in names:
                scope.local[name] = foundation
        finally:
            for number in used:
                self.lean.drop(made[number])

    def _require_fresh(self, scope: Scope, names: Sequence[Name]) -> None:
        if len(set(names)) != len(names):
            raise Refused("a name is declared twice")
        for name in names:
            text = fmt.name_text(name)
            if self.base.group(name) is not None or name in KNOWN_TO_KERNELS:
                raise Refused(f"{text} is a name of the base library")
            if name in scope.local or name in scope.refused:
                raise Refused(f"{text} is declared already")

    def _is_of_base(self, scope: Scope, declaration: Declaration, made: Sequence[int]) -> bool:
        """Whether it is a theorem that the base has too: a lemma that Lean derives on demand."""
        if not isinstance(declaration, fmt.Theorem):
            return False
        group = self.base.group(declaration.name)
        if group is None:
            return False
        self._add_base(scope, group)
        info = self.lean.find(scope.environment, declaration.name)
        if info is None:
            return False
        same = self._comparison.same_constant(info, declaration, made[declaration.type])
        self.lean.drop(info)
        return same

    def _foundation(self, scope: Scope, needed: set[Name], own: set[Name]) -> Foundation:
        axioms: set[str] = set()
        assumed: set[str] = set()
        for name in sorted(needed - own, key=str):
            if (found := scope.local.get(name)) is None:
                if name in scope.refused:
                    raise Refused(f"it rests on {fmt.name_text(name)}: {scope.refused[name]}")
                group = self.base.group(name)
                if group is None:
                    raise Refused(f"unknown {fmt.name_text(name)}: {NOT_IN_THE_BASE}")
                self._add_base(scope, group)
                found = self._foundations[group]
            axioms |= found.axioms
            assumed |= found.assumed
        return Foundation(frozenset(axioms), frozenset(assumed))

    def _give(self, scope: Scope, declaration: Declaration, made: Sequence[int]) -> None:
        lean = self.lean
        if isinstance(declaration, Inductive):
            self._give_inductive(scope, declaration, made)
            return
        if isinstance(declaration, fmt.Quotient):
            raise Refused("only the base library has quotients")
        keep = [lean.keep(made[n]) for n in roots(declaration)]
        self._grow(scope, single(lean, declaration, keep))

    def _grow(self, scope: Scope, declaration: int) -> None:
        grown, word = self.lean.add(scope.environment, declaration)
        if grown is None:
            raise Refused(word)
        self.lean.drop(scope.environment)
        scope.environment = grown

    def _give_inductive(self, scope: Scope, declaration: Inductive, made: Sequence[int]) -> None:
        if fault := incoherence(declaration):
            raise Refused(fault)
        before = self.lean.keep(scope.environment)
        heads = [*declaration.types, *declaration.constructors]
        types = [self.lean.keep(made[c.type]) for c in heads]
        try:
            self._grow(scope, self.lean.inductive(declaration, types))
            if fault := self._comparison.differs(scope.environment, declaration, made):
                self.lean.drop(scope.environment)
                scope.environment = self.lean.keep(before)
                raise Refused(fault)
        finally:
            self.lean.drop(before)

    # The base library

    def _add_base(self, scope: Scope, group: int) -> None:
        """Adds a group of the base after all that it needs; with a stack of its own."""
        pending = [group]
        opened: set[int] = set()
        while pending:
            at = pending[-1]
            if at in scope.based:
                pending.pop()
                continue
            if at not in opened:
                opened.add(at)
                pending += [n for n in self.base.needs(at) if n not in scope.based]
                continue
            pending.pop()
            self._add_group(scope, at)

    def _add_group(self, scope: Scope, group: int) -> None:
        self._found(group)
        for declaration, made in self._base.declarations(group):
            self._add_from_base(scope, group, declaration, made)
        scope.based.add(group)

    def _found(self, group: int) -> None:
        if group in self._foundations:
            return
        axioms: set[str] = set()
        assumed: set[str] = set()
        for needed in self.base.needs(group):
            below = self._foundations[needed]
            axioms |= below.axioms
            assumed |= below.assumed
        name = self.base.name(group)
        if self.base.is_assumed(group) or group in self._unproved:
            assumed.add(name)
        elif self.base.is_axiom(group):
            axioms.add(name)
        if name in COMPILED:
            axioms.add(name)
        self._foundations[group] = Foundation(frozenset(axioms), frozenset(assumed))

    def _add_from_base(
        self, scope: Scope, group: int, declaration: Declaration, made: dict[int, int]
    ) -> None:
        """Adds a declaration of the base.

        A theorem whose proof uses a body that the base does not have cannot be checked; it is
        assumed then, like those that have no proof here at all.
        """
        lean = self.lean
        if isinstance(declaration, fmt.Quotient):
            self._add_quotient(scope, declaration, made)
            return
        if isinstance(declaration, Inductive):
            self._give_inductive(scope, declaration, Sparse(made))
            return
        parts = [made[n] for n in roots(declaration)]
        if isinstance(declaration, fmt.Theorem) and group in self._unproved:
            self._grow(scope, lean.axiom(declaration, parts[0]))
            return
        try:
            self._grow(scope, single(lean, declaration, parts))
        except Refused:
            if not isinstance(declaration, fmt.Theorem):
                raise
            self._unproved.add(group)
            del self._foundations[group]
            self._found(group)
            self._grow(scope, lean.axiom(declaration, parts[0]))

    def _add_quotient(self, scope: Scope, q: fmt.Quotient, made: dict[int, int]) -> None:
        info = self.lean.find(scope.environment, q.name)
        if info is None:
            self._grow(scope, QUOTIENT_DECLARATION)
            info = self.lean.find(scope.environment, q.name)
        if info is None or not self._comparison.same_constant(info, q, made[q.type]):
            raise Refused(f"the kernel makes another {fmt.name_text(q.name)}")
        self.lean.drop(info)
