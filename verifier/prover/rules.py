"""The rules of a search: which definitions are unfolded, and how each lemma is used.

Tactics get them as attributes of an environment made for the search, and not as arguments: Lean
then prepares a rule once and not in each of the many calls. The finished proof names what it
needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.lean import Environment
from verifier.prover.hints import Direction, Hints, orientation
from verifier.prover.shape import Constants


@dataclass(frozen=True)
class Rules:
    """What the closers may use.

    Attributes:
        unfold: Definitions.
        rewrite: Lemmas that are safe to rewrite with from left to right.
        reverse: Lemmas that are safe from right to left only.
        permute: Commutativity and the like, which the simplifier can use in one order only.
        instantiate: Lemmas for a tactic that searches for instances.
    """

    unfold: tuple[str, ...] = ()
    rewrite: tuple[str, ...] = ()
    reverse: tuple[str, ...] = ()
    permute: tuple[str, ...] = ()
    instantiate: tuple[str, ...] = ()

    @property
    def simp(self) -> tuple[str, ...]:
        """Arguments of ``simp`` that say the same as the attributes."""
        reverse = (f"← {name}" for name in self.reverse)
        return (*self.unfold, *self.rewrite, *reverse, *self.permute)

    @property
    def grind(self) -> tuple[str, ...]:
        """Arguments of ``grind`` that say the same as the attributes."""
        instantiate = (f"→ {name}" for name in self.instantiate)
        return (*self.unfold, *self.rewrite, *self.reverse, *self.permute, *instantiate)

    @property
    def alone(self) -> Rules:
        """The definitions without the lemmas."""
        return Rules(self.unfold)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The names of all lemmas."""
        return (*self.rewrite, *self.reverse, *self.permute, *self.instantiate)


def rules_for(
    environment: Environment, definitions: Sequence[str], hints: Hints, constants: Constants
) -> Rules:
    """Sorts definitions and lemmas by their use; lemmas that are not there are left out."""
    known = constants.describe(environment, [lemma.name for lemma in hints.lemmas])
    groups: dict[Direction, list[str]] = {direction: [] for direction in Direction}
    for lemma in hints.lemmas:
        declaration = known.get(lemma.name)
        if declaration is None or declaration.type is None:
            continue
        automatic = lemma.direction is Direction.AUTOMATIC
        direction = orientation(declaration.type) if automatic else lemma.direction
        groups[direction].append(lemma.name)
    return Rules(
        tuple(definitions),
        tuple(groups[Direction.FORWARD]),
        tuple(groups[Direction.BACKWARD]),
        tuple(groups[Direction.PERMUTE]),
        tuple(groups[Direction.SEARCH]),
    )


def simp_set(rules: Rules) -> str:
    """Commands that make the rules known to ``simp``."""
    return _attributes(
        {
            "simp": (*rules.unfold, *rules.rewrite, *rules.permute),
            "simp ←": rules.reverse,
        }
    )


def grind_set(rules: Rules) -> str:
    """Commands that make the rules known to ``grind``; each alone, since Lean may refuse one."""
    return _attributes(
        {
            "grind =": (*rules.unfold, *rules.rewrite, *rules.reverse, *rules.permute),
            "grind →": rules.instantiate,
        },
        apart=True,
    )


def equations(definitions: Sequence[str], recursive: Sequence[str]) -> str:
    """Commands after which Lean has the equations and induction principles of functions.

    Lean derives them when they are first asked for, and forgets them with the environment: asked
    for right behind the theory they serve all that follows. The commands declare nothing else.

    Args:
        definitions: Full names of definitions.
        recursive: Those of them whose own induction principle is wanted.
    """
    simp = f"attribute [local simp] {' '.join(definitions)}\n" if definitions else ""
    induction = "".join(f"#check @{name}.induct\n" for name in recursive)
    return f"section\n{simp}{induction}end\n"


def _attributes(names: dict[str, tuple[str, ...]], apart: bool = False) -> str:
    lines = []
    for attribute, group in names.items():
        for together in [(name,) for name in group] if apart else [group] if group else []:
            lines.append(f"attribute [{attribute}] {' '.join(together)}\n")
    return "".join(lines)
