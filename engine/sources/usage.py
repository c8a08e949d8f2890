"""How the declarations of a local module use constants: evidence for the edges of T_M.

Lean's terms say how often, its syntax trees say by which tactic, and Lean itself says whether a
proof still works without a constant: the proof is elaborated again, in its place, with the constant
taken out of the arguments of ``simp``, ``rw``, ``grind`` and their like, or out of the default simp
set where the proof does not name it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.model import MethodNode
from engine.sources.use_cache import UseCache
from engine.trees.evidence import SPLITTING, Evidence, Shares, merged
from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.toolchain.embedded.process import SessionLost
from verifier.usage import CommandUsage, DeclarationUsage, Mention, ModuleUsage

Uses = Mapping[str, Evidence]
"""Evidence for each constant that a declaration uses."""

ELIMINATORS = ("rec", "recOn", "casesOn", "brecOn", "binductionOn")
ATTEMPT_SECONDS = 5.0
LEAST_SECONDS = 0.05
ROOT = "_root_."


@dataclass(frozen=True)
class Naming:
    """Which constants are method nodes, and which of them are theorems.

    Attributes:
        owners: For each constant the declaration that it stands for: itself, or its type in the
            case of a constructor.
        theorems: Those of the declarations that are theorems.
    """

    owners: Mapping[str, str]
    theorems: Collection[str] = ()

    def owner(self, constant: str) -> str:
        """What a constant stands for: ``Seq`` for ``Seq.rec``, ``append`` for ``append.eq_1``.

        A constant that Lean made belongs to the nearest declaration that its name begins with; a
        constant of somewhere else stands for itself.
        """
        name = constant
        while name:
            if name in self.owners:
                return self.owners[name]
            name = name.rpartition(".")[0]
        return constant


def module_uses(
    session: Session,
    environment: Environment,
    naming: Naming,
    seconds: float = 0.0,
    cache: UseCache | None = None,
) -> dict[str, Uses]:
    """What the declarations of a module use, those that are nodes, by their full names.

    Args:
        session: Elaborates the module once more, and parts of it again for what it survives.
        environment: Of the module; its last link is the module itself.
        naming: Which constants are nodes. Evidence for a constructor counts for its type.
        seconds: Wall-clock time for trying proofs without a constant; what does not fit in stays
            untried.
        cache: Where an unchanged module is looked up, and a new one written.

    Raises:
        SessionLost: The module itself could not be elaborated.
    """
    assert environment.parent is not None
    key = f"{session.toolchain} {environment.key} {seconds:g}"
    if cache is not None and (known := cache.get(key)) is not None:
        return known
    with session.usage(environment.parent, environment.text, environment.start) as usage:
        reader = _Reader(session, usage, environment.text.encode(), naming)
        found = reader.read(seconds)
    if cache is not None:
        cache.put(key, found)
    return found


def proof_uses(session: Session, statement: Statement, proof: str, naming: Naming) -> Uses:
    """What a proof of a statement uses; nothing where it does not elaborate.

    Args:
        session: Elaborates it.
        statement: The statement in its place.
        proof: Lean text after ``:=``.
        naming: Which constants are nodes.
    """
    theorem = f"theorem {statement.name} {statement.signature.strip()} := {proof}\n"
    text = f"{statement.context}\n{theorem}"
    with session.usage(statement.environment, text) as usage:
        if usage.failed or not usage.commands:
            return {}
        last = usage.commands[-1]
        return _uses(last, last.declarations[0], naming, is_theorem=True)


def node_shares(nodes: Iterable[MethodNode], naming: Naming) -> Shares:
    """How common each declaration is among the statements and premises of some nodes."""
    mentions: Counter[str] = Counter()
    number = 0
    for node in nodes:
        number += 1
        mentions.update({naming.owner(c) for c in (*node.symbols, *node.premises)})
    return Shares(mentions, number)


@dataclass
class _Reader:
    """The commands of an elaborated module, with the means to elaborate them differently."""

    session: Session
    usage: ModuleUsage
    text: bytes
    naming: Naming

    def read(self, seconds: float) -> dict[str, Uses]:
        found = {
            declaration.name: _uses(
                command,
                declaration,
                self.naming,
                is_theorem=declaration.name in self.naming.theorems,
            )
            for command in self.usage.commands
            for declaration in command.declarations
            if self.naming.owners.get(declaration.name) == declaration.name
        }
        try:
            for name, constant, survives in self._survivals(found, time.monotonic() + seconds):
                use = found[name][constant]._replace(survives=survives)
                found[name] = {**found[name], constant: use}
        except SessionLost:
            pass  # a proof that hangs without a constant: what is not tried yet stays untried
        return found

    def _survivals(
        self, found: Mapping[str, Uses], deadline: float
    ) -> Iterator[tuple[str, str, bool]]:
        for number, command in enumerate(self.usage.commands):
            name = command.declarations[0].name
            if name not in self.naming.theorems:
                continue
            named = _resolved(command, self.naming)
            for constant in sorted(set(found[name]) & set(self.naming.owners.values())):
                left = deadline - time.monotonic()
                if left < LEAST_SECONDS:
                    return
                mentions = [m for m in command.mentions if named.get(m.text) == constant]
                survives = self._survives(number, constant, mentions, min(left, ATTEMPT_SECONDS))
                if survives is not None:
                    yield name, constant, survives

    def _survives(
        self, number: int, constant: str, named: Collection[Mention], seconds: float
    ) -> bool | None:
        """Whether the proof of a command works without a constant; ``None`` if nobody can say.

        Args:
            number: Of the command.
            constant: What is taken out.
            named: Where the proof names it.
            seconds: Wall-clock limit of an attempt.
        """
        command = self.usage.commands[number]
        text = _without(command, named, self.text)
        is_lemma = constant in self.naming.theorems
        if text is None or not (named or is_lemma):
            return None
        if named:
            attempt = self.session.attempt(self.usage, number, text, seconds)
            if attempt is None:
                return None
            if not attempt.accepted:
                return False
            if not is_lemma or not self._uses(attempt.premises, constant):
                return True
        scope = f"attribute [-simp] {ROOT}{constant}\n"
        attempt = self.session.attempt(self.usage, number, text, seconds, scope)
        if attempt is None or (attempt.accepted and self._uses(attempt.premises, constant)):
            return None
        return attempt.accepted

    def _uses(self, premises: Iterable[str], constant: str) -> bool:
        return any(self.naming.owner(premise) == constant for premise in premises)


def _uses(
    command: CommandUsage, declaration: DeclarationUsage, naming: Naming, *, is_theorem: bool
) -> Uses:
    """Counts and tactics for what a declaration uses, itself left out.

    The term of a definition is an encoding (a recursion goes through an eliminator, a match through
    another one), so a body counts what its author wrote.
    """
    stated, proved = dict(declaration.statement), dict(declaration.value)
    tactics = _tactics(command, naming) if is_theorem else {}
    parts: dict[str, list[Evidence]] = {}
    for constant in sorted({*stated, *proved}):
        owner = naming.owner(constant)
        use = Evidence(
            stated.get(constant, 0),
            proved.get(constant, 0),
            tuple(sorted(tactics.get(owner, ()))),
            definition=not is_theorem,
        )
        parts.setdefault(owner, []).append(use)
    parts.pop(declaration.name, None)
    found = {owner: merged(uses) for owner, uses in parts.items()}
    return found if is_theorem else _as_written(command, found, naming)


def _as_written(command: CommandUsage, uses: Uses, naming: Naming) -> Uses:
    """The uses of a definition, each as often as the body names it; once, where a notation does."""
    named = _resolved(command, naming)
    written = Counter(named[m.text] for m in command.mentions if m.text in named)
    return {
        owner: use._replace(in_proof=max(1, written[owner])) if use.in_proof else use
        for owner, use in uses.items()
    }


def _tactics(command: CommandUsage, naming: Naming) -> dict[str, set[str]]:
    """The tactics under which a command names each declaration."""
    found: dict[str, set[str]] = {}
    named = _resolved(command, naming)
    for mention in command.mentions:
        if mention.text in named:
            found.setdefault(named[mention.text], set()).add(mention.tactic)
    taken_apart = _eliminated(command, naming)
    if len(taken_apart) == 1:  # of two types nobody knows which tactic was for which
        splitting = {m.tactic for m in command.mentions} & SPLITTING
        found.setdefault(taken_apart.pop(), set()).update(splitting)
    return found


def _eliminated(command: CommandUsage, naming: Naming) -> set[str]:
    """The types by whose eliminators the terms of a command go."""
    return {
        naming.owner(constant)
        for declaration in command.declarations
        for constant, _ in declaration.value
        if constant.rpartition(".")[2] in ELIMINATORS
    }


def _resolved(command: CommandUsage, naming: Naming) -> dict[str, str]:
    """The declarations that identifiers name, among those that the command really uses.

    Identifiers are written short (inside a namespace), and long (``append_nil.symm``). Of several
    that fit, the one with the shortest name is meant.
    """
    used = {c for d in command.declarations for c, _ in (*d.statement, *d.value)}
    known = {*used, *(naming.owner(c) for c in used), *(c.rpartition(".")[0] for c in used)}
    endings: dict[str, list[str]] = {}
    for constant in known - {d.name for d in command.declarations}:
        parts = constant.split(".")
        for at in range(len(parts)):
            endings.setdefault(".".join(parts[at:]), []).append(constant)
    found = {}
    for text in {m.text for m in command.mentions}:
        parts = text.removeprefix(ROOT).split(".")
        stems = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        fitting = next((endings[stem] for stem in stems if stem in endings), None)
        if fitting is not None:
            found[text] = naming.owner(min(fitting, key=lambda c: (len(c), c)))
    return found


def _without(command: CommandUsage, named: Collection[Mention], text: bytes) -> str | None:
    """A command without some arguments; ``None`` where one of them is more than an argument."""
    start, end = command.span
    if any(mention.place is None for mention in named):
        return None
    dropped = {mention.place for mention in named}
    changes = []
    for number, items in enumerate(command.lists):
        kept = [span for item, span in enumerate(items) if (number, item) not in dropped]
        if len(kept) < len(items):
            replacement = b", ".join(text[a:b] for a, b in kept)
            changes.append((items[0][0], items[-1][1], replacement))
    for first, last, replacement in sorted(changes, reverse=True):
        text = text[:first] + replacement + text[last:]
        end += len(replacement) - (last - first)
    return text[start:end].decode()
