"""Functions that Lean does not see to end, with a guard before each call of themselves.

A call whose measure does not get smaller has an unknown value: that of an opaque function. Proofs
know nothing of it, so what they show holds whatever the value is, and so of the function that the
problem means, if that one ends. Of a function that does not end everywhere they speak as far as it
ends by this measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from engine.proving.inputs.tip.names import lean_name
from engine.proving.inputs.tip.orders import head_text
from engine.proving.inputs.tip.scope import Scope, Signature, lean_type
from engine.proving.inputs.tip.sexpr import Sexpr
from engine.proving.inputs.tip.terms import Guard, Terms, measure
from verifier.errors import InputError

ORDERS = 6
DECREASING = "decreasing_by all_goals (subst_vars; first | assumption | (simp_wf; assumption))"


def guarded(scope: Scope, group: Sequence[tuple[Signature, Sexpr]]) -> Iterator[str]:
    """Ways to define functions with guards: for different ranks of functions among each other."""
    if not all(signature.parameters for signature, _ in group):
        return
    for ranks in islice(permutations(range(len(group))), ORDERS):
        try:
            yield _definitions(scope, group, ranks)
        except InputError:
            return


def _definitions(
    scope: Scope, group: Sequence[tuple[Signature, Sexpr]], ranks: Sequence[int]
) -> str:
    unknown = "".join(_unknown(scope, signature) for signature, _ in group)
    defined = []
    for (signature, body), rank in zip(group, ranks, strict=True):
        names = [lean_name(name) for name, _ in signature.parameters]
        caller = measure(names, len(group), rank)
        guards = {
            _symbol(scope, s): Guard(
                s.name, _otherwise(s), len(s.parameters), len(group), r, caller
            )
            for (s, _), r in zip(group, ranks, strict=True)
        }
        variables = {name: lean_name(name) for name, _ in signature.parameters}
        binders = "".join(
            f" ({lean_name(n)} : {lean_type(scope, type_)})" for n, type_ in signature.parameters
        )
        text = Terms(scope, variables, guards).term(body, 1)
        defined.append(
            f"{head_text(signature)}{binders} : {lean_type(scope, signature.result)} :=\n  {text}\n"
            f"termination_by {caller}\n{DECREASING}\n"
        )
    joined = "".join(defined)
    return f"{unknown}\nmutual\n{joined}end\n" if len(group) > 1 else f"{unknown}\n{joined}"


def _symbol(scope: Scope, signature: Signature) -> str:
    """What the problem calls a function."""
    return next(symbol for symbol, s in scope.functions.items() if s is signature)


def _otherwise(signature: Signature) -> str:
    return lean_name(f"{signature.name.strip('«»')}_unknown")


def _unknown(scope: Scope, signature: Signature) -> str:
    """The opaque function of the other calls.

    Its type must have a value: that of a parameter, or else one that Lean finds.
    """
    head = head_text(signature).removeprefix(f"def {signature.name}")
    names = [f"x{i}" for i in range(len(signature.parameters))]
    types = [lean_type(scope, type_) for _, type_ in signature.parameters]
    binders = "".join(f" ({n} : {t})" for n, t in zip(names, types, strict=True))
    result = lean_type(scope, signature.result)
    own = next((n for n, t in zip(names, types, strict=True) if t == result), None)
    value = own or "Classical.choice (by first | infer_instance | exact ⟨by constructor⟩)"
    return f"\nopaque {_otherwise(signature)}{head}{binders} : {result} := {value}\n"
