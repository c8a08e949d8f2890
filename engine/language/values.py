"""Values that the session's search has found, as Lean text.

A value whose constructor asks for a proof has it by ``decide``.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.language.explicit import quoted
from verifier.narrowing import Shown

PROOF = "(by decide)"
EXISTING = "(by infer_instance)"


class Writer:
    """Writes values as Lean text.

    Args:
        names: Shorter names of constructors, where the scope allows them.
    """

    def __init__(self, names: dict[str, str] | None = None) -> None:
        self._names = names or {}

    def text(self, value: Shown) -> str | None:
        """A value as an atom of Lean text, or ``None`` when it has none."""
        match value:
            case ["n", digits]:
                return str(digits)
            case ["t", text]:
                return quoted(text)
            case ["p"]:
                return PROOF
            case ["i"]:
                return EXISTING
            case ["and", *parts]:
                return self._joined([self.text(p) for p in parts], "⟨{}⟩", ", ")
            case ["s", name, *arguments]:
                return self._applied(name, arguments)
            case ["f", *shape]:
                return self._function(shape)
            case ["c", name, *fields]:
                return self._constructed(name, fields)
        return None

    def _constructed(self, name: str, fields: Sequence[Shown]) -> str | None:
        if name == "Nat.succ" and (number := _number(fields[0])) is not None:
            return str(number + 1)
        if name in ("Int.ofNat", "Int.negSucc") and (n := _number(fields[0])) is not None:
            return str(n) if name == "Int.ofNat" else f"(-{n + 1})"
        if name == "Prod.mk":
            return self._joined([self.text(f) for f in fields], "({})", ", ")
        if name in ("List.nil", "List.cons"):
            return self._list(fields)
        return self._applied(name, fields)

    def _list(self, fields: Sequence[Shown]) -> str | None:
        elements = []
        while fields:
            elements.append(self.text(fields[0]))
            fields = fields[1][2:]
        return self._joined(elements, "[{}]", ", ")

    def _applied(self, name: str, fields: Sequence[Shown]) -> str | None:
        shown = self._names.get(name, name)
        if not fields:
            return shown
        return self._joined([shown, *map(self.text, fields)], "({})", " ")

    def _joined(self, parts: Sequence[str | None], form: str, between: str) -> str | None:
        known = [p for p in parts if p is not None]
        return form.format(between.join(known)) if len(known) == len(parts) else None

    def _function(self, shape: Sequence[Shown]) -> str | None:
        match shape:
            case ["constant", value]:
                return self._joined([self.text(value)], "(fun _ => {})", "")
            case ["same"]:
                return "(fun x => x)"
            case ["successor"]:
                return "(fun x => x + 1)"
            case ["first", int(between)]:
                return f"(fun x {' '.join('_' * between)} => x)"
            case ["pair", name]:
                return f"(fun x y => {self._names.get(name, name)} x y)"
            case ["if", *values]:
                said = [self.text(v) for v in values]
                if None not in said:
                    return "(fun x => if x = {} then {} else {})".format(*said)
            case ["cases", name, *branches]:
                return self._cases(name, branches)
        return None

    def _cases(self, name: str, branches: Sequence[Sequence[Shown]]) -> str | None:
        said = []
        for fields, value in branches:
            text = self.text(value)
            if text is None:
                return None
            said.append(f"(fun {' '.join('_' * fields)} => {text})" if fields else text)
        return f"(fun x => {name}.casesOn x {' '.join(said)})"


def _number(value: Shown) -> int | None:
    """The natural number that a value is."""
    extra = 0
    while value[:2] == ["c", "Nat.succ"]:
        extra += 1
        value = value[2]
    if value[0] == "n":
        return int(value[1]) + extra
    return extra if value == ["c", "Nat.zero"] else None


def constants_of(value: Shown) -> set[str]:
    """Names of the constants that a value's text speaks of."""
    if not isinstance(value, list | tuple) or not value:
        return set()
    found = {c for part in value for c in constants_of(part)}
    if value[0] in ("c", "s"):
        found.add(value[1])
    if value[:2] == ["f", "pair"]:
        found.add(value[2])
    return found
