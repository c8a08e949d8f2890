"""What a kernel makes of an inductive declaration, held against what was exported of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verifier.kernel import format as fmt
from verifier.kernel.format import Inductive
from verifier.kernel.native import NativeLean


class Comparison:
    """Compares constants of a kernel environment with exported ones.

    Args:
        lean: The native library.
    """

    def __init__(self, lean: NativeLean) -> None:
        self._lean = lean

    def differs(self, environment: int, declaration: Inductive, made: Sequence[int]) -> str:
        """What of an inductive declaration is not as this kernel made it, or nothing.

        Args:
            environment: Has the declaration; borrowed.
            declaration: As it was exported.
            made: Objects of the export's expressions, by number.
        """
        checks: list[tuple[fmt.Constant, Callable[[int], bool]]] = [
            *((t, self._same_type(t, made)) for t in declaration.types),
            *((c, self._same_constructor(c, made)) for c in declaration.constructors),
            *((r, self._same_recursor(r, made)) for r in declaration.recursors),
        ]
        for constant, same in checks:
            info = self._lean.find(environment, constant.name)
            if info is None:
                return f"the kernel does not make {fmt.name_text(constant.name)}"
            good = same(self._lean.field(info, 0))
            self._lean.drop(info)
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
        surplus = self._lean.find(environment, (*first.name, f"rec_{first.nested + 1}"))
        if surplus is not None:
            self._lean.drop(surplus)
            return "the kernel makes more recursors"
        return ""

    def _head(self, value: int, c: fmt.Constant, type_: int) -> bool:
        lean = self._lean
        header = lean.field(value, 0)
        levels = tuple(lean.components(n) for n in lean.items(lean.field(header, 1)))
        return levels == c.levels and lean.equal(lean.field(header, 2), type_)

    def same_constant(self, info: int, c: fmt.Constant, type_: int) -> bool:
        """Whether a constant's information has the exported universe parameters and type."""
        return self._head(self._lean.field(info, 0), c, type_)

    def _numbers(self, value: int, *fields: int) -> tuple[int, ...]:
        return tuple(self._lean.field(value, i) >> 1 for i in fields)

    def _same_type(self, t: fmt.InductiveType, made: Sequence[int]) -> Callable[[int], bool]:
        return lambda v: (
            self._head(v, t, made[t.type])
            and self._numbers(v, 1, 2, 5) == (t.parameters, t.indices, t.nested)
            and (self._lean.flag(v, 6, 0), self._lean.flag(v, 6, 2)) == (t.recursive, t.reflexive)
        )

    def _same_constructor(self, c: fmt.Constructor, made: Sequence[int]) -> Callable[[int], bool]:
        return lambda v: (
            self._head(v, c, made[c.type])
            and self._lean.components(self._lean.field(v, 1)) == c.inductive
            and self._numbers(v, 2, 3, 4) == (c.index, c.parameters, c.fields)
        )

    def _same_recursor(self, r: fmt.Recursor, made: Sequence[int]) -> Callable[[int], bool]:
        def same(v: int) -> bool:
            numbers = (r.parameters, r.indices, r.motives, r.minors)
            return (
                self._head(v, r, made[r.type])
                and self._numbers(v, 2, 3, 4, 5) == numbers
                and self._lean.flag(v, 7, 0) == r.k
                and self._same_rules(self._lean.items(self._lean.field(v, 6)), r.rules, made)
            )

        return same

    def _same_rules(
        self, own: Sequence[int], rules: Sequence[fmt.Rule], made: Sequence[int]
    ) -> bool:
        lean = self._lean
        return len(own) == len(rules) and all(
            lean.components(lean.field(o, 0)) == r.constructor
            and lean.field(o, 1) >> 1 == r.fields
            and lean.equal(lean.field(o, 2), made[r.value])
            for o, r in zip(own, rules, strict=True)
        )


def incoherence(declaration: Inductive) -> str:
    """Why an inductive declaration does not hang together, or nothing.

    Objects are made of it only when it does: the library trusts their shape.
    """
    types, constructors = declaration.types, declaration.constructors
    if not types:
        return "an inductive declaration without a type"
    if [c for t in types for c in t.constructors] != [c.name for c in constructors]:
        return "the constructors are not those of the types"
    names = tuple(t.name for t in types)
    for t in types:
        if t.all != names or t.levels != types[0].levels or t.parameters != types[0].parameters:
            return "the types do not belong together"
    return ""
