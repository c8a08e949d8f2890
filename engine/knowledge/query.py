"""What a user searches for: words, a Lean term, or a goal; the latter two through Lean itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from engine.model import Label, MethodNode, NodeKind
from engine.retrieval.features import statement_features
from engine.retrieval.interface import Query
from verifier.lean import Environment, Lean, Statement, StatementFacts
from verifier.prover.expression import spine

Kind = Literal["words", "term", "goal"]

ROUNDS: Final = 12
"""Unknown identifiers that become variables, one a round, before a query counts as words."""

_TURNSTILE: Final = "⊢"
_NAME: Final = "lemmata_query"
_WORDS: Final = re.compile(r"[\w.'’«»!?,;\- ]*")
_HOLE: Final = re.compile(r"(?<![\w'.])(?:_|\?\w+)(?![\w'])")
_HYPOTHESIS: Final = re.compile(r"([^\s:(\[{][^:]*?)\s*:(?!=)\s*(.+)", re.DOTALL)
_UNKNOWN: Final = re.compile(r"[Uu]nknown identifier [`'‘]?([^`'’\s]+)")
_UNIVERSE: Final = re.compile(r"[Uu]nknown universe level [`'‘]?([^`'’\s]+)")
_METAVARIABLE: Final = re.compile(r"\?m\.(\d+)")
_BRACKETS: Final = "([{⦃"


@dataclass(frozen=True)
class ReadQuery:
    """A query as it is searched for.

    Attributes:
        query: A node with the features of the elaborated text, or the text.
        kind: What it was read as.
        remark: Why a text with Lean's symbols was read as words, else empty.
    """

    query: Query
    kind: Kind
    remark: str = ""


def looks_like_words(text: str) -> bool:
    """Whether a query has nothing but words and names, so that Lean need not be asked."""
    return _WORDS.fullmatch(text) is not None and not _HOLE.search(text)


def read_query(text: str, lean: Lean, environment: Environment, context: str = "") -> ReadQuery:
    """Reads a term or a goal.

    A goal is a proposition, a signature ``(xs : List α) : xs ++ [] = xs``, or what Lean's info view
    shows: hypotheses, ``⊢`` and a conclusion. Identifiers that are not known become variables, and
    so do holes: ``List.map ?f (_ ++ _)``.

    Args:
        text: The query.
        lean: Elaborates it; nothing that it declares is kept.
        environment: What may be mentioned.
        context: Commands that open its scope.
    """
    reader = _Reader(lean, environment, context)
    for kind, signature in _signatures(_without_holes(text.strip())):
        facts = reader.elaborated(signature)
        if facts is not None:
            type_ = _term(facts.type) if kind == "term" else facts.type
            return ReadQuery(_node(text, type_), kind)
    return ReadQuery(text, "words", f"Lean does not take it: {reader.said}")


def _signatures(text: str) -> list[tuple[Kind, str]]:
    """The signatures of theorems that a text may stand for, the likeliest first."""
    if _TURNSTILE in text:
        return [("goal", _goal_signature(text))]
    if text[:1] in tuple(_BRACKETS) and _has_outer_colon(text):
        return [("goal", text)]
    return [("goal", f": {text}"), ("term", f": ({text}) = ({text})")]


def _goal_signature(goal: str) -> str:
    """A goal of the info view as a signature; names that cannot be written get others."""
    before, _, conclusion = goal.rpartition(_TURNSTILE)
    binders = [_binder(hypothesis) for hypothesis in _hypotheses(before.replace("✝", "'"))]
    return f"{' '.join(binders)} : {conclusion.replace('✝', chr(39)).strip()}"


def _hypotheses(text: str) -> list[str]:
    """Hypotheses stand on lines of their own; a line that is indented goes on."""
    found: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("case "):
            continue
        if found and line.startswith(" ") and not text.startswith(" "):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip().rstrip(","))
    return found


def _binder(hypothesis: str) -> str:
    if hypothesis.startswith(tuple(_BRACKETS)):
        return hypothesis
    match = _HYPOTHESIS.fullmatch(hypothesis)
    if match is None:
        return f"(_ : {hypothesis})"
    names, type_ = match.groups()
    type_ = type_.partition(" := ")[0]
    return f"[{type_}]" if names.startswith("inst'") else f"({names} : {type_})"


def _has_outer_colon(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character in _BRACKETS) - (character in ")]}⦄")
        if character == ":" and depth == 0:
            return True
    return False


def _without_holes(text: str) -> str:
    """Each hole as an identifier of its own, and ``?x`` as ``x``."""
    count = 0

    def named(match: re.Match[str]) -> str:
        nonlocal count
        if match[0] != "_":
            return match[0][1:]
        count += 1
        return f"hole{count}"

    return _HOLE.sub(named, text)


@dataclass
class _Reader:
    """Elaborates signatures; ``said`` is Lean's last objection."""

    lean: Lean
    environment: Environment
    context: str
    said: str = ""

    def elaborated(self, signature: str) -> StatementFacts | None:
        """The facts about a signature, or ``None`` when Lean does not take it.

        Unknown identifiers become variables. Where Lean cannot find their types by itself, what
        it knows of them is asked for, and the gaps are filled: by any type, or else by ``Nat``.
        """
        variables: dict[str, str] = {}
        universes: list[str] = []
        for _ in range(ROUNDS):
            facts, errors = self._state(signature, _bound(variables), universes)
            if facts is not None:
                return facts
            new = _new_names(_UNKNOWN, errors, variables)
            variables |= dict.fromkeys(new, "_")
            more = _new_names(_UNIVERSE, errors, universes)
            universes += more
            if not new and not more:
                break
        for binders in self._guesses(signature, list(variables)):
            facts, _ = self._state(signature, binders, universes)
            if facts is not None:
                return facts
        return None

    def _state(
        self, signature: str, binders: str, universes: Sequence[str]
    ) -> tuple[StatementFacts | None, list[str]]:
        context = self.context + "".join(f"universe {name}\n" for name in universes)
        statement = Statement(self.environment, _NAME, f"{binders} {signature}".strip(), context)
        facts = self.lean.state(statement)
        errors = [m.text for m in (*facts.messages, *facts.context_messages) if m.is_error]
        if facts.fault is not None:
            errors.append(facts.fault.text)
        if facts.type is not None and not errors:
            return facts, []
        self.said = errors[0].split("\n")[0] if errors else "it makes no statement"
        return None, errors

    def _guesses(self, signature: str, variables: list[str]) -> Iterator[str]:
        """Binders for the variables with what Lean knows of their types."""
        if not variables or not signature.startswith(":"):
            return
        text = f"#check fun {' '.join(variables)} => ({signature[1:]})"
        messages = self.lean.messages(self.environment, self.context, text)
        types = _arrows(messages[0].text.rpartition(" : ")[2]) if messages else []
        if len(types) <= len(variables):
            yield f"({' '.join(variables)} : Nat)"
            return
        known = [" ".join(_METAVARIABLE.sub(r"τ\1", t).split()) for t in types[: len(variables)]]
        gaps = sorted({m[0] for t in known for m in re.finditer(r"τ\d+", t)})
        pairs = list(zip(variables, known, strict=True))
        yield " ".join([*(f"{{{g} : Type _}}" for g in gaps), *(f"({v} : {t})" for v, t in pairs)])
        yield " ".join(f"({v} : {re.sub(r'τ[0-9]+', 'Nat', t)})" for v, t in pairs)


def _bound(variables: Mapping[str, str]) -> str:
    return " ".join(f"({name} : {type_})" for name, type_ in variables.items())


def _arrows(type_: str) -> list[str]:
    """The parts of ``a → (b → c) → d``."""
    parts, depth = [""], 0
    for character in type_:
        depth += (character in "([{") - (character in ")]}")
        if character == "→" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _new_names(
    pattern: re.Pattern[str], errors: Iterable[str], known: Collection[str]
) -> list[str]:
    """The names in Lean's objections that are not known yet and can be bound."""
    found = (m[1] for error in errors for m in pattern.finditer(error))
    return [n for n in dict.fromkeys(found) if n not in known and "." not in n]


def _term(type_: Any) -> Any:
    """The type with the conclusion ``t = t`` replaced by ``t``."""
    if type_[0] == "p":
        return [*type_[:3], _term(type_[3]), *type_[4:]]
    _, arguments = spine(type_)
    return arguments[-1]


def _node(text: str, type_: Any) -> MethodNode:
    return MethodNode(
        id="query:",
        kind=NodeKind.THEOREM,
        name=None,
        statement=text,
        label=Label.CONJECTURE,
        features=statement_features(type_),
    )
