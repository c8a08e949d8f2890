"""Whether a lemma's text means what the store says of it; Lean is asked, nobody is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from engine.library.records import Adoption, full_name
from engine.library.render import lemma_commands
from engine.model import MethodNode
from engine.sources.lean_module import short_name
from verifier.audit import ALLOWED_AXIOMS, first_error
from verifier.errors import InputError
from verifier.lean import Declaration, Environment, Extension, Lean, Statement
from verifier.progress import Progress
from verifier.toolchain.embedded.process import SessionLost
from verifier.verdict import Outcome, Verdict
from verifier.verifier import Verifier

PROOF_SECONDS = 20.0
SECOND_CHANCE = 60.0


@dataclass(frozen=True)
class Trial:
    """A lemma that was proved again.

    Attributes:
        node: As the store had it. text: Its Lean text.
        fault: Why it does not hold, or an empty string.
        undetermined: Nothing is known of it: Lean gave up, or it rests on such a lemma.
        verdict: What the verifier said, if it was asked.
        type: The statement's type, for comparison with others.
    """

    node: MethodNode
    text: str
    fault: str = ""
    verdict: Verdict | None = None
    type: Any = field(default=None, compare=False)
    undetermined: bool = False

    @property
    def holds(self) -> bool:
        """Whether it is proved."""
        return not self.fault


def statement_of(node: MethodNode, adoption: Adoption, environment: Environment) -> Statement:
    """The statement of a lemma's node in its place."""
    name = short_name(node.name or "", adoption.namespace)
    return Statement(environment, name, node.statement, adoption.context)


def elaborate(
    environment: Environment, adoption: Adoption, node: MethodNode, text: str, lean: Lean
) -> tuple[str, Extension]:
    """Elaborates a lemma's text as it stands in its module.

    Returns:
        What is wrong with it, or an empty string; and the environment with the lemma.

    Raises:
        SessionLost: Lean hung or died.
    """
    commands = lemma_commands(adoption.context, adoption.namespace, text)
    extension = lean.extend(environment, commands)
    if error := first_error(extension.messages):
        return error.text, extension
    if extension.refused:
        return f"the kernel refuses {'; '.join(extension.refused)}", extension
    names = [d.name for d in extension.declarations]
    described = lean.declarations(extension.environment, names)
    surplus = [d.name for d in described if d and d.name != node.name and not is_auxiliary(d)]
    if surplus:
        return f"it also declares {', '.join(surplus)}", extension
    found = next((d for d in described if d and d.name == node.name), None)
    wanted = lean.state(statement_of(node, adoption, environment)).type
    return declaration_fault(found, wanted), extension


def declaration_fault(found: Declaration | None, wanted: Any) -> str:
    """Why a declaration is not the sound theorem of the wanted type, or an empty string."""
    if fault := soundness_fault(found):
        return fault
    assert found is not None
    if found.type is None or anonymous(found.type) != anonymous(wanted):
        return "its type is not that of its statement"
    return ""


def soundness_fault(found: Declaration | None) -> str:
    """Why a declaration is not a theorem on allowed axioms, or an empty string."""
    if found is None or found.kind != "theorem":
        return f"it is no theorem but {found.kind if found else 'nothing'}"
    if others := set(found.axioms) - ALLOWED_AXIOMS:
        return f"it rests on {', '.join(sorted(others))}"
    return f"it rests on unsafe {', '.join(found.unsafe)}" if found.unsafe else ""


def prove_again(
    environment: Environment,
    adoption: Adoption,
    lemmas: list[tuple[MethodNode, str]],
    verifier: Verifier,
    progress: Progress,
    doubtful: set[str] | None = None,
) -> Iterator[tuple[Trial, Environment]]:
    """Proves lemmas again, one upon the other; what fails is not built upon.

    Args:
        environment: Where the first one stands.
        adoption: Of the theory that they are about.
        lemmas: Nodes with their texts, in order.
        verifier: Proves them.
        progress: Watches.
        doubtful: Names of undetermined lemmas; those that are found are added. What fails and
            rests on one of them is undetermined as well.

    Yields:
        Each trial with the environment after it.
    """
    doubtful = set() if doubtful is None else doubtful
    for node, text in lemmas:
        trial, environment = prove_one_again(environment, adoption, node, text, verifier)
        if not trial.holds and doubtful.intersection(node.premises):
            known = ", ".join(sorted(doubtful.intersection(node.premises)))
            trial = replace(trial, fault=f"it rests on {known}: undetermined", undetermined=True)
        if trial.undetermined:
            doubtful.add(node.name or node.id)
        progress.advance(1)
        yield trial, environment


def prove_one_again(
    environment: Environment, adoption: Adoption, node: MethodNode, text: str, verifier: Verifier
) -> tuple[Trial, Environment]:
    """Proves a lemma again where it stands; with the environment after it, if it holds."""
    statement = statement_of(node, adoption, environment)
    if full_name(statement.name, adoption.namespace) != node.name:
        return Trial(node, text, f"its name is not in {adoption.namespace}"), environment
    if node.proof is None:
        return Trial(node, text, "its proof is unknown"), environment
    verdict = verifier.check(statement, node.proof, PROOF_SECONDS)
    if verdict.outcome is Outcome.UNDETERMINED:
        verdict = verifier.check(statement, node.proof, SECOND_CHANCE)
    if not verdict.verified:
        fault = f"{verdict.reason}: {verdict.message}".strip(": ")
        unknown = verdict.outcome is Outcome.UNDETERMINED
        return Trial(node, text, fault, verdict, undetermined=unknown), environment
    try:
        fault, extension = elaborate(environment, adoption, node, text, verifier.lean)
        type_ = verifier.lean.state(statement).type
    except SessionLost as lost:
        return Trial(node, text, lost.message, verdict, undetermined=True), environment
    except InputError as error:
        return Trial(node, text, error.message, verdict), environment
    trial = Trial(node, text, fault, verdict, type_)
    return trial, environment if fault else extension.environment


def anonymous(expression: Any) -> tuple[str, ...]:
    """A type without the names of its bound variables and universes: equal up to renaming."""
    tokens: list[str] = []
    universes: dict[str, str] = {}
    pending = [expression]
    while pending:  # not recursive: types can be deeper than Python's stack
        match pending.pop():
            case ["u", str(name)]:
                tokens += ("u", universes.setdefault(name, str(len(universes))))
            case ["p" | "l" | "let" as kind, str(), *parts]:
                tokens.append(kind)
                pending += reversed(parts)
            case [*parts]:
                tokens.append(f"({len(parts)}")
                pending += reversed(parts)
            case leaf:
                tokens.append(str(leaf))
    return tuple(tokens)


def is_auxiliary(declaration: Declaration) -> bool:
    """Whether Lean made a declaration by itself, for another one."""
    made = declaration.internal or declaration.reserved
    return made and declaration.kind in ("definition", "theorem") and declaration.safety == "safe"
