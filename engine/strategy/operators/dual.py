"""Dual: the law that a law becomes when a symmetry of the theory exchanges its symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.language.printing import proposition_text
from engine.language.rewriting import is_commutativity
from engine.language.term import Equation, Law, Symbol, Term
from engine.strategy.operators.base import Context, Draft, KnownLaw, law_parents, word
from engine.strategy.operators.screening import Screen
from engine.strategy.operators.sections import comparisons
from engine.strategy.operators.shapes import Correspondence, correspondences


@dataclass(frozen=True)
class Image:
    """What a duality makes of a symbol: another one, perhaps with its two arguments exchanged."""

    symbol: Symbol
    is_turned: bool = False

    def applied(self, args: tuple[Term, ...]) -> Term:
        """The image of an application, of which the arguments are mapped already."""
        return Term(self.symbol, args[::-1] if self.is_turned and len(args) == 2 else args)


@dataclass(frozen=True)
class Duality:
    """A symmetry of a theory.

    Attributes:
        images: By symbol name; other symbols stay.
        words: How it exchanges symbols. source: The law that shows it, if one does.
    """

    images: Mapping[str, Image]
    words: str
    source: KnownLaw | None = None

    def of(self, law: Law) -> list[Equation] | None:
        """Conclusion and hypotheses of the dual; ``None`` when the law is its own dual at sight."""
        moved = [s for s in law.symbols() if self._moves(s)]
        if not moved:
            return None
        return [Equation(self._term(p.lhs), self._term(p.rhs)) for p in law.parts()]

    def _moves(self, symbol: Symbol) -> bool:
        image = self.images.get(symbol.name)
        return image is not None and (image.symbol != symbol or image.is_turned)

    def _term(self, term: Term) -> Term:
        args = tuple(self._term(a) for a in term.args)
        image = self.images.get(term.head.name) if isinstance(term.head, Symbol) else None
        return Term(term.head, args) if image is None else image.applied(args)


class Dual:
    """Looks for symmetries and takes each proved law through them.

    Three kinds: an involution that exchanges functions by laws that are known (``not`` exchanges
    ``and`` and ``or``; ``reverse`` exchanges ``head`` and ``last``, and the arguments of
    ``append``); two symbols of one type that laws of one shape exchange; the two arguments of an
    operation that is not known to be commutative.
    """

    name = "dual"
    description = "take proved laws through a symmetry: dual operations, or arguments exchanged"

    def applies(self, context: Context) -> bool:
        """There is a proved law."""
        return bool(context.proved)

    def draft(self, context: Context) -> Iterator[Draft]:
        """One draft for each dual that may hold; the symmetries that laws show come first."""
        screen = Screen(context)
        for duality in dualities(context):
            for known in context.proved:
                if context.stop():
                    return
                parts = duality.of(known.law)
                law = screen.guess(parts[0], parts[1:]) if parts else None
                if law is not None:
                    yield self._draft(law, known, duality, context)

    def _draft(self, law: Law, known: KnownLaw, duality: Duality, context: Context) -> Draft:
        claims = [(known, f"It is {known.name}, where {duality.words}.")]
        if duality.source is not None:
            claims.append((duality.source, f"It shows that {duality.words}."))
        return Draft(
            law=law,
            operator=self.name,
            summary=f"The dual of {known.name}, where {duality.words}: {proposition_text(law)}.",
            parents=law_parents(law, context.owners, *claims),
            novelty=f"{known.name} was known, its dual was not.",
        )


def dualities(context: Context) -> Iterator[Duality]:
    """The symmetries that the known laws suggest, those first of which most is known."""
    involutions = [
        (known, found) for known in context.proved if (found := _involution(known.law)) is not None
    ]
    for known, symbol in involutions:
        images = _exchanged_by(symbol, context.laws)
        if any(s.is_turned or s.symbol.name != name for name, s in images.items()):
            yield Duality(images, f"{word(symbol)} exchanges {_shown(images)}", known)
    orders = {s.name: Image(s, is_turned=True) for s in comparisons(context.symbols)}
    for correspondence in correspondences(context.laws):
        if correspondence.moved and _is_swap(correspondence):
            images = {name: Image(image) for name, image in correspondence.moved.items()}
            if orders:
                turned = {**images, **orders}
                yield Duality(turned, f"laws of one shape exchange {_shown(turned)}")
            yield Duality(images, f"laws of one shape exchange {_shown(images)}")
    commutative = {k.law.lhs.head for k in context.laws if is_commutativity(k.law)}
    for symbol in context.functions:
        binary = len(symbol.params) == 2 and symbol.params[0] == symbol.params[1]
        if binary and symbol not in commutative:
            turned = {symbol.name: Image(symbol, is_turned=True)}
            yield Duality(turned, f"the arguments of {word(symbol)} are exchanged")


def _involution(law: Law) -> Symbol | None:
    """The function ``f`` of a law ``f (f x) = x``."""
    for side in (law.lhs, law.rhs):
        other = law.rhs if side is law.lhs else law.lhs
        if law.hypotheses or not isinstance(side.head, Symbol) or len(side.args) != 1:
            continue
        inner = side.args[0]
        if inner.head == side.head and inner.args == (other,) and other.is_variable:
            return side.head
    return None


def _exchanged_by(symbol: Symbol, laws: Sequence[KnownLaw]) -> dict[str, Image]:
    """What an involution makes of other symbols, as far as laws show it.

    With ``n`` for the involution: ``n c = d`` exchanges constants, ``n (f x y) = g (n x) (n y)``
    functions, ``n (f x y) = g (n y) (n x)`` functions with exchanged arguments, and
    ``f (n x) = g x`` functions into another type.
    """
    images: dict[str, Image] = {symbol.name: Image(symbol)}
    for known in laws:
        for side in (known.law, known.law.flipped()):
            if found := _exchange(symbol, side):
                one, image = found
                images.setdefault(one.name, image)
                images.setdefault(image.symbol.name, Image(one, image.is_turned))
    return images


def _exchange(n: Symbol, law: Law) -> tuple[Symbol, Image] | None:
    if law.hypotheses:
        return None
    lhs, rhs = law.lhs, law.rhs
    if not isinstance(rhs.head, Symbol) or rhs.head == n:
        return None
    if lhs.head == n and len(lhs.args) == 1:
        return _pushed_inside(n, lhs.args[0], rhs)
    if isinstance(lhs.head, Symbol) and len(lhs.args) == len(rhs.args) == 1:
        inner = lhs.args[0]
        if inner == Term(n, rhs.args) and rhs.args[0].is_variable:
            return lhs.head, Image(rhs.head)
    return None


def _pushed_inside(n: Symbol, inner: Term, rhs: Term) -> tuple[Symbol, Image] | None:
    """``n (f x y) = g (n x) (n y)``; an argument of another type stays as it is."""
    if not isinstance(inner.head, Symbol) or not isinstance(rhs.head, Symbol):
        return None
    variables = [a for a in inner.args if a.is_variable]
    if len(set(variables)) != len(inner.args):
        return None
    if not inner.args and not rhs.args:
        return inner.head, Image(rhs.head)
    pushed = [
        Term(n, (a,)) if p == n.params[0] else a
        for a, p in zip(inner.args, inner.head.params, strict=False)
    ]
    for args, is_turned in ((pushed, False), (pushed[::-1], True)):
        if tuple(args) == rhs.args:
            return inner.head, Image(rhs.head, is_turned)
    return None


def _is_swap(correspondence: Correspondence) -> bool:
    """Whether it exchanges symbols of one type in pairs, functions among them."""
    moved = correspondence.moved
    back = all(
        image.name in moved and moved[image.name].name == name for name, image in moved.items()
    )
    return back and all(moved[image.name].params == image.params for image in moved.values())


def _shown(images: Mapping[str, Image]) -> str:
    """The exchanged symbols in words."""
    shown: list[str] = []
    for name, image in sorted(images.items()):
        back = images.get(image.symbol.name)
        if image.symbol.name == name and image.is_turned:
            shown.append(f"the arguments of {word(image.symbol)}")
        elif back is not None and name < image.symbol.name:
            turned = " with exchanged arguments" if image.is_turned else ""
            shown.append(f"{word(back.symbol)} and {word(image.symbol)}{turned}")
    return ", ".join(shown)
