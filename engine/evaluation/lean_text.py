"""Kernel expressions as Lean text with every argument written out.

What Lean prints for people need not be read back as the same term. Here each constant stands with
``@`` and all its arguments, so that elaboration has nothing to guess but universe levels.
"""

from __future__ import annotations

from verifier.prover.expression import Expression, spine


class NotText(Exception):
    """The expression has a part that cannot be written: a projection, say, or a string."""


def explicit_text(expression: Expression, depth: int = 0) -> str:
    """A closed expression as Lean text.

    Args:
        expression: As JSON, see ``session/expr.js``; bound variables below ``depth`` are free.
        depth: Number of binders that it stands under; the outermost is called ``x0``.

    Raises:
        NotText: It cannot be written.
    """
    kind = expression[0]
    if kind == "a":
        if (numeral := _numeral(expression)) is not None:
            return numeral
        head, arguments = spine(expression)
        parts = (explicit_text(part, depth) for part in (head, *arguments))
        return f"({' '.join(parts)})"
    if kind in ("p", "l"):
        domain = explicit_text(expression[2], depth)
        body = explicit_text(expression[3], depth + 1)
        binder = f"(x{depth} : {domain})"
        return f"(∀ {binder}, {body})" if kind == "p" else f"(fun {binder} => {body})"
    if kind == "v":
        return f"x{depth - 1 - expression[1]}"
    if kind == "c":
        return f"@{expression[1]}"
    if kind == "s":
        return _sort(expression[1])
    if kind == "n":
        return f"(nat_lit {expression[1]})"
    raise NotText(f"a part of kind {kind}")


def _numeral(expression: Expression) -> str | None:
    """``OfNat.ofNat Nat 3 (instOfNatNat 3)`` as ``(3 : Nat)``."""
    head, arguments = spine(expression)
    if head[:2] != ["c", "OfNat.ofNat"] or len(arguments) != 3:
        return None
    kind, literal, instance = arguments
    is_nat = kind[:2] == ["c", "Nat"] and spine(instance)[0][:2] == ["c", "instOfNatNat"]
    return f"({literal[1]} : Nat)" if is_nat and literal[0] == "n" else None


def _sort(level: Expression) -> str:
    """A sort whose level Lean has to find, since constants carry none either."""
    if level == ["0"]:
        return "Prop"
    return "(Type _)" if level[0] == "+" else "(Sort _)"
