"""Made-up libraries: modules of theorems about a few functions, as rows of a knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.knowledge.declarations import Declarations, Row
from engine.model import Label, MethodNode, NodeKind
from engine.settings import AbstractionSettings, Settings
from engine.trees.evidence import Evidence
from engine.trees.statement import statement_key
from verifier.reading.files import ModuleFile

FUNCTIONS = ("append", "reverse", "length", "map", "filter", "sum")

Write = Callable[..., None]


def constant(module: str, name: str) -> Row:
    """A definition."""
    node = MethodNode(
        id=f"{module}:{name}", kind=NodeKind.DEFINITION, name=name, statement=": T",
        label=Label.ASSUMED, module=module, lean_kind="definition", features=(f"symbol {name}",),
    )  # fmt: skip
    return Row(node, {})


def theorem(module: str, name: str, *functions: str, universes: int = 0) -> Row:
    """A theorem that f (g (… x)) is x."""
    term: list[object] = ["v", 0]
    for function in reversed(functions):
        term = ["a", ["c", function], term]
    type_ = ["p", "x", ["c", "T"], ["a", ["a", ["a", ["c", "Eq"], ["c", "T"]], term], ["v", 0]], 0]
    node = MethodNode(
        id=f"{module}:{name}", kind=NodeKind.THEOREM, name=name,
        statement=f"(x : T) : {' ('.join(functions)} x{')' * (len(functions) - 1)} = x",
        label=Label.ASSUMED, module=module, lean_kind="theorem", symbols=functions,
        universes=tuple(f"u{i}" for i in range(universes)),
        features=(*(f"symbol {f}" for f in functions), f"shape {'('.join(functions)}"),
        canonical=statement_key(type_),
    )  # fmt: skip
    return Row(node, {function: Evidence(functions.count(function)) for function in functions})


def library() -> dict[str, list[Row]]:
    """Modules of a library: the functions, and for each the theorems about it."""
    modules = {"Basic": [constant("Basic", function) for function in FUNCTIONS]}
    for f in FUNCTIONS:
        module = f"Laws.{f}"
        modules[module] = [theorem(module, f"{f}_{g}", f, g) for g in FUNCTIONS]
        modules[module] += [theorem(module, f"{f}_{g}_{g}", f, g, g) for g in FUNCTIONS]
    return modules


@pytest.fixture
def declarations(tmp_path: Path) -> Iterator[Declarations]:
    """An empty table."""
    with Declarations(tmp_path / "base" / "declarations.db") as opened:
        yield opened


@pytest.fixture
def write(declarations: Declarations) -> Write:
    """Writes a module with its rows."""

    def written(module: str, rows: list[Row], source: str = "lean") -> None:
        file = ModuleFile(module, Path(f"{module}.olean"), 1, 1)
        declarations.replace_module(source, file, f"digest of {module}", rows)

    return written


@pytest.fixture
def settings() -> Settings:
    """A tree with room for growth, so that a test decides when it is built anew."""
    return Settings(abstraction=AbstractionSettings(growth=0.5, drift=1.0))


@pytest.fixture
def make_theorem() -> Callable[..., Row]:
    """Makes a row for a theorem."""
    return theorem


@pytest.fixture
def make_constant() -> Callable[..., Row]:
    """Makes a row for a definition."""
    return constant


@pytest.fixture
def make_library() -> Callable[[], dict[str, list[Row]]]:
    """Makes all modules of a library."""
    return library
