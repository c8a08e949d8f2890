"""Replays exports in the second kernel: scopes that grow on the base library, and proofs on them.

What a declaration may do is narrow. Names of the base library are taken from the pinned base only,
since the kernel computes with ``Nat.add`` and others by their names; inductive types and quotients
are made by this kernel itself and compared with what was exported; axioms are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from verifier.kernel import format as fmt
from verifier.kernel.base import Base
from verifier.kernel.format import Declaration, Export, Inductive, Malformed, Name, declared
from verifier.kernel.native import NativeLean
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

COMPILED = frozenset({("Lean", "reduceBool"), ("Lean", "reduceNat")})
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


class _Objects:
    """The objects of one export, each made once and owned as often as it is used.

    Args:
        lean: Makes them. export: Read and checked.
    """

    def __init__(self, lean: NativeLean, export: Export) -> None:
        self._lean, self._export = lean, export
        self._level_uses = [0] * len(export.levels)
        self._uses = [0] * len(export.expressions)
        self._count()

    def _count(self) -> None:
        uses, levels = self._uses, self._level_uses
        for level in self._export.levels:
            for part in level[1:]:
                if isinstance(part, int):
                    levels[part] += 1
        for e in self._export.expressions:
            if e[0] == fmt.CONST:
                for u in e[2]:
                    levels[u] += 1
            elif e[0] == fmt.SORT:
                levels[e[1]] += 1
            else:
                for part in fmt.parts_of(e):
                    uses[part] += 1
        for declaration in self._export.declarations:
            for root in roots(declaration):
                uses[root] += 1

    def make(self) -> list[int]:
        """All expressions; each reference must be used up by a declaration or dropped."""
        lean = self._lean
        levels: list[int] = []
        for level, n in zip(self._export.levels, self._level_uses, strict=True):
            levels.append(lean.give(lean.level(level, levels), n or 1))
        made: list[int] = []
        for e, n in zip(self._export.expressions, self._uses, strict=True):
            made.append(lean.give(lean.expression(e, made, levels), n or 1))
        for objects, uses in ((levels, self._level_uses), (made, self._uses)):
            for o, n in zip(objects, uses, strict=True):
                if n == 0:
                    lean.drop(o)
        return made


def roots(declaration: Declaration) -> Iterator[int]:
    """Numbers of the expressions of a declaration, in the order in which they are used up."""
    match declaration:
        case Inductive(types, constructors, recursors):
            yield from (t.type for t in types)
            yield from (c.type for c in constructors)
            for recursor in recursors:
                yield recursor.type
                yield from (rule.value for rule in recursor.rules)
        case fmt.Definition() | fmt.Theorem() | fmt.Opaque():
            yield declaration.type
            yield declaration.value
        case _:
            yield declaration.type


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
        self._base = _BaseObjects(lean, base)
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
        made = _Objects(self.lean, export).make()
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
            if name in scope.local:
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
        same = self._same_constant(info, declaration, made[declaration.type])
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
        check_inductive(declaration)
        before = self.lean.keep(scope.environment)
        heads = [*declaration.types, *declaration.constructors]
        types = [self.lean.keep(made[c.type]) for c in heads]
        try:
            self._grow(scope, self.lean.inductive(declaration, types))
            fault = self._differs(scope.environment, declaration, made)
            if fault:
                self.lean.drop(scope.environment)
                scope.environment = self.lean.keep(before)
                raise Refused(fault)
        finally:
            self.lean.drop(before)

    def _differs(self, environment: int, declaration: Inductive, made: Sequence[int]) -> str:
        """What of an inductive declaration is not as this kernel made it, or nothing."""
        checks: list[tuple[fmt.Constant, Callable[[int], bool]]] = [
            *((t, self._same_type(t, made)) for t in declaration.types),
            *((c, self._same_constructor(c, made)) for c in declaration.constructors),
            *((r, self._same_recursor(r, made)) for r in declaration.recursors),
        ]
        for constant, same in checks:
            info = self.lean.find(environment, constant.name)
            if info is None:
                return f"the kernel does not make {fmt.name_text(constant.name)}"
            good = same(self.lean.field(info, 0))
            self.lean.drop(info)
            if not good:
                return f"the kernel makes another {fmt.name_text(constant.name)}"
        return self._more_recursors(environment, declaration)

    def _more_recursors(self, environment: int, declaration: Inductive) -> str:
        exported = {r.name for r in declaration.recursors}
        first = declaration.types[0]
        expected = {(*t.name, "rec") for t in declaration.types}
        expected |= {(*first.name, f"rec_{i + 1}") for i in range(first.nested)}
        if exported != expected:
            return "the recursors are not those of the types"
        surplus = self.lean.find(environment, (*first.name, f"rec_{first.nested + 1}"))
        if surplus is not None:
            self.lean.drop(surplus)
            return "the kernel makes more recursors"
        return ""

    def _head(self, value: int, c: fmt.Constant, type_: int) -> bool:
        lean = self.lean
        header = lean.field(value, 0)
        levels = tuple(lean.components(n) for n in lean.items(lean.field(header, 1)))
        return levels == c.levels and lean.equal(lean.field(header, 2), type_)

    def _same_constant(self, info: int, c: fmt.Constant, type_: int) -> bool:
        return self._head(self.lean.field(info, 0), c, type_)

    def _numbers(self, value: int, *fields: int) -> tuple[int, ...]:
        return tuple(self.lean.field(value, i) >> 1 for i in fields)

    def _same_type(self, t: fmt.InductiveType, made: Sequence[int]) -> Callable[[int], bool]:
        return lambda v: (
            self._head(v, t, made[t.type])
            and self._numbers(v, 1, 2, 5) == (t.parameters, t.indices, t.nested)
            and (self.lean.flag(v, 6, 0), self.lean.flag(v, 6, 2)) == (t.recursive, t.reflexive)
        )

    def _same_constructor(self, c: fmt.Constructor, made: Sequence[int]) -> Callable[[int], bool]:
        return lambda v: (
            self._head(v, c, made[c.type])
            and self.lean.components(self.lean.field(v, 1)) == c.inductive
            and self._numbers(v, 2, 3, 4) == (c.index, c.parameters, c.fields)
        )

    def _same_recursor(self, r: fmt.Recursor, made: Sequence[int]) -> Callable[[int], bool]:
        def same(v: int) -> bool:
            numbers = (r.parameters, r.indices, r.motives, r.minors)
            return (
                self._head(v, r, made[r.type])
                and self._numbers(v, 2, 3, 4, 5) == numbers
                and self.lean.flag(v, 7, 0) == r.k
                and self._same_rules(self.lean.items(self.lean.field(v, 6)), r.rules, made)
            )

        return same

    def _same_rules(
        self, own: Sequence[int], rules: Sequence[fmt.Rule], made: Sequence[int]
    ) -> bool:
        lean = self.lean
        return len(own) == len(rules) and all(
            lean.components(lean.field(o, 0)) == r.constructor
            and lean.field(o, 1) >> 1 == r.fields
            and lean.equal(lean.field(o, 2), made[r.value])
            for o, r in zip(own, rules, strict=True)
        )

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
        if name in ("Lean.reduceBool", "Lean.reduceNat"):
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
            self._give_inductive(scope, declaration, _Sparse(made))
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
            self._grow(scope, (4 << 1) | 1)
            info = self.lean.find(scope.environment, q.name)
        if info is None or not self._same_constant(info, q, made[q.type]):
            raise Refused(f"the kernel makes another {fmt.name_text(q.name)}")
        self.lean.drop(info)


class _Sparse(Sequence[int]):
    """Objects by number, of which only some are made."""

    def __init__(self, made: dict[int, int]) -> None:
        self._made = made

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        return self._made[index]

    def __len__(self) -> int:
        return len(self._made)


def single(lean: NativeLean, declaration: Declaration, parts: Sequence[int]) -> int:
    """A declaration of one constant; uses the parts up."""
    match declaration:
        case fmt.Axiom():
            return lean.axiom(declaration, parts[0])
        case fmt.Theorem():
            return lean.theorem(declaration, *parts)
        case fmt.Opaque():
            return lean.opaque(declaration, *parts)
        case fmt.Definition():
            return lean.definition(declaration, *parts)
        case _:
            raise Malformed("not one constant")


def check_inductive(declaration: Inductive) -> None:
    """Sees to it that an inductive declaration hangs together before objects are made of it.

    Raises:
        Refused: It does not.
    """
    types, constructors = declaration.types, declaration.constructors
    if not types:
        raise Refused("an inductive declaration without a type")
    listed = [c for t in types for c in t.constructors]
    if listed != [c.name for c in constructors]:
        raise Refused("the constructors are not those of the types")
    names = tuple(t.name for t in types)
    for t in types:
        if t.all != names or t.levels != types[0].levels or t.parameters != types[0].parameters:
            raise Refused("the types do not belong together")


class _BaseObjects:
    """Objects of the base library: made when first needed, kept for ever."""

    def __init__(self, lean: NativeLean, base: Base) -> None:
        self._lean, self._base = lean, base
        self._levels: dict[int, int] = {}
        self._made: dict[int, int] = {}

    def declarations(self, group: int) -> Iterator[tuple[Declaration, dict[int, int]]]:
        """The declarations of a group, and the objects of their expressions by number."""
        for declaration in self._base.declarations(group):
            for number in roots(declaration):
                self._make(number)
            yield declaration, self._made

    def _level(self, number: int) -> int:
        known = self._levels.get(number)
        if known is None:
            level = self._base.level(number)
            below = {p: self._level(p) for p in level[1:] if isinstance(p, int)}
            known = self._levels[number] = self._lean.forever(
                self._lean.level(level, _Sparse(below))
            )
        return known

    def _make(self, root: int) -> None:
        pending = [root]
        while pending:
            number = pending[-1]
            if number in self._made:
                pending.pop()
                continue
            e = self._base.expression(number)
            missing = [p for p in fmt.parts_of(e) if p not in self._made]
            if missing:
                pending += missing
                continue
            pending.pop()
            if e[0] == fmt.CONST:
                levels = {u: self._level(u) for u in e[2]}
            elif e[0] == fmt.SORT:
                levels = {e[1]: self._level(e[1])}
            else:
                levels = {}
            made = self._lean.expression(e, _Sparse(self._made), _Sparse(levels))
            self._made[number] = self._lean.forever(made)
