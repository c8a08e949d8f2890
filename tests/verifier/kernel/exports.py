"""Exports written by hand: what an honest session would never send."""

from __future__ import annotations

import json
from typing import Any


class ExportText:
    """Collects lines of an export; each method returns the number that it gave."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._names: dict[tuple[str | int, ...], int] = {(): 0}
        self._levels = 1
        self._expressions = 0

    @property
    def text(self) -> str:
        return "".join(json.dumps(line) + "\n" for line in self.lines)

    def name(self, dotted: str) -> int:
        pre = 0
        parts: tuple[str | int, ...] = ()
        for part in dotted.split("."):
            parts = (*parts, part)
            if parts not in self._names:
                self._names[parts] = len(self._names)
                number = self._names[parts]
                self.lines.append({"in": number, "str": {"pre": pre, "str": part}})
            pre = self._names[parts]
        return pre

    def level(self, **body: Any) -> int:
        self.lines.append({"il": self._levels, **body})
        self._levels += 1
        return self._levels - 1

    def expression(self, **body: Any) -> int:
        self.lines.append({"ie": self._expressions, **body})
        self._expressions += 1
        return self._expressions - 1

    def const(self, name: str, *levels: int) -> int:
        return self.expression(const={"name": self.name(name), "us": list(levels)})

    def app(self, function: int, *arguments: int) -> int:
        for argument in arguments:
            function = self.expression(app={"fn": function, "arg": argument})
        return function

    def binder(self, kind: str, type_: int, body: int) -> int:
        inside = {"name": self.name("x"), "type": type_, "body": body, "binderInfo": "default"}
        return self.expression(**{kind: inside})

    def number(self, digits: str) -> int:
        return self.expression(natVal=digits)

    def nat_equation(self, left: int, right: int) -> int:
        one = self.level(succ=0)
        return self.app(self.const("Eq", one), self.const("Nat"), left, right)

    def by_computation(self, of: int) -> int:
        one = self.level(succ=0)
        return self.app(self.const("Eq.refl", one), self.const("Nat"), of)

    def constant(self, kind: str, name: str, type_: int, **rest: Any) -> None:
        number = self.name(name)
        body = {"name": number, "levelParams": [], "type": type_, **rest}
        self.lines.append({kind: body})

    def theorem(self, name: str, type_: int, value: int) -> None:
        self.constant("thm", name, type_, value=value, all=[self.name(name)])

    def definition(self, name: str, type_: int, value: int) -> None:
        self.constant(
            "def",
            name,
            type_,
            value=value,
            hints="abbrev",
            safety="safe",
            all=[self.name(name)],
        )

    def axiom(self, name: str, type_: int) -> None:
        self.constant("axiom", name, type_, isUnsafe=False)

    def quotient(self, name: str, type_: int) -> None:
        body = {"name": self.name(name), "levelParams": [], "type": type_, "kind": "type"}
        self.lines.append({"quot": body})

    def enumeration(self, name: str, *constructors: str, recursor: dict[str, Any]) -> None:
        """A type with constructors that have no arguments, and a recursor as it is given."""
        type_ = self.expression(sort=self.level(succ=0))
        own = self.const(name)
        common = {"levelParams": [], "isUnsafe": False}
        numbers = [self.name(f"{name}.{c}") for c in constructors]
        types = {
            **common,
            "name": self.name(name),
            "type": type_,
            "numParams": 0,
            "numIndices": 0,
            "all": [self.name(name)],
            "ctors": numbers,
            "numNested": 0,
            "isRec": False,
            "isReflexive": False,
        }
        made = [
            {
                **common,
                "name": number,
                "type": own,
                "induct": self.name(name),
                "cidx": i,
                "numParams": 0,
                "numFields": 0,
            }
            for i, number in enumerate(numbers)
        ]
        self.lines.append({"inductive": {"types": [types], "ctors": made, "recs": [recursor]}})
