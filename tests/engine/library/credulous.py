"""A Lean that believes: fast, scripted, and good enough to test files, locks and databases.

A theorem is proved by ``by use a b``, which holds when ``a`` and ``b`` are words of the
environment, or by ``trivial``. Run as a program, this module writes lemmas until it is killed.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from engine.library.library import Library
from engine.library.render import Doc
from engine.model import Label, MethodNode, NodeKind
from engine.sources.lean_module import Theory
from verifier.lean import (
    Added,
    Declaration,
    DeclaredAt,
    Environment,
    Extension,
    Header,
    Message,
    ProofFacts,
    Statement,
    StatementFacts,
    ToolchainInfo,
)
from verifier.modules import Module, ModuleGraph
from verifier.verifier import Verifier

THEOREM = re.compile(r"^ *(theorem|axiom) (\S+) (.*?)(?: :=|$)(.*)", re.MULTILINE)
BASIC = "namespace T\ndef zero := 0\ndef add := 1\nend T\n"


class Credulous:
    """Implements the protocol of :class:`verifier.lean.Lean`."""

    toolchain = ToolchainInfo("credulous", "4.28.0-pre", "0000000")

    def header(self, text: str) -> Header:
        imports = re.findall(r"^import (\S+)\n", text, re.MULTILINE)
        start = len("".join(f"import {i}\n" for i in imports))
        return Header(imports=("Init", *imports), bodyStart=start, messages=())

    def extend(self, environment: Environment, text: str, start: int = 0) -> Extension:
        extended = environment.extended(text, start)
        known = words(environment)
        messages, declared = [], []
        for kind, name, _, proof in theorems(text):
            full = f"{namespace(text)}.{name}"
            if fault := missing(proof, known) if kind == "theorem" else "":
                messages.append(Message(severity="error", text=fault, line=1, column=0))
            else:
                declared.append(DeclaredAt(name=full, command="declaration", span=None))
            known |= {name, full}
        return Extension(extended, tuple(messages), tuple(declared))

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        found = {}
        for link in environment.chain():
            for kind, name, statement, _ in theorems(link.text):
                full = f"{namespace(link.text)}.{name}"
                found[full] = declaration(full, kind, statement)
        return tuple(found.get(name) for name in names)

    def state(self, statement: Statement) -> StatementFacts:
        return StatementFacts(
            fault=None, statement=1, kind="theorem", type=type_of(statement.signature)
        )

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        fault = missing(proof, words(statement.environment))
        messages = [Message(severity="error", text=fault, line=1, column=0)] if fault else []
        full = f"{namespace(statement.context)}.{statement.name}"
        added = Added(name=full, kind="theorem", safety="safe", internal=False, reserved=False)
        return ProofFacts(
            fault=None,
            messages=tuple(messages),
            name=full,
            added=(added,),
            present=True,
            kind="theorem",
            typeMatches=True,
            premises=tuple(u if "." in u else f"T.{u}" for u in uses(proof)),
            replay="accepted",
        )

    def messages(self, environment: Environment, context: str, text: str) -> tuple[Message, ...]:
        return ()

    def close(self) -> None:
        pass


def theorems(text: str) -> list[tuple[str, str, str, str]]:
    joined = re.sub(r"\n +(?! |axiom)", " ", text)
    return [m.groups() for m in THEOREM.finditer(joined)]  # type: ignore[misc]


def namespace(text: str) -> str:
    found = re.search(r"^namespace (\S+)$", text, re.MULTILINE)
    return found[1] if found else ""


def words(environment: Environment) -> set[str]:
    found = set()
    for link in environment.chain():
        for name in re.findall(r"^(?:def|theorem) (\S+)", link.text, re.MULTILINE):
            found |= {name, f"{namespace(link.text)}.{name}"}
    return found


def uses(proof: str) -> list[str]:
    return proof.split()[2:] if proof.split()[:2] == ["by", "use"] else []


def missing(proof: str, known: set[str]) -> str:
    unknown = [used for used in uses(proof) if used not in known]
    return f"unknown {', '.join(unknown)}" if unknown else ""


def type_of(statement: str) -> Any:
    return ["c", " ".join(statement.split()), []]


def declaration(name: str, kind: str, statement: str) -> Declaration:
    return Declaration.model_validate(
        {
            "name": name,
            "kind": kind,
            "safety": "safe",
            "internal": False,
            "reserved": False,
            "levelParams": (),
            "type": type_of(statement),
            "typeConstants": (),
            "valueConstants": (),
            "axioms": (),
            "unsafe": (),
        }
    )


def theory(text: str = BASIC, name: str = "Theories.Basic", *imports: Theory) -> Theory:
    """A theory as if it had been read, with imports in order."""
    below = {m.name: m for i in imports for m in i.graph.modules}
    names = tuple(i.name for i in imports)
    head = "".join(f"import {n}\n" for n in names)
    module = Module(name, head + text, ("Init", *names), len(head), Path("made-up.lean"))
    modules = (*below.values(), module)
    environment = Environment(("Init",))
    for each in modules:
        environment = environment.extended(each.text, each.body_start)
    graph = ModuleGraph(modules, ("Init",), Path())
    return Theory(graph, environment, namespace(text), (), ())


def write(
    library: Library,
    about: Theory,
    name: str,
    proof: str = "trivial",
    signature: str = "",
    **other: Any,
) -> Any:
    """Verifies and writes one lemma; ``other`` fields of its node replace the right ones."""
    lean, signature = Credulous(), signature or f": says {name}"
    environment = library.environment(about, lean)
    statement = Statement(environment, name, signature, about.context)
    verdict = Verifier(lean).check(statement, proof)
    assert verdict.verified, verdict
    node = MethodNode.model_validate(
        {
            **library.place(about, name),
            "kind": NodeKind.THEOREM,
            "statement": signature,
            "proof": proof,
            "label": Label.VERIFIED,
            "premises": verdict.premises,
            **{field.removeprefix("its_"): value for field, value in other.items()},
        }
    )
    doc = Doc(f"Says {name}.", "induction", ("zero",))
    return library.write(node, (), name=name, signature=signature, proof=proof, lean=lean, doc=doc)


def die_at_line(number: int) -> None:
    """Kills this process at the n-th executed line of the library and the store."""
    left = number

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        file = frame.f_code.co_filename
        if "/engine/library/" not in file and "/engine/store/" not in file:
            return None
        left -= event == "line"
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def main(folder: str, lines: int) -> None:
    about = theory()
    die_at_line(lines)
    with Library.open(folder) as library:
        library.adopt(about, Verifier(Credulous()))
        taken = library.taken(about, Credulous())
        for number in range(1000):
            if not taken(f"t{number}"):
                write(library, about, f"t{number}", signature=": True")
                print(f"T.t{number}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
