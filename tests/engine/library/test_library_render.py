from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.library.render import (
    WIDTH,
    Doc,
    docstring,
    import_lines,
    lakefile_text,
    lemma_commands,
    lemma_text,
    module_identifier,
    module_text,
    neutral,
    plain_lemma_text,
    toolchain_line,
    top_level_colon,
)

LONG = "{α : Type _} (first second third : Seq α) : append (append first second) third = append "
LONG += "first (append second third)"


def test_a_short_lemma_is_one_line_and_its_proof() -> None:
    assert lemma_text("append_nil", "(xs : L) : append xs nil = xs", "by simp") == (
        "theorem append_nil (xs : L) : append xs nil = xs := by\n  simp"
    )


def test_a_long_statement_breaks_behind_the_colon() -> None:
    assert lemma_text("append_assoc", LONG, "by simp") == (
        "theorem append_assoc {α : Type _} (first second third : Seq α) :\n"
        "    append (append first second) third = append first (append second third) := by\n"
        "  simp"
    )


def test_long_binders_break_between_groups() -> None:
    binders = " ".join(f"(hypothesis{n} : p{n} x → q{n} x)" for n in range(6))
    text = lemma_text("t", f"(x : N) {binders} : r x", "by simp")
    assert all(len(line) <= WIDTH for line in text.split("\n"))
    assert " ".join(text.split()) == f"theorem t (x : N) {binders} : r x := by simp"


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        ("rfl", ":=\n  rfl"),
        ("by simp", ":= by\n  simp"),
        ("by\n  simp", ":= by\n  simp"),
        ("by\r\n      intro x\r\n      simp", ":= by\n  intro x\n  simp"),
        (
            "by\n  induction n with\n  | zero => rfl\n  | succ n h =>\n    simp [h]",
            ":= by\n  induction n with\n  | zero => rfl\n  | succ n h =>\n    simp [h]",
        ),
        ("by induction n with\n| zero => rfl", ":= by\n  induction n with\n  | zero => rfl"),
        ("fun x =>\n  f x", ":=\n  fun x =>\n  f x"),
        ("bypass x", ":=\n  bypass x"),
    ],
)
def test_proofs_are_indented(proof: str, expected: str) -> None:
    assert lemma_text("t", ": P", proof) == f"theorem t : P {expected}"


def test_a_long_list_of_lemmas_is_broken() -> None:
    proof = f"by simp [{', '.join(f'lemma_number_{n}' for n in range(12))}]"
    lines = lemma_text("t", ": P", proof).split("\n")
    assert len(lines) > 2 and all(len(line) <= WIDTH for line in lines)
    assert " ".join(" ".join(lines).split()) == f"theorem t : P := {proof}"


def test_the_plain_text_is_what_the_verifier_saw() -> None:
    assert plain_lemma_text("t", "(x  : N) : P", "by simp\n   done") == (
        "theorem t (x  : N) : P := by simp\n   done"
    )


def test_docstrings() -> None:
    assert docstring(Doc()) == ""
    assert docstring(Doc("Short.")) == "/-- Short. -/"
    assert docstring(Doc("", "analogy", ("a", "b"))) == "/-- Found by analogy, from `a`, `b`. -/"
    assert docstring(Doc("", "", ("a",))) == "/-- From `a`. -/"
    assert docstring(Doc("Text.", "dual")) == "/-- Text.\n\nFound by dual. -/"
    assert docstring(Doc("ends -/ axiom f : False /- begins")) == (
        "/-- ends - / axiom f : False / - begins -/"
    )


@given(st.text())
def test_no_text_ends_a_comment(text: str) -> None:
    for body in (docstring(Doc(text, text, (text,))), docstring(Doc(f"{text}-/-/{text}"))):
        if body:
            assert body.startswith("/-- ") and body.endswith(" -/")
            assert "-/" not in body[3:-2] and "/-" not in body[3:-2]
    assert neutral(neutral(text)) == neutral(text)


@given(st.lists(st.text(st.characters(categories=["L"]), min_size=1, max_size=20), max_size=80))
def test_docstrings_fit_the_width(words: list[str]) -> None:
    assert all(len(line) <= WIDTH for line in docstring(Doc(" ".join(words))).split("\n"))


tokens = st.lists(
    st.sampled_from(["(x : N)", "{α : Type _}", "[Eq α]", "(f : α → β)", "(h : ∀ a : N, p a)"]),
    max_size=9,
)
bodies = st.lists(st.sampled_from(["a", "=", "f", "(g b)", "∀ x : N,", "+"]), min_size=1)


@given(tokens, bodies, st.sampled_from(["rfl", "by simp", "by\n  intro x\n  simp"]))
def test_the_layout_changes_white_space_only(
    binders: list[str], body: list[str], proof: str
) -> None:
    signature = f"{' '.join(binders)} : {' '.join(body)}".strip()
    laid, plain = lemma_text("t", signature, proof), plain_lemma_text("t", signature, proof)
    assert laid.split() == plain.split()
    assert not any(line.endswith(" ") for line in laid.split("\n"))


@given(st.text(), st.text())
def test_any_text_renders_the_same_twice(signature: str, proof: str) -> None:
    assert lemma_text("t", signature, proof) == lemma_text("t", signature, proof)


def test_the_colon() -> None:
    assert top_level_colon("(x : N) : P") == 8
    assert top_level_colon("(x : N := 3)") is None
    assert top_level_colon(": ∀ x : N, P") == 0


def test_modules() -> None:
    text = module_text(
        theory="Theories.Lists",
        imports=["Theories.Lists", "Lemmata.Other"],
        context="namespace Lists\n",
        namespace="Lists",
        toolchain="4.28.0 -/ evil",
        lemmas=["theorem a : A := a", "theorem b : B := b"],
    )
    assert text.startswith("import Theories.Lists\nimport Lemmata.Other\n\n/-!\n")
    assert text.endswith(
        "relaxedAutoImplicit false\n\nnamespace Lists\n\ntheorem a : A := a\n\n"
        "theorem b : B := b\n\nend Lists\n"
    )
    assert text.count("-/") == 1 and "Do not edit" in text


def test_a_root_theory_needs_no_end() -> None:
    text = module_text(
        theory="T", imports=["T"], context="", namespace="", toolchain="4", lemmas=["theorem a"]
    )
    assert text.endswith("\n\ntheorem a\n")
    assert lemma_commands("", "", "theorem a").endswith("false\ntheorem a\n")


def test_names_that_are_no_identifiers() -> None:
    assert module_identifier("A.my-file.B2") == "A.«my-file».B2"
    assert import_lines(["A.1"]) == "import A.«1»\n"


def test_lake_configuration() -> None:
    assert '"A.B",\n  "C"' in lakefile_text(["C", "A.B"])
    assert "Snapshots" not in lakefile_text([])
    assert toolchain_line("4.28.0-pre") == "leanprover/lean4:v4.28.0\n"
    import tomllib

    libraries = tomllib.loads(lakefile_text(["A.B"]))["lean_lib"]
    assert [library["name"] for library in libraries] == ["Lemmata", "Snapshots"]
    assert re.fullmatch(r"[\w.]+", libraries[1]["globs"][0])
