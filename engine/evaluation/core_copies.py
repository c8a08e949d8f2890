"""Copies of definitions of core, and the modules whose lemmas about them are to be found again.

The copies are packaged theories with fresh datatypes (:mod:`engine.evaluation.theories`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NATURALS = frozenset({"Nat", "OfNat.ofNat", "instOfNatNat", "HAdd.hAdd", "instHAdd", "instAddNat"})
"""The background of a copy that counts: 0, 1 and + of core's ``Nat``."""

BOOLEANS = frozenset({"Bool", "Bool.true", "Bool.false", "Bool.and", "Bool.or", "Bool.not"})
"""The background of a copy with Boolean predicates."""


@dataclass(frozen=True)
class Notation:
    """A class method at a type: ``HAppend.hAppend (List α) (List α) (List α) inst xs ys``.

    Attributes:
        type: Head of the type that it is about, such as ``List``.
        arity: Number of arguments before the operands.
        at: Which of them is that type.
        operands: Which operands become the arguments of the copy, in that order.
    """

    type: str
    arity: int
    at: int = 0
    operands: tuple[int, ...] = (0, 1)


@dataclass(frozen=True)
class CoreCopy:
    """A copy of definitions, and the modules whose lemmas about them are the gold.

    Attributes:
        theory: Name of the packaged theory.
        modules: Core's modules.
        constants: By core's name the name in the copy.
        notations: By class method its types, with the constant in the copy.
        numerals: The copy's ``zero`` and ``succ``, for a copy of ``Nat``.
        background: Constants of core that the copy itself rests on.
    """

    theory: str
    modules: tuple[str, ...]
    constants: Mapping[str, str]
    notations: Mapping[str, tuple[Notation, str]] = field(default_factory=dict)
    numerals: tuple[str, str] | None = None
    background: frozenset[str] = frozenset()


LISTS = ("Init.Data.List.Basic", "Init.Data.List.Lemmas")
COPIES: tuple[CoreCopy, ...] = (
    CoreCopy(
        theory="Naturals",
        modules=("Init.Data.Nat.Basic", "Init.Data.Nat.Lemmas"),
        constants={
            "Nat": "Naturals.N",
            "Nat.zero": "Naturals.N.zero",
            "Nat.succ": "Naturals.N.succ",
            "Nat.pred": "Naturals.pred",
            "Nat.add": "Naturals.add",
            "Nat.sub": "Naturals.sub",
            "Nat.mul": "Naturals.mul",
        },
        notations={
            "HAdd.hAdd": (Notation("Nat", 4), "Naturals.add"),
            "HSub.hSub": (Notation("Nat", 4), "Naturals.sub"),
            "HMul.hMul": (Notation("Nat", 4), "Naturals.mul"),
        },
        numerals=("Naturals.N.zero", "Naturals.N.succ"),
    ),
    CoreCopy(
        theory="Lists",
        modules=LISTS,
        constants={
            "List": "Lists.Seq",
            "List.nil": "Lists.Seq.nil",
            "List.cons": "Lists.Seq.cons",
            "List.length": "Lists.length",
            "List.append": "Lists.append",
            "List.reverseAux": "Lists.reverseAux",
            "List.reverse": "Lists.reverse",
            "List.map": "Lists.map",
            "id": "Lists.ident",
            "Function.comp": "Lists.comp",
        },
        notations={"HAppend.hAppend": (Notation("List", 4), "Lists.append")},
        background=NATURALS,
    ),
    CoreCopy(
        theory="Filters",
        modules=LISTS,
        constants={
            "List": "Filters.Seq",
            "List.nil": "Filters.Seq.nil",
            "List.cons": "Filters.Seq.cons",
            "List.append": "Filters.append",
            "List.filter": "Filters.filter",
            "List.all": "Filters.all",
            "List.any": "Filters.any",
            "List.Mem": "Filters.Mem",
        },
        notations={
            "HAppend.hAppend": (Notation("List", 4), "Filters.append"),
            "Membership.mem": (Notation("List", 3, at=1, operands=(1, 0)), "Filters.Mem"),
        },
        background=BOOLEANS,
    ),
    CoreCopy(
        theory="Options",
        modules=("Init.Data.Option.Basic", "Init.Data.Option.Lemmas"),
        constants={
            "Option": "Options.Opt",
            "Option.none": "Options.Opt.none",
            "Option.some": "Options.Opt.some",
            "Option.isSome": "Options.isSome",
            "Option.isNone": "Options.isNone",
            "Option.getD": "Options.getD",
            "Option.map": "Options.map",
            "Option.bind": "Options.bind",
            "Option.filter": "Options.filter",
            "Option.or": "Options.or",
            "id": "Options.ident",
            "Function.comp": "Options.comp",
        },
        background=BOOLEANS,
    ),
    CoreCopy(
        theory="Bools",
        modules=("Init.Data.Bool",),
        constants={
            "Bool": "Bools.B",
            "Bool.true": "Bools.B.tt",
            "Bool.false": "Bools.B.ff",
            "Bool.not": "Bools.not",
            "Bool.and": "Bools.and",
            "Bool.or": "Bools.or",
            "Bool.xor": "Bools.xor",
            "not": "Bools.not",
            "and": "Bools.and",
            "or": "Bools.or",
            "xor": "Bools.xor",
        },
    ),
)
"""Chosen before anything was run, so that there is one of each kind that a library begins with:
numbers by recursion, lists with polymorphic and higher-order functions, Boolean predicates with
membership, a type without recursion, and a finite one. They are the subjects of the small theories
on which other systems publish their recall."""
