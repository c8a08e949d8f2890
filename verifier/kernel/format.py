"""The export format of lean4export, version 3.1: read, and checked before anything is built of it.

An export is hostile text: it comes from a process in which a candidate ran. The kernel's library
takes C objects and trusts their shape, so each number must have been given before it is used, each
literal must be what it says, and sizes and depths are bounded. What the declarations *mean* is for
the kernel to judge.

https://github.com/leanprover/lean4export/blob/master/format_ndjson.md
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson

Name: TypeAlias = tuple[str | int, ...]
"""A name by its components; the empty one is the anonymous name."""

VERSION = "3.1.0"
MAX_BVAR = 1 << 19  # Lean keeps the range of loose variables in 20 bits and aborts beyond
MAX_DEPTH = 10_000
MAX_LEVEL_DEPTH = 500
MAX_SMALL = 1 << 31
MAX_NUMBER = 1 << 60  # in a name; Lean has hashes there
MAX_DIGITS = 100_000
BINDERS = {"default": 0, "implicit": 1, "strictImplicit": 2, "instImplicit": 3}
SAFETIES = ("unsafe", "safe", "partial")

_LETTER = "A-Za-z_À-ÖØ-öø-ſΑ-ΟΡ\u03a2Τ-Ωα-κμ-\u03fb\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
_REST = "0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c"
_PLAIN = re.compile(f"[{_LETTER}][{_LETTER}{_REST}]*")


class Malformed(Exception):
    """An export that does not follow the format, or goes beyond its bounds."""


def name_text(name: Name) -> str:
    """A name as the session writes it: a component that is no identifier stands in «»."""
    return ".".join(str(p) if isinstance(p, int) else _quoted(p) for p in name)


def _quoted(part: str) -> str:
    return part if _PLAIN.fullmatch(part) else f"«{part.replace('»', '»»')}»"


@dataclass(frozen=True)
class Constant:
    """What every constant has.

    Attributes:
        levels: Names of universe parameters. type: Number of the type's expression.
    """

    name: Name
    levels: tuple[Name, ...]
    type: int


@dataclass(frozen=True)
class Axiom(Constant):
    """An axiom."""


@dataclass(frozen=True)
class Definition(Constant):
    """A safe definition. ``height`` is that of ``regular`` hints, or opaque or abbrev."""

    value: int
    height: int | Literal["opaque", "abbrev"]
    all: tuple[Name, ...]


@dataclass(frozen=True)
class Theorem(Constant):
    """A theorem."""

    value: int
    all: tuple[Name, ...]


@dataclass(frozen=True)
class Opaque(Constant):
    """An opaque constant."""

    value: int
    all: tuple[Name, ...]


@dataclass(frozen=True)
class Quotient(Constant):
    """One of the four constants of quotients."""

    kind: str


@dataclass(frozen=True)
class InductiveType(Constant):
    """A type of an inductive declaration; what follows ``constructors`` the kernel works out."""

    parameters: int
    indices: int
    all: tuple[Name, ...]
    constructors: tuple[Name, ...]
    nested: int
    recursive: bool
    reflexive: bool


@dataclass(frozen=True)
class Constructor(Constant):
    """A constructor."""

    inductive: Name
    index: int
    parameters: int
    fields: int


@dataclass(frozen=True)
class Rule:
    """A computation rule of a recursor."""

    constructor: Name
    fields: int
    value: int


@dataclass(frozen=True)
class Recursor(Constant):
    """A recursor, as the exporting kernel has it."""

    all: tuple[Name, ...]
    parameters: int
    indices: int
    motives: int
    minors: int
    rules: tuple[Rule, ...]
    k: bool


@dataclass(frozen=True)
class Inductive:
    """An inductive declaration."""

    types: tuple[InductiveType, ...]
    constructors: tuple[Constructor, ...]
    recursors: tuple[Recursor, ...]


Declaration: TypeAlias = Axiom | Definition | Theorem | Opaque | Quotient | Inductive


def declared(declaration: Declaration) -> tuple[Name, ...]:
    """Names that a declaration makes."""
    if not isinstance(declaration, Inductive):
        return (declaration.name,)
    parts = (*declaration.types, *declaration.constructors, *declaration.recursors)
    return tuple(p.name for p in parts)


Level: TypeAlias = tuple[Any, ...]
"""``("succ", l)``, ``("max", l, k)``, ``("imax", l, k)``, ``("param", name)``; 0 is zero."""

Expression: TypeAlias = tuple[Any, ...]
"""``(tag, …)`` with the tag of Lean's own constructor, see :data:`TAGS`; parts by number."""

BVAR, SORT, CONST, APP, LAM, PI, LET, LIT_NAT, LIT_STR, PROJ = (
    "bvar",
    "sort",
    "const",
    "app",
    "lam",
    "forallE",
    "letE",
    "natVal",
    "strVal",
    "proj",
)


@dataclass
class Export:
    """A whole export. Numbers index the lists.

    Attributes:
        constants: For each expression that is a constant, its name, by number of the expression.
    """

    names: list[Name] = field(default_factory=lambda: [()])
    levels: list[Level] = field(default_factory=lambda: [("zero",)])
    expressions: list[Expression] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    level_depths: list[int] = field(default_factory=lambda: [0])
    depths: list[int] = field(default_factory=list)


def read(text: str | bytes) -> Export:
    """Reads an export.

    Raises:
        Malformed: The text does not follow the format.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    lines = data.splitlines() if b"\r" in data else data.split(b"\n")
    joined = b"[" + b",".join(line for line in lines if line) + b"]"
    try:
        items = orjson.loads(joined)
    except orjson.JSONDecodeError as error:
        raise Malformed(f"not JSON: {error}") from None
    reader = Reader(Export())
    for item in items:
        reader.item(item)
    return reader.export


class Reader:
    """Adds items to an export, each checked against what is there.

    Args:
        export: What was read before.
    """

    def __init__(self, export: Export) -> None:
        self.export = export

    def item(self, item: Any) -> None:
        """Reads one line.

        Raises:
            Malformed: It does not follow the format.
        """
        try:
            self._item(item)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Malformed(f"not an item: {str(item)[:200]} ({error!r})") from None

    def _item(self, item: Any) -> None:
        if "ie" in item:
            self._number(item["ie"], len(self.export.expressions))
            self._expression(item)
        elif "in" in item:
            self._number(item["in"], len(self.export.names))
            self.export.names.append(read_name(item, self.export.names))
        elif "il" in item:
            self._number(item["il"], len(self.export.levels))
            level = read_level(item, self._level, self.name)
            self.export.levels.append(level)
            depth = 1 + max(
                (self.export.level_depths[p] for p in level[1:] if isinstance(p, int)), default=0
            )
            if depth > MAX_LEVEL_DEPTH:
                raise Malformed("a universe that is too deep")
            self.export.level_depths.append(depth)
        elif "meta" in item:
            if item["meta"]["format"]["version"].split(".")[0] != VERSION.split(".")[0]:
                raise Malformed(f"another format: {item['meta']}")
        else:
            self.export.declarations.append(read_declaration(item, self.name, self._sub))

    def _number(self, number: Any, expected: int) -> None:
        if type(number) is not int or number != expected:
            raise Malformed(f"number {number} where {expected} should follow")

    def name(self, number: Any) -> Name:
        """The name with a number."""
        names = self.export.names
        if type(number) is not int or not 0 <= number < len(names):
            raise Malformed(f"no name {number}")
        return names[number]

    def _level(self, number: Any) -> int:
        if type(number) is not int or not 0 <= number < len(self.export.levels):
            raise Malformed(f"no universe {number}")
        return number

    def _sub(self, number: Any) -> int:
        if type(number) is not int or not 0 <= number < len(self.export.expressions):
            raise Malformed(f"no expression {number}")
        return number

    def _expression(self, item: dict[str, Any]) -> None:
        made = read_expression(item, self._sub, self._level, self.name)
        depths = self.export.depths
        depth = 1 + max((depths[p] for p in parts_of(made)), default=0)
        if depth > MAX_DEPTH:
            raise Malformed(f"an expression of more than {MAX_DEPTH} levels")
        self.export.expressions.append(made)
        depths.append(depth)


def parts_of(expression: Expression) -> Sequence[int]:
    """Numbers of the expressions inside an expression."""
    kind = expression[0]
    if kind == APP:
        return expression[1:]
    if kind in (LAM, PI):
        return expression[2:4]
    if kind == LET:
        return expression[2:5]
    return expression[3:] if kind == PROJ else ()


def read_name(item: Mapping[str, Any], names: Sequence[Name]) -> Name:
    """A name from its line; ``names`` are those before it."""
    if "str" in item:
        pre, part = item["str"]["pre"], item["str"]["str"]
        good = isinstance(part, str)
    else:
        pre, part = item["num"]["pre"], item["num"]["i"]
        good = type(part) is int and 0 <= part < MAX_NUMBER
    if not good or type(pre) is not int or not 0 <= pre < len(names):
        raise Malformed(f"not a name: {str(item)[:200]}")
    return (*names[pre], part)


def read_level(
    item: Mapping[str, Any], level: Callable[[Any], int], name: Callable[[Any], Name]
) -> Level:
    """A universe level from its line."""
    if "succ" in item:
        return ("succ", level(item["succ"]))
    for kind in ("max", "imax"):
        if kind in item:
            one, other = item[kind]
            return (kind, level(one), level(other))
    return ("param", name(item["param"]))


def read_expression(
    item: Mapping[str, Any],
    sub: Callable[[Any], int],
    level: Callable[[Any], int],
    name: Callable[[Any], Name],
) -> Expression:
    """An expression from its line; ``sub`` checks the number of a part."""
    if (app := item.get("app")) is not None:
        return (APP, sub(app["fn"]), sub(app["arg"]))
    if (const := item.get("const")) is not None:
        return (CONST, name(const["name"]), tuple(level(u) for u in const["us"]))
    if (index := item.get("bvar")) is not None:
        if type(index) is not int or not 0 <= index < MAX_BVAR:
            raise Malformed(f"a variable {index}")
        return (BVAR, index)
    for kind in (LAM, PI):
        if (binder := item.get(kind)) is not None:
            info = BINDERS[binder["binderInfo"]]
            return (kind, name(binder["name"]), sub(binder["type"]), sub(binder["body"]), info)
    if (number := item.get("sort")) is not None:
        return (SORT, level(number))
    return _rarer(item, sub, name)


def _rarer(
    item: Mapping[str, Any], sub: Callable[[Any], int], name: Callable[[Any], Name]
) -> Expression:
    if (let := item.get(LET)) is not None:
        parts = (sub(let["type"]), sub(let["value"]), sub(let["body"]))
        return (LET, name(let["name"]), *parts, _bool(let["nondep"]))
    if (proj := item.get(PROJ)) is not None:
        return (PROJ, name(proj["typeName"]), _natural(proj["idx"]), sub(proj["struct"]))
    if (digits := item.get(LIT_NAT)) is not None:
        if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_DIGITS:
            raise Malformed(f"not a number: {digits[:50]!r}")
        return (LIT_NAT, digits)
    if not isinstance(item[LIT_STR], str):
        raise Malformed("a string literal that is none")
    return (LIT_STR, item[LIT_STR])


def _small(number: Any) -> bool:
    return type(number) is int and 0 <= number < MAX_SMALL


def _natural(number: Any) -> int:
    if not _small(number):
        raise Malformed(f"not a small number: {number}")
    return int(number)


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Malformed(f"neither true nor false: {value}")
    return value


class _Declarations:
    """Reads declarations.

    Args:
        name: The name with a number. sub: Checks the number of an expression.
    """

    def __init__(self, name: Callable[[Any], Name], sub: Callable[[Any], int]) -> None:
        self._name, self._sub = name, sub

    def _names(self, numbers: Sequence[Any]) -> tuple[Name, ...]:
        return tuple(self._name(n) for n in numbers)

    def _constant(self, item: Mapping[str, Any]) -> tuple[Name, tuple[Name, ...], int]:
        if item.get("isUnsafe"):
            raise Malformed("an unsafe declaration")
        name, levels = self._name(item["name"]), self._names(item["levelParams"])
        if not name:
            raise Malformed("a declaration without a name")
        return name, levels, self._sub(item["type"])

    def read(self, kind: str, item: Any) -> Declaration:
        if kind == "inductive":
            return Inductive(
                tuple(self._type(t) for t in item["types"]),
                tuple(self._constructor(c) for c in item["ctors"]),
                tuple(self._recursor(r) for r in item["recs"]),
            )
        head = self._constant(item)
        if kind == "axiom":
            return Axiom(*head)
        if kind == "quot":
            return Quotient(*head, str(item["kind"]))
        value, others = self._sub(item["value"]), self._names(item["all"])
        if kind == "thm":
            return Theorem(*head, value, others)
        if kind == "opaque":
            return Opaque(*head, value, others)
        if kind != "def" or item["safety"] != "safe":
            raise Malformed(f"a declaration of kind {kind}, {item.get('safety')}")
        return Definition(*head, value, self._height(item["hints"]), others)

    def _height(self, hints: Any) -> int | Literal["opaque", "abbrev"]:
        if hints == "opaque":
            return "opaque"
        return "abbrev" if hints == "abbrev" else _natural(hints["regular"])

    def _type(self, item: Mapping[str, Any]) -> InductiveType:
        return InductiveType(
            *self._constant(item),
            parameters=_natural(item["numParams"]),
            indices=_natural(item["numIndices"]),
            all=self._names(item["all"]),
            constructors=self._names(item["ctors"]),
            nested=_natural(item["numNested"]),
            recursive=_bool(item["isRec"]),
            reflexive=_bool(item["isReflexive"]),
        )

    def _constructor(self, item: Mapping[str, Any]) -> Constructor:
        return Constructor(
            *self._constant(item),
            inductive=self._name(item["induct"]),
            index=_natural(item["cidx"]),
            parameters=_natural(item["numParams"]),
            fields=_natural(item["numFields"]),
        )

    def _recursor(self, item: Mapping[str, Any]) -> Recursor:
        return Recursor(
            *self._constant(item),
            all=self._names(item["all"]),
            parameters=_natural(item["numParams"]),
            indices=_natural(item["numIndices"]),
            motives=_natural(item["numMotives"]),
            minors=_natural(item["numMinors"]),
            rules=tuple(
                Rule(self._name(r["ctor"]), _natural(r["nfields"]), self._sub(r["rhs"]))
                for r in item["rules"]
            ),
            k=_bool(item["k"]),
        )


def read_declaration(
    item: Mapping[str, Any], name: Callable[[Any], Name], sub: Callable[[Any], int]
) -> Declaration:
    """A declaration from its line."""
    if len(item) != 1:
        raise Malformed(f"not one declaration: {str(item)[:200]}")
    ((kind, body),) = item.items()
    return _Declarations(name, sub).read(kind, body)
