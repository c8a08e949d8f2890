"""Proofs under construction, as trees: how they are written, and how they get smaller.

A leaf tries several closers in turn and traces which one closed the goal, so that one elaboration
tries them all and says which were needed. :func:`settled` keeps those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

MARK = "closed by "
WIDTH = 92
MANY = 1_000_000
_POINT = "\ue000"  # stands before each argument until positions are known
_BREAK = "\ue001"  # a space where a long line may be broken


@dataclass(frozen=True)
class Step:
    """One tactic: ``simp [append, ih]``.

    Attributes:
        arguments: As the finished proof has them.
        searched: As a search has them, where most rules are attributes of the environment.
        bound: Options that bound a search.
    """

    tactic: str
    arguments: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    bound: str = ""

    @property
    def search(self) -> str:
        """The tactic in a search."""
        arguments = f" [{', '.join(self.searched)}]" if self.searched else ""
        return f"{self.tactic}{self.bound}{arguments}"

    @property
    def draft(self) -> str:
        """The tactic in the finished proof, with the private marks."""
        arguments = f",{_BREAK}".join(f"{_POINT}{a}" for a in self.arguments)
        return self.tactic + (f" [{arguments}]" if arguments else "")


@dataclass(frozen=True)
class Closer:
    """Tactics that close a goal together, each on all goals that the one before leaves."""

    steps: tuple[Step, ...]

    @property
    def search(self) -> str:
        """The tactics in a search."""
        return " <;> ".join(step.search for step in self.steps)

    @property
    def draft(self) -> str:
        """The tactics in the finished proof, with the private marks."""
        return " <;> ".join(step.draft for step in self.steps)


@dataclass(frozen=True)
class Leaf:
    """Alternatives to close a goal, the most readable first."""

    closers: tuple[Closer, ...]


@dataclass(frozen=True)
class Branch:
    """A case by its pattern, ``cons x xs ih``, and its proof."""

    pattern: str
    proof: Proof


@dataclass(frozen=True)
class Cases:
    """``induction xs with | nil => … | cons x xs ih => …``."""

    header: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Spread:
    """A tactic that leaves goals which all get the same alternatives: ``header <;> leaf``."""

    header: str
    leaf: Leaf


@dataclass(frozen=True)
class Bullets:
    """A tactic, and one proof for each goal that it leaves."""

    header: str
    proofs: tuple[Leaf, ...]


@dataclass(frozen=True)
class Introduced:
    """A proof behind ``intro``."""

    names: tuple[str, ...]
    proof: Proof


Proof: TypeAlias = Leaf | Cases | Spread | Bullets | Introduced


@dataclass(frozen=True)
class Argument:
    """The address of an argument: leaf, closer and step by number, and its text."""

    leaf: int
    closer: int
    step: int
    text: str


@dataclass(frozen=True)
class Written:
    """A proof as Lean text, and where in it each argument stands.

    Attributes:
        arguments: Line (from 1) and column (from 0) of each argument.
    """

    text: str
    arguments: dict[tuple[int, int], Argument]


def written(proof: Proof) -> Written:
    """A settled proof as Lean text, beginning with ``by``."""
    lines = _draft(proof, lambda leaf: leaf.closers[0].draft)
    draft = "\n".join(["by", *_indented(lines)])
    if len(lines) == 1 and len(_unmarked(lines[0])) < WIDTH:
        draft = f"by {lines[0]}"
    broken = "\n".join(_broken(line) for line in draft.split("\n"))
    places = zip(_points(broken), _addresses(proof), strict=True)
    return Written(_unmarked(broken), dict(places))


def searching(proof: Proof) -> str:
    """Lean text that stops at the first goal that no closer closes, and traces the closers.

    ``first`` with a second alternative switches Lean's error recovery off in the first one.
    """
    numbers = iter(range(MANY))
    lines = _draft(proof, lambda leaf: _traced(leaf, next(numbers)))
    return "\n".join(["by", "  first", "  | (", *_indented(lines, 3), "    )", "  | fail"])


def renamed(proof: Proof, said: Callable[[str], str]) -> Proof:
    """The proof with every constant in a tactic's arguments, and in a call, said otherwise."""
    shorter = mapped(
        proof, lambda _i, _j, _k, step: replace(step, arguments=tuple(map(said, step.arguments)))
    )
    return _with_header(shorter, lambda header: " ".join(map(said, header.split(" "))))


def _with_header(proof: Proof, change: Callable[[str], str]) -> Proof:
    match proof:
        case Spread() | Bullets():
            return replace(proof, header=change(proof.header))
        case Introduced(names, inner):
            return Introduced(names, _with_header(inner, change))
    return proof


def leaves(proof: Proof) -> Iterator[Leaf]:
    """The leaves, in the order of their numbers."""
    match proof:
        case Leaf():
            yield proof
        case Spread(_, leaf):
            yield leaf
        case Cases(_, branches):
            for branch in branches:
                yield from leaves(branch.proof)
        case Bullets(_, proofs):
            yield from proofs
        case Introduced(_, inner):
            yield from leaves(inner)


def settled(proof: Proof, traces: Iterable[str]) -> Proof | None:
    """The proof with the closers that the traces name; ``None`` when a leaf left no trace."""
    chosen: dict[int, list[int]] = {}
    for trace in traces:
        leaf, closer = trace.removeprefix(MARK).split(".")
        chosen.setdefault(int(leaf), []).append(int(closer))
    numbers = iter(range(MANY))

    def closers(leaf: Leaf) -> list[Closer]:
        return [leaf.closers[n] for n in chosen.get(next(numbers), [])]

    return _settled(proof, closers)


def mapped(proof: Proof, change: Callable[[int, int, int, Step], Step]) -> Proof:
    """The proof with each step changed, given its leaf's, closer's and own number."""
    numbers = iter(range(MANY))

    def leaf_changed(leaf: Leaf) -> Leaf:
        number = next(numbers)
        return Leaf(
            tuple(
                Closer(tuple(change(number, i, j, step) for j, step in enumerate(closer.steps)))
                for i, closer in enumerate(leaf.closers)
            )
        )

    return _on_leaves(proof, leaf_changed)


def _on_leaves(proof: Proof, change: Callable[[Leaf], Leaf]) -> Proof:
    match proof:
        case Leaf():
            return change(proof)
        case Spread(header, leaf):
            return Spread(header, change(leaf))
        case Cases(header, branches):
            return Cases(
                header, tuple(Branch(b.pattern, _on_leaves(b.proof, change)) for b in branches)
            )
        case Bullets(header, proofs):
            return Bullets(header, tuple(change(p) for p in proofs))
        case Introduced(names, inner):
            return Introduced(names, _on_leaves(inner, change))


def _settled(proof: Proof, chosen: Callable[[Leaf], list[Closer]]) -> Proof | None:
    match proof:
        case Leaf():
            closers = chosen(proof)
            return Leaf((closers[0],)) if closers else None
        case Spread(header, leaf):
            return _gathered(header, chosen(leaf))
        case Introduced(names, inner):
            below = _settled(inner, chosen)
            return Introduced(names, below) if below else None
        case Cases(header, branches):
            below_all = [_settled(branch.proof, chosen) for branch in branches]
            found = tuple(
                Branch(branch.pattern, below)
                for branch, below in zip(branches, below_all, strict=True)
                if below is not None
            )
            return Cases(header, found) if len(found) == len(branches) else None
    return proof


def _gathered(header: str, closers: list[Closer]) -> Proof | None:
    """One closer for all goals if one was enough, else one for each."""
    if len(set(closers)) == 1:
        return Spread(header, Leaf((closers[0],)))
    return Bullets(header, tuple(Leaf((c,)) for c in closers)) if closers else None


def _traced(leaf: Leaf, number: int) -> str:
    alternatives = (
        f'({closer.search}; done; trace "{MARK}{number}.{i}")'
        for i, closer in enumerate(leaf.closers)
    )
    return f"first | {' | '.join(alternatives)}"


def _draft(proof: Proof, text: Callable[[Leaf], str]) -> list[str]:
    match proof:
        case Leaf():
            return [text(proof)]
        case Spread(header, leaf):
            return [f"{header} <;> {text(leaf)}"]
        case Bullets(header, proofs):
            return [header, *(f"· {text(p)}" for p in proofs)]
        case Introduced(names, inner):
            return [f"intro {' '.join(names)}", *_draft(inner, text)]
        case Cases(header, branches):
            lines = [f"{header} with"]
            for branch in branches:
                below = _draft(branch.proof, text)
                if len(below) == 1:
                    lines.append(f"| {branch.pattern} => {below[0]}")
                else:
                    lines += [f"| {branch.pattern} =>", *_indented(below)]
            return lines


def _addresses(proof: Proof) -> Iterator[Argument]:
    for i, leaf in enumerate(leaves(proof)):
        for j, closer in enumerate(leaf.closers):
            for k, step in enumerate(closer.steps):
                for text in step.arguments:
                    yield Argument(i, j, k, text)


def _indented(lines: Iterable[str], steps: int = 1) -> list[str]:
    return [f"{'  ' * steps}{line}" for line in lines]


def _points(draft: str) -> Iterator[tuple[int, int]]:
    for number, line in enumerate(draft.split("\n"), start=1):
        column = 0
        for piece in line.split(_POINT)[:-1]:
            column += len(piece)
            yield number, column


def _unmarked(draft: str) -> str:
    return draft.replace(_POINT, "").replace(_BREAK, " ")


def _broken(line: str) -> str:
    """The line, broken at its breaking points where it is too long."""
    pieces = line.split(_BREAK)
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    out, length = pieces[0], len(pieces[0])
    for piece in pieces[1:]:
        if length + 1 + len(piece) > WIDTH:
            out, length = f"{out}\n{indent}{piece}", len(indent) + len(piece)
        else:
            out, length = f"{out} {piece}", length + 1 + len(piece)
    return out
