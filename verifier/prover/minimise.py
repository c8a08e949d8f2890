"""From the proof that a search found to one that names exactly what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from verifier.lean import Message, Statement
from verifier.prover.proof import Argument, Proof, Step, Written, mapped

UNUSED_ARGUMENT = "This simp argument is unused"  # Lean's linter of `simp` arguments
ARROWS = ("← ", "→ ")


def bare(argument: str) -> str:
    """The name in an argument, without an arrow before it."""
    return argument.removeprefix(ARROWS[0]).removeprefix(ARROWS[1])


def with_arguments(proof: Proof, keep: Callable[[str, str], bool]) -> Proof:
    """The proof with those arguments for which ``keep(tactic, name)`` holds."""

    def change(_leaf: int, _closer: int, _step: int, step: Step) -> Step:
        kept = tuple(a for a in step.arguments if keep(step.tactic, bare(a)))
        return replace(step, arguments=kept)

    return mapped(proof, change)


def is_premise(name: str, premises: Iterable[str]) -> bool:
    """Whether a proof term uses a constant or something made from it, such as an equation."""
    return any(p == name or p.startswith(f"{name}.") for p in premises)


def without_unused(
    proof: Proof, text: Written, messages: Iterable[Message], statement: Statement
) -> Proof:
    """The proof without the arguments of which Lean said that they are unused."""
    first = 1 + statement.signature.strip().count("\n")  # the line on which the proof begins
    if first == 1 and "\n" not in text.text:
        return proof  # behind the statement on one line: columns are not ours
    unused = {
        text.arguments[place]
        for message in messages
        if message.text.startswith(UNUSED_ARGUMENT)
        and (place := (message.line - first + 1, message.column)) in text.arguments
    }

    def change(leaf: int, closer: int, number: int, step: Step) -> Step:
        kept = tuple(a for a in step.arguments if Argument(leaf, closer, number, a) not in unused)
        return replace(step, arguments=kept)

    return mapped(proof, change)


def renaming(namespace: str, taken: Iterable[str]) -> Callable[[str], str]:
    """How names are said inside a namespace, where they are not hidden by a variable."""
    hidden = frozenset(taken)

    def said(name: str) -> str:
        arrow = next((a for a in ARROWS if name.startswith(a)), "")
        short = name.removeprefix(arrow).removeprefix(namespace)
        return name if short in hidden else arrow + short

    return said
