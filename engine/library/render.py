"""Lemmas and modules of the library as Lean text. Pure: the same lemmas give the same bytes."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifier.session import STRICT

WIDTH = 100
INDENT = "  "
_OPENING = {"(": ")", "{": "}", "[": "]", "⟨": "⟩", "⦃": "⦄", "«": "»"}
_CLOSING = frozenset(_OPENING.values())
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9']*")


@dataclass(frozen=True)
class Doc:
    """What the docstring of a lemma tells.

    Attributes:
        summary: The lemma in words.
        operator: The operator that drafted it.
        parents: Names of the declarations that it comes from, as written in the namespace.
    """

    summary: str = ""
    operator: str = ""
    parents: tuple[str, ...] = ()


def lemma_text(name: str, signature: str, proof: str, doc: Doc | None = None) -> str:
    """A lemma with its docstring, laid out for readers; the last line ends without a line end.

    Args:
        name: As written inside the namespace.
        signature: Binders and type, ``(n : N) : add n zero = n``.
        proof: Lean text after ``:=``, a term or ``by …``.
        doc: What the docstring tells; an empty one is left out.
    """
    head = f"theorem {name} {_line(signature)}"
    first, body = _proof_parts(proof)
    statement = _statement_lines(head, len(first) + 1)
    return _assembled(doc, f"{statement} {first}".rstrip(), body)


def plain_lemma_text(name: str, signature: str, proof: str, doc: Doc | None = None) -> str:
    """The lemma as the verifier saw it, for a text that means something else when laid out."""
    return _assembled(doc, f"theorem {name} {_unix(signature)} := {_unix(proof)}".rstrip(), "")


def docstring(doc: Doc) -> str:
    """A Lean doc comment; no text in it can end the comment early. Empty when nothing is told."""
    paragraphs = [neutral(doc.summary)]
    origin = [f"Found by {neutral(doc.operator)}"] if doc.operator else []
    if doc.parents:
        listed = ", ".join(f"`{neutral(parent)}`" for parent in doc.parents)
        origin.append(f"from {listed}" if origin else f"From {listed}")
    paragraphs.append(", ".join(origin) + "." if origin else "")
    return _comment("/--", [p for p in paragraphs if p])


def module_text(
    *,
    theory: str,
    imports: Sequence[str],
    context: str,
    namespace: str,
    toolchain: str,
    lemmas: Iterable[str],
) -> str:
    """A module of the library.

    Args:
        theory: The module that the lemmas are about.
        imports: Modules that it needs.
        context: Commands that open the scope, as the verifier used them.
        namespace: Namespace that the context opens, or an empty string.
        toolchain: The Lean that checked the lemmas.
        lemmas: Their texts, in an order in which they compile.
    """
    header = _comment(
        "/-!",
        [
            f"Lemmas about `{neutral(theory)}`, found and verified by Lemmata with Lean "
            f"{neutral(toolchain)}.",
            "This file is generated from the database of the library. Do not edit it: a changed "
            "file is refused, and put back on request, by `lemmata library check`.",
        ],
    )
    parts = [header, STRICT.rstrip("\n"), context.strip("\n"), *lemmas]
    parts += [f"end {namespace}"] if namespace else []
    return import_lines(imports) + "\n" + "\n\n".join(p for p in parts if p) + "\n"


def import_lines(imports: Sequence[str]) -> str:
    """The head of a module: one line for each import."""
    return "".join(f"import {module_identifier(name)}\n" for name in imports)


def lemma_commands(context: str, namespace: str, lemma: str) -> str:
    """One lemma as a module body of its own, in the same scope as in its module."""
    parts = [context.strip("\n"), lemma, f"end {namespace}" if namespace else ""]
    return STRICT + "\n\n".join(p for p in parts if p) + "\n"


def lakefile_text(snapshots: Iterable[str]) -> str:
    """The Lake configuration of a library with these snapshot modules."""
    listed = "".join(f'  "{_toml(module_identifier(name))}",\n' for name in sorted(snapshots))
    snapshot_library = f'\n[[lean_lib]]\nname = "Snapshots"\nroots = []\nglobs = [\n{listed}]\n'
    return (
        'name = "lemmata_library"\ndefaultTargets = ["Lemmata"]\n\n'
        '[[lean_lib]]\nname = "Lemmata"\nglobs = ["Lemmata.+"]\n'
        + (snapshot_library if listed else "")
    )


def toolchain_line(version: str) -> str:
    """The content of ``lean-toolchain`` for a version such as ``4.28.0-pre``."""
    return f"leanprover/lean4:v{version.removesuffix('-pre')}\n"


def module_identifier(name: str) -> str:
    """A module name as Lean text: components that are no identifiers stand in ``«»``."""
    return ".".join(p if _IDENTIFIER.fullmatch(p) else f"«{p}»" for p in name.split("."))


def neutral(text: str) -> str:
    """Text that is harmless inside a Lean comment: one line, no comment marks, no controls."""
    visible = "".join(" " if _is_hidden(c) else c for c in text)
    line = " ".join(visible.split())
    return re.sub(r"(?<=-)(?=/)|(?<=/)(?=-)", " ", line)


def _is_hidden(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _comment(opening: str, paragraphs: Sequence[str]) -> str:
    if not paragraphs:
        return ""
    one_line = f"{opening} {paragraphs[0]} -/"
    if len(paragraphs) == 1 and len(one_line) <= WIDTH:
        return one_line
    wrapped = [
        textwrap.fill(p, WIDTH - 7, break_long_words=False, break_on_hyphens=False)
        for p in paragraphs
    ]
    if opening == "/--":
        body = "\n\n".join(wrapped)
        return f"{opening} {body} -/"
    return f"{opening}\n" + "\n\n".join(wrapped) + "\n-/"


def _assembled(doc: Doc | None, head: str, body: str) -> str:
    comment = docstring(doc) if doc else ""
    return "\n".join(part for part in (comment, head, body) if part)


def _proof_parts(proof: str) -> tuple[str, str]:
    """What stands on the line of the statement (``:= by``), and the indented lines below."""
    lines = [line.rstrip() for line in _unix(proof).strip().split("\n")]
    first = lines[0]
    if first == "by" or first.startswith("by "):
        rest = textwrap.dedent("\n".join(lines[1:])).strip("\n")
        tactics = [part for part in (first[2:].strip(), rest) if part]
        return ":= by", _indented("\n".join(tactics))
    term = "\n".join((first, textwrap.dedent("\n".join(lines[1:])))).strip("\n")
    return ":=", _indented(term)


def _indented(block: str) -> str:
    lines = textwrap.indent(block, INDENT).split("\n")
    return "\n".join(_wrapped_list(line) for line in lines)


def _wrapped_list(line: str) -> str:
    """Breaks a line that is too long behind commas inside brackets, as in ``simp [a, b]``."""
    margin = (len(line) - len(line.lstrip()) + 4) * " "
    done: list[str] = []
    depth = 0
    while len(line) > WIDTH:
        cut, depth = _last_comma(line, depth)
        if not cut:
            break
        done.append(line[:cut])
        line = margin + line[cut:].strip()
    return "\n".join((*done, line))


def _last_comma(line: str, depth: int) -> tuple[int, int]:
    """Where to break a line, 0 for nowhere, and how many brackets are open there."""
    cut, depth_at_cut = 0, depth
    for at, character in enumerate(line[:WIDTH]):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth > 0 and line[at : at + 2] == ", ":
            cut, depth_at_cut = at + 1, depth
    return cut, depth_at_cut


def _statement_lines(head: str, reserve: int) -> str:
    """Binders and statement on one line if they fit, else broken behind the colon."""
    if len(head) + reserve <= WIDTH or "\n" in head:
        return head
    colon = top_level_colon(head)
    if colon is None:
        return head
    binders, statement = head[:colon].rstrip(), head[colon + 1 :].strip()
    return f"{_wrapped_binders(binders)} :\n{2 * INDENT}{statement}"


def _wrapped_binders(text: str) -> str:
    """Breaks a line between binders where it is too long."""
    lines = [""]
    for group in _groups(text):
        if lines[-1] and len(lines[-1]) + len(group) + 3 > WIDTH:
            lines.append(2 * INDENT + group)
        else:
            lines[-1] = f"{lines[-1]} {group}" if lines[-1] else group
    return "\n".join(lines)


def _groups(text: str) -> list[str]:
    """Words and brackets with their content, as far as they stand at the top level."""
    groups, start, depth = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == " " and depth == 0:
            groups.append(text[start:at])
            start = at + 1
    return [group for group in (*groups, text[start:]) if group]


def top_level_colon(text: str) -> int | None:
    """Where the colon between binders and statement stands; ``None`` if that cannot be told."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == ":" and depth == 0 and text[at : at + 2] not in (":=", "::"):
            return at
    return None


def _line(signature: str) -> str:
    """A signature on one line where it has line breaks of no meaning; as it is otherwise."""
    text = _unix(signature).strip()
    return text if "\n" in text else re.sub(r" {2,}", " ", text) if '"' not in text else text


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n")


def _toml(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
