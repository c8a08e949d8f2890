"""QuickSpec's laws become statements over our theories, every one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.evaluation.benchmarks import VARIABLE, benchmark_folder
from engine.evaluation.explore_bench import stated_goldens
from engine.evaluation.goldens import BENCHMARK, DICTIONARIES, Dictionary, Translator, read_goldens
from engine.evaluation.haskell import read_output
from engine.evaluation.theories import theory_file
from engine.language.term import Symbol, Type, function_type
from engine.language.term import type_variable as variable
from engine.sources.lean_module import read_theory
from verifier.errors import InputError
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.verifier import Verifier

A, B = variable("α"), variable("β")
SEQ_A, SEQ_B, BOOL = Type("Seq", (A,)), Type("Seq", (B,)), Type("Bool")
SYMBOLS = {
    s.name: s
    for s in (
        Symbol("nil", (), SEQ_A, "nil"),
        Symbol("append", (SEQ_A, SEQ_A), SEQ_A, "append"),
        Symbol("map", (function_type(A, B), SEQ_A), SEQ_B, "map"),
        Symbol("concat", (Type("Seq", (SEQ_A,)),), SEQ_A, "concat"),
        Symbol("empty", (SEQ_A,), BOOL, "empty"),
        Symbol("tt", (), BOOL, "tt"),
    )
}
DICTIONARY = Dictionary(
    {"[]": "nil", "++": "append", "map": "map", "concat": "concat", "null": "empty"},
    {"[]": "Seq", "Bool": "Bool"},
    truth="tt",
)
HEAD = """== Functions ==
(++) :: [a] -> [a] -> [a]
map :: (a -> b) -> [a] -> [b]
null :: [a] -> Bool
== Laws ==
"""


def stated(law: str) -> str:
    output = read_output(f"{HEAD}  1. {law}\n")
    translator = Translator(DICTIONARY, SYMBOLS)
    translator.require_types(output)
    return translator.golden(output.laws[0]).statement


@pytest.mark.parametrize(
    ("law", "statement"),
    [
        ("xs ++ [] = xs", "{α : Type _} (xs : Seq α) : append xs nil = xs"),
        (
            "map ((++) xs) xss = xss",
            "{α : Type _} (xs : Seq α) (xss : Seq (Seq α)) : map (append xs) xss = xss",
        ),
        ("null xs => xs = []", "{α : Type _} (xs : Seq α) (h : empty xs = tt) : xs = nil"),
        ("null (xs ++ xs)", "{α : Type _} (xs : Seq α) : empty (append xs xs) = tt"),
        (
            "concat [] = []",
            "{α : Type _} : concat (nil : Seq (Seq α)) = (nil : Seq α)",
        ),
    ],
)
def test_laws_are_stated_with_their_most_general_types(law: str, statement: str) -> None:
    assert stated(law) == statement


def test_an_ill_typed_law_is_refused() -> None:
    with pytest.raises(InputError, match="ill-typed"):
        stated("null xs = xs")


def test_a_function_of_another_type_is_refused() -> None:
    output = read_output("== Functions ==\nnull :: [a] -> [a]\n== Laws ==\n 1. null xs = xs\n")
    with pytest.raises(InputError, match="another type"):
        Translator(DICTIONARY, SYMBOLS).require_types(output)


def test_a_function_without_counterpart_is_refused() -> None:
    output = read_output("== Functions ==\nfilter :: [a] -> [a]\n== Laws ==\n")
    with pytest.raises(InputError, match="no counterpart"):
        Translator(DICTIONARY, SYMBOLS).require_types(output)


def test_the_benchmark_is_found_where_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(InputError, match="the benchmark quickspec is not there"):
        benchmark_folder("quickspec")
    (tmp_path / "quickspec").mkdir()
    assert benchmark_folder("quickspec") == tmp_path / "quickspec"


def test_the_benchmark_is_found_above_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "shared" / "benchmarks" / "quickspec").mkdir(parents=True)
    below = tmp_path / "project" / "inner"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    found = benchmark_folder("quickspec")
    assert found.resolve() == (tmp_path / "shared" / "benchmarks" / "quickspec").resolve()


@pytest.mark.lean
def test_every_published_law_elaborates(
    session: Session, installation: EmbeddedLean, verifier: Verifier
) -> None:
    try:
        folder = benchmark_folder(BENCHMARK)
    except InputError as error:
        pytest.skip(f"{error.message}; {error.hint}")
    laws = 0
    for name in DICTIONARIES:
        theory = read_theory(theory_file("quickspec", name), session, installation.has_module)
        laws += len(stated_goldens(read_goldens(folder, name, theory), theory, verifier))
    assert laws == 89
