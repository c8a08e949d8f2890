"""Tokens of a text: a Lean statement or goal as somebody typed it, or words.

This reads Lean only well enough to tell which statements look alike. It never fails: of text that
is no Lean it makes what it can. Nothing that is true or false depends on it. What is known in
elaborated form is read by :mod:`engine.retrieval.features`, with the same vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from engine.model import MethodNode, NodeKind
from engine.retrieval.notation import (
    CLASSES,
    PRECEDENCE,
    RELATIONS,
    RIGHT_ASSOCIATIVE,
    VARIABLE,
    Seen,
    applied,
    number,
    placed,
    spelled,
    symbol_of,
    symbol_tokens,
)

_TOKEN: Final = re.compile(
    r"(?<=[)\]⟩])\.[^\W\d][\w'!?✝]*"  # field of a bracketed term
    r"|«[^»]*»"  # quoted name
    r"|[^\W\d][\w'!?✝]*(?:\.[^\W\d][\w'!?✝]*)*\.?"  # name, perhaps qualified
    r"|\d+"
    r"|\](?:[?!](?!=))?"  # end of a list or of an index
    r"|[()\[{}⟨⟩⦃⦄,]"
    r"|:=|[^\s\w()\[\]{}⟨⟩⦃⦄«»,]+"  # operator
)
_NAME: Final = re.compile(r"[^\W\d]|«")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")
_HYPOTHESIS: Final = re.compile(r"(?m)^([^\s:⊢][^:⊢\n]*? : .*(?:\n[ \t]+.*)*)$")
_CASE: Final = re.compile(r"(?m)^case\b.*$")
_SORT: Final = re.compile(
    r"\b(Type|Sort|Prop)\b(?:[ ]+(?:[uvw]\w*|_|\*|\d+|\((?:max|imax) [^)]*\)))?"
)
_TURNSTILE: Final = re.compile(r"⊢|\|-")
_INDEX: Final = "[ "  # a bracket that directly follows a term; no token is spelled like this
_CLOSER: Final = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄", _INDEX: "]"}
_CLOSERS: Final = frozenset({*_CLOSER.values(), "]?", "]!"})
_BINDERS: Final = frozenset({"∀", "∃", "λ", "fun", "forall", "exists", "Σ", "∃!"})
_SEPARATORS: Final = frozenset({":", ",", ":=", "=>", "↦", ".", ";"})
_SORTS: Final = Seen("Type", "Type")
_SILENT: Final = frozenset({"↑", "⇑", "@", "⋯", "Type"})  # nothing that a statement is known by
_CONDITIONAL: Final = {"if": symbol_tokens("ite"), "then": (), "else": ()}
_BOUNDARIES: Final = _SEPARATORS | {"→"}
_PREFIXES: Final = {"¬": 40}
_PREFIX: Final = 75  # how strongly other prefixes bind
_INFIX: Final = 60
_LONGEST: Final = 4_000  # tokens; a monster is compared by its beginning


class _Field(NamedTuple):
    """``receiver.symbol``, to which arguments may follow."""

    symbol: str
    receiver: Seen


Atom: TypeAlias = Seen | _Field | str
"""A term that was read, or the spelling of an operator, a separator or a binder."""


def item_tokens(item: MethodNode | str) -> list[str]:
    """All tokens of a node (statement, name, summary, module) or of a query's text.

    The statement of a node is known by its features where it was elaborated, else by its text. A
    definition counts as its own symbol, so that a term finds the functions that it applies.
    """
    if isinstance(item, str):
        return [*statement_tokens(item), *word_tokens(item)]
    words = word_tokens(f"{item.name or ''} {item.summary} {item.module}")
    if item.name and item.kind is NodeKind.DEFINITION:
        words += symbol_tokens(item.name)
    if item.features:
        return [*item.features, *words]
    symbols = [token for symbol in item.symbols for token in symbol_tokens(symbol)]
    return [*statement_tokens(item.statement), *symbols, *words]


def statement_tokens(statement: str) -> list[str]:
    """Symbols and subterm shapes of a statement or a goal, with repetition.

    Bound variables become ``_``, so that renaming changes nothing; the sides of a symmetric
    relation are sorted. ``append (append xs ys) zs = …`` has, among others, the shapes
    ``append(append,_)`` and ``append(_,_)``. See ``features.statement_features`` for the rest of
    the vocabulary.
    """
    tokens = _tokenised(_SORT.sub("Type", _as_binders(statement)))
    return _Reader(_bound_variables(tokens)).statement(tokens)


def word_tokens(text: str) -> list[str]:
    """Lower-case words, with names such as ``add_comm`` or ``addComm`` taken apart."""
    words = (word.lower() for word in _WORD.findall(text))
    return [f"word {word}" for word in words if len(word) > 1]


def _as_binders(text: str) -> str:
    """A goal as Lean prints it, with each hypothesis written as a binder."""
    context, turnstile, conclusion = _partition(text)
    if not turnstile:
        return text
    hypotheses = _HYPOTHESIS.sub(_bracketed, _CASE.sub("", context))
    return f"{hypotheses} : {conclusion}"


def _partition(text: str) -> tuple[str, str, str]:
    found = _TURNSTILE.search(text)
    if found is None:
        return text, "", ""
    return text[: found.start()], found.group(), text[found.end() :]


def _bracketed(match: re.Match[str]) -> str:
    return f"({match.group(1)})"


def _tokenised(text: str) -> list[str]:
    """Tokens, with one of its own for a bracket that directly follows a term."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        start = match.start()
        follows = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_'!?)]")
        found.append(_INDEX if token == "[" and follows else token)
        if len(found) >= _LONGEST:
            break
    return found


def _bound_variables(tokens: Sequence[str]) -> frozenset[str]:
    """The names that a binder introduces: ``(x y : T)``, ``∀ x y, …``, ``fun x => …``."""
    found: set[str] = set()
    for place, token in enumerate(tokens):
        if token in _BINDERS or token in _CLOSER:
            names = _names_after(tokens, place)
            end = place + 1 + len(names)
            typed = end < len(tokens) and tokens[end] == ":"
            if typed or token in _BINDERS:
                found.update(names)
    return frozenset(found)


def _names_after(tokens: Sequence[str], place: int) -> list[str]:
    names = []
    for token in tokens[place + 1 :]:
        if not _NAME.match(token) or token in _BINDERS:
            break
        names.append(token)
    return names


@dataclass
class _Group:
    """What stands between two brackets, as far as it was read.

    Attributes:
        start: How many tokens there were when it began.
        marks: How many there were at each of its separators.
    """

    opener: str
    start: int
    atoms: list[Atom] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)


class _Reader:
    """Reads the tokens of one statement.

    Args:
        variables: Names that are bound anywhere in it.
    """

    def __init__(self, variables: frozenset[str]) -> None:
        self._variables = variables
        self._tokens: list[str] = []
        self._roles: list[str] = []

    def statement(self, tokens: Iterable[str]) -> list[str]:
        """All tokens of the statement."""
        groups = [_Group("", 0)]
        for token in tokens:
            if token in _CLOSER:
                groups.append(_Group(token, len(self._tokens)))
            elif token in _CLOSERS:
                if len(groups) > 1:
                    self._close(groups.pop(), groups[-1].atoms, token[1:])
            else:
                self._add(token, groups[-1])
        while len(groups) > 1:
            self._close(groups.pop(), groups[-1].atoms)
        self._conclusion(groups[0])
        return [*self._tokens, *self._roles]

    def _add(self, token: str, group: _Group) -> None:
        atoms = group.atoms
        if token[0] == "." and len(token) > 1 and _NAME.match(token[1:]):
            if atoms and not isinstance(term := atoms[-1], str):
                atoms[-1] = _Field(token[1:], self._settled(term))
        elif token in _SILENT:
            atoms += [_SORTS] * (token == "Type")
        elif token in _CONDITIONAL:
            self._tokens += _CONDITIONAL[token]
            if token != "if":
                self._boundary(",", group)
        elif token.isdecimal():
            atoms.append(number(token))
        elif _NAME.match(token) and token not in _BINDERS:
            atoms.append(self._name(token))
        else:
            self._boundary(spelled(token), group)

    def _boundary(self, operator: str, group: _Group) -> None:
        if operator in _BOUNDARIES:
            group.marks.append(len(self._tokens))
        group.atoms.append(operator)

    def _name(self, name: str) -> Seen | _Field:
        """A variable, a field of a variable, or a constant."""
        variable, _, fields = name.partition(".")
        if variable in self._variables:
            found: Seen | _Field = VARIABLE
            for part in filter(None, fields.split(".")):
                found = _Field(part, self._settled(found))
            return found
        self._tokens += symbol_tokens(name)
        symbol = symbol_of(name)
        return Seen(symbol, symbol)

    def _settled(self, term: Seen | _Field) -> Seen:
        """The term, to which no arguments follow."""
        return term if isinstance(term, Seen) else self._applied(term.symbol, [term.receiver])

    def _applied(self, symbol: str, arguments: Sequence[Seen]) -> Seen:
        self._tokens += symbol_tokens(symbol)
        return applied(symbol, arguments, self._tokens)

    def _close(self, group: _Group, around: list[Atom], suffix: str = "") -> None:
        """Ends a bracket (an index with ``?`` or ``!``): adds it to what stands around it."""
        segments = _segments(group.atoms, _SEPARATORS)
        if group.opener == _INDEX:
            indexed = around.pop() if around else VARIABLE
            collection = VARIABLE if isinstance(indexed, str) else self._settled(indexed)
            around.append(self._applied(f"getElem{suffix}", [collection, self._term(segments[0])]))
        elif group.opener == "[" and not group.atoms:
            around.append(self._applied("nil", []))
        elif group.opener == "[" and not around and group.atoms:
            self._roles.append(f"class {self._last(segments).head}")
        elif ":" in group.atoms and all(atom == VARIABLE for atom in segments[0]):
            type_ = self._last(segments[1:])
            self._argument(group.opener, len(segments[0]), type_, self._tokens[group.start :])
        elif group.atoms:
            around.append(self._last(segments))

    def _argument(self, opener: str, count: int, type_: Seen, tokens: Sequence[str]) -> None:
        """The role of ``(x y : T)`` or ``(h : p)``, with the tokens of its type."""
        if opener == "[" or type_.head in CLASSES:
            self._roles.append(f"class {type_.head}")
        elif type_.head in RELATIONS:
            self._roles += placed("hypothesis", type_, tokens)
        elif type_ != _SORTS:
            self._roles += [f"argument {type_.head}"] * count

    def _conclusion(self, group: _Group) -> None:
        """The roles of what stands outside of brackets: premises before arrows, the conclusion."""
        atoms = group.atoms
        place = atoms.index("∃") if "∃" in atoms else len(atoms)
        starts = [0, *group.marks]
        first = sum(atom in _BOUNDARIES for atom in atoms[:place] if isinstance(atom, str))
        segments = _segments(atoms[:place], _BOUNDARIES)
        if place == len(atoms):
            self._premises(group, segments[:-1])
            seen = self._term(segments[-1])
        else:
            self._premises(group, segments)
            seen = self._last(_segments(atoms[place:], _SEPARATORS))
        if place < len(atoms) or segments[-1]:
            self._roles += placed("conclusion", seen, self._tokens[starts[first] :])

    def _premises(self, group: _Group, segments: Sequence[Sequence[Atom]]) -> None:
        separators = [a for a in group.atoms if isinstance(a, str) and a in _BOUNDARIES]
        starts = [0, *group.marks]
        quantified = 0
        for place, (segment, start, end) in enumerate(
            zip(segments, starts, group.marks, strict=False)
        ):
            seen = self._term(segment)
            if quantified and separators[place - 1] == ":":
                self._argument("", quantified, seen, self._tokens[start:end])
            elif seen.head in RELATIONS:
                self._roles += placed("hypothesis", seen, self._tokens[start:end])
            quantified = len(segment) - 1 if segment and segment[0] in ("∀", "forall") else 0

    def _last(self, segments: Sequence[Sequence[Atom]]) -> Seen:
        """What a bracket with separators stands for: the body of a binder, the last of a list."""
        first, *others = segments
        binder = first[0] if first and isinstance(first[0], str) else ""
        seen = self._term(first)
        for other in others:
            last = self._term(other)
            seen = last if binder in _BINDERS or seen == VARIABLE else seen
        if binder in ("fun", "λ"):
            return applied("λ", [seen], self._tokens)
        if binder in ("∃", "exists"):
            return self._applied("∃", [applied("λ", [seen], self._tokens)])
        return seen

    def _term(self, atoms: Sequence[Atom]) -> Seen:
        """A term without brackets: operators by their precedence, application before all."""
        terms: list[Seen] = []
        waiting: list[tuple[int, str, int]] = []  # precedence, operator, number of arguments
        place = 0
        while place < len(atoms):
            side = _leading_terms(atoms[place:])
            if side:
                terms.append(self._juxtaposed(side))
                place += len(side)
            else:
                first = place == 0 or isinstance(atoms[place - 1], str)
                self._operator(str(atoms[place]), first, terms, waiting)
                place += 1
        while waiting:
            self._reduce(terms, waiting)
        return terms[-1] if terms else VARIABLE

    def _operator(
        self, operator: str, first: bool, terms: list[Seen], waiting: list[tuple[int, str, int]]
    ) -> None:
        if operator in _BINDERS or operator in _BOUNDARIES - {"→"}:
            return
        if first:
            waiting.append((_PREFIXES.get(operator, _PREFIX), operator, 1))
            return
        strength = PRECEDENCE.get(operator, _INFIX)
        while waiting and waiting[-1][0] + (operator not in RIGHT_ASSOCIATIVE) > strength:
            self._reduce(terms, waiting)
        waiting.append((strength, operator, 2))

    def _reduce(self, terms: list[Seen], waiting: list[tuple[int, str, int]]) -> None:
        _, operator, count = waiting.pop()
        arguments = terms[-count:]
        del terms[-count:]
        if operator == "→":
            terms.append(applied(operator, arguments, self._tokens))
        else:
            terms.append(self._applied(operator, arguments))

    def _juxtaposed(self, terms: Sequence[Seen | _Field]) -> Seen:
        head, *others = terms
        arguments = [self._settled(other) for other in others]
        if isinstance(head, _Field):
            return self._applied(head.symbol, [head.receiver, *arguments])
        if not arguments or head in (VARIABLE, _SORTS):
            return head
        return applied(head.head, arguments, self._tokens)


def _leading_terms(atoms: Sequence[Atom]) -> list[Seen | _Field]:
    found: list[Seen | _Field] = []
    for atom in atoms:
        if isinstance(atom, str):
            break
        found.append(atom)
    return found


def _segments(atoms: Sequence[Atom], separators: frozenset[str]) -> list[list[Atom]]:
    """The atoms between separators: one segment more than there are separators."""
    segments: list[list[Atom]] = [[]]
    for atom in atoms:
        if isinstance(atom, str) and atom in separators:
            segments.append([])
        else:
            segments[-1].append(atom)
    return segments
