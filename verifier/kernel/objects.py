"""Objects of the kernel's library for whole exports, made once and owned as often as used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verifier.kernel import format as fmt
from verifier.kernel.base import Base
from verifier.kernel.format import Declaration, Export, Inductive, Malformed
from verifier.kernel.native import NativeLean


class ExportObjects:
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


class Sparse(Sequence[int]):
    """Objects by number, of which only some are made."""

    def __init__(self, made: Mapping[int, int]) -> None:
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


class BaseObjects:
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
                self._lean.level(level, Sparse(below))
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
            made = self._lean.expression(e, Sparse(self._made), Sparse(levels))
            self._made[number] = self._lean.forever(made)
