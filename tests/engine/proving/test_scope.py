"""The scope of a theorem: commands of closed sections are left out."""

from __future__ import annotations

from engine.proving.problem import Document, Scope
from verifier.lean import Environment
from verifier.outline import Scoping

KIND = "Lean.Parser.Command."


def scope_of(*commands: str) -> list[str]:
    """The scope behind commands, each as it is written."""
    text = "\n".join(commands)
    scope = Scope(Document("f", text, Environment(("Init",))))
    at = 0
    for command in commands:
        word, _, name = command.partition(" ")
        count = max(1, len(name.split("."))) if name else 1
        span = (at, at + len(command.encode()))
        opens = count if word in ("namespace", "section") else 0
        closes = count if word == "end" else 0
        scope.enter(Scoping(kind=KIND + word, span=span, opens=opens, closes=closes))
        at = span[1] + 1
    return list(scope.commands)


def test_open_scopes_and_their_variables() -> None:
    assert scope_of("namespace A", "variable (n : Nat)") == ["namespace A", "variable (n : Nat)"]


def test_a_closed_section_takes_its_commands_with_it() -> None:
    assert scope_of("open Nat", "section", "variable (n : Nat)", "end") == ["open Nat"]


def test_a_name_of_two_parts_is_closed_in_one_go_or_in_two() -> None:
    assert scope_of("namespace A.B", "end A.B") == []
    assert scope_of("namespace A.B", "end B") == ["namespace A.B", "end B"]
    assert scope_of("namespace A.B", "end B", "end A") == []


def test_one_end_for_two_namespaces() -> None:
    assert scope_of("namespace A", "namespace B", "end A.B", "open Nat") == ["open Nat"]


def test_other_commands_are_no_scope() -> None:
    assert scope_of("theorem x", "moduleDoc") == []
