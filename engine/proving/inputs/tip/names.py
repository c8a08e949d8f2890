"""Symbols of a TIP problem as names of Lean."""

from __future__ import annotations

import re

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
TYPE_VARIABLES = {"a": "α", "b": "β", "c": "γ", "d": "δ"}
UNQUOTABLE = str.maketrans({"«": "‹", "»": "›", " ": "␣", "\t": "␣", "\n": "␣", "\r": "␣"})
KEYWORDS = frozenset(
    {"abbrev", "axiom", "by", "calc", "class", "def", "deriving", "do", "else", "end", "example"}
    | {"exists", "export", "extends", "extern", "for", "forall", "from", "fun", "have", "if"}
    | {"import", "in", "include", "inductive", "infix", "instance", "let", "local", "macro"}
    | {"match", "mutual", "namespace", "nomatch", "notation", "obtain", "omit", "opaque", "open"}
    | {"partial", "postfix", "prefix", "private", "protected", "public", "rec", "return"}
    | {"section", "set_option", "show", "sorry", "structure", "suffices", "syntax", "then"}
    | {"termination_by", "theorem", "universe", "unless", "unsafe", "variable", "where", "with"}
    | {"at", "Prop", "Sort", "Type"}
)


def lean_name(symbol: str) -> str:
    """The name, in quotes where Lean would not take it for one."""
    if PLAIN.fullmatch(symbol) and symbol not in KEYWORDS and symbol != "_":
        return symbol
    return f"«{symbol.translate(UNQUOTABLE)}»"


def type_variable(symbol: str) -> str:
    """Type variables are Greek, so that no variable of a term has their name."""
    return TYPE_VARIABLES.get(symbol) or lean_name(f"τ_{symbol}").strip("«»")
