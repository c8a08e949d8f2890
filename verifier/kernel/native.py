"""The kernel of native Lean in this process: C objects made from checked exports.

The library trusts the shape of the objects that it is given, and a wrong one ends the process; so
this runs in a child process only (:mod:`verifier.kernel.child`), and objects are made here alone.

Layout on 64 bits: a header of 8 bytes (``int`` reference count, ``u16`` size, ``u8`` fields, ``u8``
tag), then fields of 8 bytes. A count of 0 marks an object that is never freed.
"""

from __future__ import annotations

import ctypes as C
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifier.kernel import format as fmt
from verifier.kernel.format import Expression, Level, Name

HEADER = 8
ERRORS = (
    "unknownConstant",
    "alreadyDeclared",
    "declTypeMismatch",
    "declHasMVars",
    "declHasFVars",
    "funExpected",
    "typeExpected",
    "letTypeMismatch",
    "exprTypeMismatch",
    "appTypeMismatch",
    "invalidProj",
    "thmTypeIsNotProp",
    "other",
    "deterministicTimeout",
    "excessiveMemory",
    "deepRecursion",
    "interrupted",
)
"""Constructors of ``Lean.Kernel.Exception`` in their order."""

OTHER = ERRORS.index("other")
MAX_RECURSION = 100_000
THEOREM, AXIOM, DEFINITION, OPAQUE = 2, 0, 1, 3
SAFE = 1
OK = 1
STRING = 249
_P = C.c_void_p
_U8 = C.c_uint8
_U32 = C.c_uint32


def box(number: int) -> int:
    """A small number, or a constructor without fields, as an object."""
    return number << 1 | 1


NIL = NONE = ANONYMOUS = UNIT = box(0)
QUOTIENT_DECLARATION = box(4)
"""The declaration that has no fields: the kernel makes the four constants of quotients."""


class NativeLean:
    """The native library: makes objects, reads them, counts their references.

    Functions of Lean own their arguments unless their signature borrows; what is given away more
    than once is counted up before.

    Args:
        path: ``libleanshared.so``.
    """

    def __init__(self, path: Path) -> None:
        self._library = C.CDLL(str(path), mode=C.RTLD_GLOBAL)
        self._call("lean_initialize", None)()
        self._call("lean_io_mark_end_initialization", None)()
        self._call("lean_init_task_manager_using", None, C.c_uint)(1)
        call = self._call
        self._alloc = call("lean_alloc_object", _P, C.c_size_t)
        self._string = call("lean_mk_string_from_bytes", _P, C.c_char_p, C.c_size_t)
        self._number = call("lean_cstr_to_nat", _P, C.c_char_p)
        self._dec_cold = call("lean_dec_ref_cold", None, _P)
        self._name_str = call("l_Lean_Name_str___override", _P, _P, _P)
        self._name_num = call("l_Lean_Name_num___override", _P, _P, _P)
        self._mk = {
            fmt.BVAR: call("lean_expr_mk_bvar", _P, _P),
            fmt.SORT: call("lean_expr_mk_sort", _P, _P),
            fmt.CONST: call("lean_expr_mk_const", _P, _P, _P),
            fmt.APP: call("lean_expr_mk_app", _P, _P, _P),
            fmt.LAM: call("lean_expr_mk_lambda", _P, _P, _P, _P, _U8),
            fmt.PI: call("lean_expr_mk_forall", _P, _P, _P, _P, _U8),
            fmt.LET: call("lean_expr_mk_let", _P, _P, _P, _P, _P, _U8),
            fmt.LIT_NAT: call("lean_expr_mk_lit", _P, _P),
            fmt.PROJ: call("lean_expr_mk_proj", _P, _P, _P, _P),
        }
        self._succ = call("lean_level_mk_succ", _P, _P)
        self._max = call("lean_level_mk_max", _P, _P, _P)
        self._imax = call("lean_level_mk_imax", _P, _P, _P)
        self._param = call("lean_level_mk_param", _P, _P)
        self._zero = self.forever(call("lean_level_mk_zero", _P, _P)(UNIT))
        self._axiom = call("lean_mk_axiom_val", _P, _P, _P, _P, _U8)
        self._definition = call("lean_mk_definition_val", _P, _P, _P, _P, _P, _P, _U8, _P)
        self._theorem = call("lean_mk_theorem_val", _P, _P, _P, _P, _P, _P)
        self._opaque = call("lean_mk_opaque_val", _P, _P, _P, _P, _P, _U8, _P)
        self._regular = call("lean_mk_reducibility_hints_regular", _P, _U32)
        self._inductive = call("lean_mk_inductive_decl", _P, _P, _P, _P, _U8)
        self._add = call("lean_add_decl", _P, _P, C.c_size_t, C.c_size_t, _P, _P)
        self._find = call("lean_environment_find", _P, _P, _P)
        self._eqv = call("lean_expr_eqv", _U8, _P, _P)
        self._names: dict[Name, int] = {(): ANONYMOUS}

    def _call(self, symbol: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library, symbol)
        function.restype, function.argtypes = result, list(arguments)
        return function

    # Reference counts and fields

    @staticmethod
    def give(o: int, times: int) -> int:
        """Makes a fresh object's owner ``times`` owners."""
        if not o & 1 and times != 1:
            count = C.c_int.from_address(o)
            if count.value > 0:
                count.value += times - 1
            elif count.value < 0:
                count.value -= times - 1
        return o

    @staticmethod
    def keep(o: int) -> int:
        """One more owner."""
        if not o & 1:
            count = C.c_int.from_address(o)
            if count.value > 0:
                count.value += 1
            elif count.value < 0:
                count.value -= 1
        return o

    @staticmethod
    def forever(o: int) -> int:
        """Never freed: for what is kept as long as the process lives."""
        if not o & 1:
            C.c_int.from_address(o).value = 0
        return o

    def drop(self, o: int) -> None:
        """One owner less."""
        if o & 1:
            return
        count = C.c_int.from_address(o)
        if count.value > 1:
            count.value -= 1
        elif count.value != 0:
            self._dec_cold(o)

    @staticmethod
    def tag(o: int) -> int:
        """The constructor of an object."""
        return o >> 1 if o & 1 else _U8.from_address(o + 7).value

    @staticmethod
    def field(o: int, i: int) -> int:
        """A field, borrowed."""
        return C.c_uint64.from_address(o + HEADER + 8 * i).value

    @staticmethod
    def flag(o: int, fields: int, i: int) -> bool:
        """A ``u8`` behind the fields."""
        return _U8.from_address(o + HEADER + 8 * fields + i).value == 1

    def text(self, o: int) -> str:
        """A string object's text."""
        size = C.c_uint64.from_address(o + 8).value
        return C.string_at(o + 32, size - 1).decode("utf-8", "replace")

    def items(self, o: int) -> list[int]:
        """The elements of a list, borrowed."""
        found = []
        while not o & 1:
            found.append(self.field(o, 0))
            o = self.field(o, 1)
        return found

    def construct(self, tag: int, *fields: int) -> int:
        """A constructor with its fields."""
        size = HEADER + 8 * len(fields)
        o: int = self._alloc(size)
        C.c_uint64.from_address(o).value = 1 | size << 32 | len(fields) << 48 | tag << 56
        for i, x in enumerate(fields):
            C.c_uint64.from_address(o + HEADER + 8 * i).value = x
        return o

    def list(self, items: Sequence[int]) -> int:
        """A list of objects."""
        out = NIL
        for item in reversed(items):
            out = self.construct(1, item, out)
        return out

    def string(self, text: str) -> int:
        """A string object."""
        data = text.encode()
        return int(self._string(data, len(data)))

    def natural(self, number: int | str) -> int:
        """A natural number, small or large."""
        digits = str(number)
        if len(digits) < 18:
            return box(int(digits))
        return int(self._number(digits.encode()))

    # Names, levels, expressions

    def name(self, name: Name) -> int:
        """A name; kept for ever."""
        known = self._names.get(name)
        if known is None:
            below, part = self.name(name[:-1]), name[-1]
            made = (
                self._name_str(below, self.string(part))
                if isinstance(part, str)
                else self._name_num(below, self.natural(part))
            )
            known = self._names[name] = self.forever(made)
        return known

    def name_list(self, names: Sequence[Name]) -> int:
        """A list of names."""
        return self.list([self.name(n) for n in names])

    def level(self, level: Level, made: Sequence[int]) -> int:
        """A level; ``made`` are those before it, one reference of each is used up."""
        kind = level[0]
        if kind == "succ":
            return int(self._succ(made[level[1]]))
        if kind == "max":
            return int(self._max(made[level[1]], made[level[2]]))
        if kind == "imax":
            return int(self._imax(made[level[1]], made[level[2]]))
        return int(self._param(self.name(level[1]))) if kind == "param" else self._zero

    def expression(self, e: Expression, made: Sequence[int], levels: Sequence[int]) -> int:
        """An expression; of its parts one reference each is used up."""
        kind = e[0]
        if kind in (fmt.LIT_NAT, fmt.LIT_STR):
            return self._literal(kind, e[1])
        make = self._mk[kind]
        if kind == fmt.APP:
            return int(make(made[e[1]], made[e[2]]))
        if kind == fmt.CONST:
            return int(make(self.name(e[1]), self.list([levels[u] for u in e[2]])))
        if kind == fmt.BVAR:
            return int(make(box(e[1])))
        if kind in (fmt.LAM, fmt.PI):
            return int(make(self.name(e[1]), made[e[2]], made[e[3]], e[4]))
        if kind == fmt.SORT:
            return int(make(levels[e[1]]))
        if kind == fmt.LET:
            return int(make(self.name(e[1]), made[e[2]], made[e[3]], made[e[4]], e[5]))
        return int(make(self.name(e[1]), box(e[2]), made[e[3]]))

    def _literal(self, kind: str, text: str) -> int:
        value = (
            self.construct(0, self.natural(text))
            if kind == fmt.LIT_NAT
            else self.construct(1, self.string(text))
        )
        return int(self._mk[fmt.LIT_NAT](value))

    # Declarations; each takes over the expressions that it is given

    def axiom(self, c: fmt.Constant, type_: int) -> int:
        """A declaration of an axiom."""
        value = self._axiom(self.name(c.name), self.name_list(c.levels), type_, 0)
        return self.construct(AXIOM, value)

    def theorem(self, c: fmt.Theorem, type_: int, proof: int) -> int:
        """A declaration of a theorem."""
        value = self._theorem(
            self.name(c.name), self.name_list(c.levels), type_, proof, self.name_list(c.all)
        )
        return self.construct(THEOREM, value)

    def opaque(self, c: fmt.Opaque, type_: int, body: int) -> int:
        """A declaration of an opaque constant."""
        value = self._opaque(
            self.name(c.name), self.name_list(c.levels), type_, body, 0, self.name_list(c.all)
        )
        return self.construct(OPAQUE, value)

    def definition(self, c: fmt.Definition, type_: int, body: int) -> int:
        """A declaration of a definition."""
        hints = (
            box(0 if c.height == "opaque" else 1)
            if isinstance(c.height, str)
            else self._regular(c.height)
        )
        value = self._definition(
            self.name(c.name),
            self.name_list(c.levels),
            type_,
            body,
            hints,
            SAFE,
            self.name_list(c.all),
        )
        return self.construct(DEFINITION, value)

    def inductive(self, declaration: fmt.Inductive, types: Sequence[int]) -> int:
        """A declaration of inductive types; ``types`` has those of types, then constructors."""
        made = iter(types)
        heads = [next(made) for _ in declaration.types]
        of_constructors = {c.name: next(made) for c in declaration.constructors}
        listed = [
            self.construct(
                0,
                self.name(t.name),
                head,
                self.list(
                    [self.construct(0, self.name(c), of_constructors[c]) for c in t.constructors]
                ),
            )
            for t, head in zip(declaration.types, heads, strict=True)
        ]
        first = declaration.types[0]
        return int(
            self._inductive(
                self.name_list(first.levels), box(first.parameters), self.list(listed), 0
            )
        )

    # Environments

    def empty_environment(self) -> int:
        """The kernel's environment without any constant."""
        make = self._call("l_Lean_mkEmptyEnvironment", _P, _U32, _P)
        elaborator = self.field(make(0, UNIT), 0)
        to_kernel = self._call("lean_elab_environment_to_kernel_env", _P, _P)
        return int(to_kernel(self.keep(elaborator)))

    def add(self, environment: int, declaration: int) -> tuple[int | None, str]:
        """Gives a declaration to the kernel.

        Args:
            environment: Borrowed.
            declaration: Used up.

        Returns:
            The environment with it, or ``None`` and the kernel's word for why not.
        """
        result = self._add(self.keep(environment), 0, MAX_RECURSION, declaration, NONE)
        self.drop(declaration)
        if self.tag(result) == OK:
            grown = self.keep(self.field(result, 0))
            self.drop(result)
            return grown, ""
        error = self.field(result, 0)
        tag = self.tag(error)
        word = ERRORS[tag] if tag < len(ERRORS) else "rejected"
        if tag == OTHER and not error & 1:
            word = f"other: {self.text(self.field(error, 0))}"
        self.drop(result)
        return None, word

    def find(self, environment: int, name: Name) -> int | None:
        """A constant's information (owned), or ``None``; the environment is borrowed."""
        option = self._find(self.keep(environment), self.name(name))
        if option & 1:
            return None
        info = self.keep(self.field(option, 0))
        self.drop(option)
        return info

    def equal(self, one: int, other: int) -> bool:
        """Whether two expressions (borrowed) are equal up to names of bound variables."""
        return bool(self._eqv(one, other))

    def components(self, name: int) -> Name:
        """A name object's components."""
        parts: list[str | int] = []
        while not name & 1:
            part = self.field(name, 1)
            parts.append(self.text(part) if self.tag(name) == 1 else part >> 1)
            name = self.field(name, 0)
        return tuple(reversed(parts))
