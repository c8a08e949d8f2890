"""TIP to Lean: a problem becomes a namespace with datatypes, functions and one theorem.

Formulas are propositions where they can be, and of type ``Bool`` where a program computes with
them. Declarations come with several ways to write them, for Lean to choose from: not every
datatype has a decidable equality, and not every function is seen to terminate as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.proving.inputs.tip.clauses import clauses, pattern_text
from engine.proving.inputs.tip.guarded import guarded
from engine.proving.inputs.tip.heads import (
    head_and_body,
    parametric,
    parametric_formula,
    signature_of,
)
from engine.proving.inputs.tip.names import lean_name, type_variable
from engine.proving.inputs.tip.orders import head_text, instances, orders_of
from engine.proving.inputs.tip.scope import Constructor, Scope, Signature, lean_type
from engine.proving.inputs.tip.sexpr import (
    Sexpr,
    first,
    pair,
    read,
    show,
    symbol_of,
    symbols,
)
from engine.proving.inputs.tip.terms import Terms
from verifier.errors import InputError

NAMESPACE = "Tip"
HEADER = "noncomputable section\n\n"  # nothing here is run, and not all of it could be compiled
IGNORED = frozenset({"check-sat", "set-logic", "set-info", "set-option", "exit", "push", "pop"})
DECREASING = "decreasing_by all_goals (simp_wf; (try simp_all); (try omega))"


@dataclass(frozen=True)
class Translation:
    """A problem as Lean text: each part with the ways to write it, the best first."""

    parts: tuple[tuple[str, ...], ...]


def translate(text: str) -> Translation:
    """Translates a problem.

    Raises:
        InputError: It has no goal, or uses what has no translation; the message says what.
    """
    return _Translator().problem(read(text))


class _Translator:
    def __init__(self) -> None:
        self._scope = Scope()
        self._assumed: list[Sexpr] = []
        self._goals: list[Sexpr] = []

    def problem(self, commands: Sequence[Sexpr]) -> Translation:
        parts: list[tuple[str, ...]] = [(f"{HEADER}namespace {NAMESPACE}\n",)]
        for command in commands:
            parts += self._command(command)
        if len(self._goals) != 1:
            raise InputError(f"a problem has one goal; this one has {len(self._goals)}")
        parts.append((_goal(self._scope, self._assumed, self._goals[0]),))
        return Translation(tuple(parts))

    def _command(self, command: Sexpr) -> Iterator[tuple[str, ...]]:
        match command:
            case ("declare-datatype", str(name), body):
                yield self._datatypes([name], [body])
            case ("declare-datatypes", tuple(heads), tuple(bodies)):
                yield self._datatypes([symbol_of(first(h)) for h in heads], list(bodies))
            case ("declare-sort", str(name), *_):
                yield self._sort(name)
            case ("declare-fun" | "declare-const", *rest):
                yield self._constant(tuple(rest))
            case ("define-fun" | "define-fun-rec" | "define-const", *rest):
                yield self._functions([head_and_body(tuple(rest))])
            case ("define-funs-rec", tuple(heads), tuple(bodies)):
                signatures = [signature_of(h if isinstance(h, tuple) else (h,)) for h in heads]
                yield self._functions(list(zip(signatures, bodies, strict=True)))
            case ("assert", formula):
                self._assumed.append(formula)
            case ("prove" | "assert-not", formula):
                self._goals.append(formula)
            case (str(ignored), *_) if ignored in IGNORED:
                return
            case _:
                raise InputError(f"no translation of {show(command)}")

    def _datatypes(self, names: list[str], bodies: list[Sexpr]) -> tuple[str, ...]:
        for name in names:
            self._scope.types[name] = lean_name(name)
        texts = [self._datatype(n, b) for n, b in zip(names, bodies, strict=True)]
        if len(texts) > 1:
            joined = "".join(texts)
            return (f"\nmutual\n{joined}end\n",)
        return (f"\n{texts[0]}deriving DecidableEq\n", f"\n{texts[0]}")

    def _datatype(self, name: str, body: Sexpr) -> str:
        variables, cases = parametric(body)
        types = tuple(map(type_variable, variables))
        binders = "".join(f" ({v} : Type)" for v in types)
        result = " ".join((lean_name(name), *types))
        lines = [f"inductive {lean_name(name)}{binders} : Type where\n"]
        for case in cases:
            symbol, fields = (case, ()) if isinstance(case, str) else (symbol_of(case[0]), case[1:])
            constructor = Constructor(
                f"{lean_name(name)}.{lean_name(symbol)}",
                lean_name(name),
                types,
                tuple(symbol_of(first(f)) for f in fields),
                variables,
                tuple(f[1] for f in fields),
            )
            self._scope.constructors[symbol] = constructor
            self._scope.families.setdefault(lean_name(name), []).append(constructor)
            for selector in constructor.selectors:
                self._scope.selectors[selector] = constructor
            arguments = "".join(f"{lean_type(self._scope, f[1], atom=True)} → " for f in fields)
            lines.append(f"  | {lean_name(symbol)} : {arguments}{result}\n")
        return "".join(lines)

    def _sort(self, name: str) -> tuple[str, ...]:
        lean = lean_name(name)
        self._scope.types[name] = lean
        pointed = lean_name(f"{name}_nonempty")
        return (
            f"\nopaque {pointed} : NonemptyType\n"
            f"def {lean} : Type := {pointed}.type\n"
            f"instance : Nonempty {lean} := {pointed}.property\n"
            f"noncomputable instance : DecidableEq {lean} :=\n"
            "  fun _ _ => Classical.propDecidable _\n",
        )

    def _constant(self, rest: tuple[Sexpr, ...]) -> tuple[str, ...]:
        name, *middle, result = rest
        arguments = middle[0] if middle else ()
        assert isinstance(arguments, tuple)
        symbol = symbol_of(name)
        type_ = " → ".join(
            [
                *(lean_type(self._scope, a, atom=True) for a in arguments),
                lean_type(self._scope, result),
            ]
        )
        parameters = tuple((f"x{i}", a) for i, a in enumerate(arguments))
        self._scope.functions[symbol] = Signature(lean_name(symbol), (), parameters, result)
        return (f"\nopaque {lean_name(symbol)} : {type_}\n",)

    def _functions(self, group: list[tuple[Signature, Sexpr]]) -> tuple[str, ...]:
        for signature, _ in group:
            self._scope.functions[signature.name] = self._named(signature)
        decides = any(_decides(self._scope, body) for _, body in group)
        orders = orders_of(self._scope, group)
        for signature, _ in group:
            known = replace(self._named(signature), decides=decides, orders=orders)
            self._scope.functions[signature.name] = known
        heads = [(self._scope.functions[signature.name], body) for signature, body in group]
        return tuple(_ways(self._scope, heads))

    def _named(self, signature: Signature) -> Signature:
        """With the name that it has in Lean, which no type has there."""
        name = lean_name(signature.name)
        if name in self._scope.types.values():
            name = lean_name(f"{signature.name}_function")
        return replace(signature, name=name)


def _ways(scope: Scope, group: Sequence[tuple[Signature, Sexpr]]) -> Iterator[str]:
    """Ways to define functions: by equations or by matches, with reasons why they terminate."""
    for measures in _measures([s for s, _ in group]):
        for write in (_by_equations, _by_matches):
            defined = [
                f"{write(scope, s, body)}{_termination(s, measure, write is _by_equations)}"
                for (s, body), measure in zip(group, measures, strict=True)
            ]
            joined = "".join(defined)
            yield f"\nmutual\n{joined}end\n" if len(group) > 1 else f"\n{joined}"
    yield from guarded(scope, group)


def _measures(signatures: Sequence[Signature]) -> Iterator[tuple[str, ...]]:
    """What may get smaller from call to call; nothing, where Lean finds it by itself."""
    yield tuple("" for _ in signatures)
    yield tuple(_sizes(s) for s in signatures)
    if len(signatures) == 1:
        for measure in _differences(signatures[0]):
            yield (measure,)


def _sizes(signature: Signature) -> str:
    return " + ".join(f"sizeOf {lean_name(name)}" for name, _ in signature.parameters) or "0"


def _differences(signature: Signature) -> Iterator[str]:
    """For functions that count up or down to a bound."""
    numbers = [lean_name(name) for name, type_ in signature.parameters if type_ == "Int"]
    for one in numbers:
        yield f"{one}.toNat"
        for other in numbers:
            if other != one:
                yield f"({one} + 1 - {other}).toNat"


def _termination(signature: Signature, measure: str, nameless: bool) -> str:
    if not measure:
        return ""
    names = " ".join(lean_name(name) for name, _ in signature.parameters)
    binder = f"{names} => " if nameless and names else ""
    return f"termination_by {binder}{measure}\n{DECREASING}\n"


def _by_equations(scope: Scope, signature: Signature, body: Sexpr) -> str:
    if not signature.parameters:
        return _by_matches(scope, signature, body)
    types = [lean_type(scope, type_, atom=True) for _, type_ in signature.parameters]
    arrows = " → ".join([*types, lean_type(scope, signature.result)])
    lines = [f"{head_text(signature)} : {arrows}\n"]
    for clause in clauses(scope, tuple(name for name, _ in signature.parameters), body):
        variables = {name: pattern_text(p) for name, p in clause.variables.items()}
        patterns = ", ".join(map(pattern_text, clause.patterns))
        lines.append(f"  | {patterns} => {Terms(scope, variables).term(clause.body, 2)}\n")
    return "".join(lines)


def _by_matches(scope: Scope, signature: Signature, body: Sexpr) -> str:
    parameters = "".join(
        f" ({lean_name(name)} : {lean_type(scope, type_)})" for name, type_ in signature.parameters
    )
    variables = {name: lean_name(name) for name, _ in signature.parameters}
    text = Terms(scope, variables).term(body, 1)
    result = lean_type(scope, signature.result)
    return f"{head_text(signature)}{parameters} : {result} :=\n  {text}\n"


def _decides(scope: Scope, expression: Sexpr) -> bool:
    """Whether a program compares values, itself or through a function that it calls."""
    if isinstance(expression, str):
        known = scope.functions.get(expression)
        return expression in ("=", "distinct") or (known is not None and known.decides)
    return any(_decides(scope, part) for part in expression)


def _goal(scope: Scope, assumed: Sequence[Sexpr], goal: Sexpr) -> str:
    """The theorem: outer quantifiers and conditions become its binders."""
    variables, formula = parametric_formula(goal)
    types = [f"{{{type_variable(v)} : Type}}" for v in variables]
    if _decides(scope, tuple(p for p in symbols(formula) if p not in ("=", "distinct"))):
        types += [f"[DecidableEq {type_variable(v)}]" for v in variables]
    orders = {
        o for s in symbols(formula) if s in scope.functions for o in scope.functions[s].orders
    }
    types += [f"[{c} {type_variable(v)}]" for v in variables for c in instances(sorted(orders))]
    binders: list[str] = list(types)
    bound: dict[str, str] = {}
    for extra in assumed:
        inner, condition = parametric_formula(extra)
        text = Terms(scope, {}).proposition(condition, 0)
        quantified = "".join(f"∀ {{{type_variable(v)} : Type}}, " for v in inner)
        binders.append(f"(h{_number(binders)} : {quantified}{text})")
    while isinstance(formula, tuple) and formula and formula[0] in ("forall", "=>"):
        if formula[0] == "forall":
            _, parameters, formula = formula
            assert isinstance(parameters, tuple)
            for parameter in parameters:
                name, type_ = pair(parameter)
                if name in bound:
                    raise InputError(f"two variables {name}")
                bound[name] = lean_name(name)
                binders.append(f"({lean_name(name)} : {lean_type(scope, type_)})")
        else:
            *conditions, formula = formula[1:]
            for condition in conditions:
                text = Terms(scope, bound).proposition(condition, 0)
                binders.append(f"(h{_number(binders)} : {text})")
    conclusion = Terms(scope, bound).proposition(formula, 0)
    return f"\ntheorem goal {' '.join(binders)} :\n    {conclusion} := sorry\n"


def _number(binders: Sequence[str]) -> int:
    return 1 + sum(b.startswith("(h") and b[2].isdigit() for b in binders)
