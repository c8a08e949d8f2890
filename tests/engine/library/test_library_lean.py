"""The library with the real Lean."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from engine.library.check import check_library
from engine.library.export import export_proofs
from engine.library.library import Library
from engine.library.naming import choose_name
from engine.library.native_check import check_natively
from engine.library.records import WrittenLemma
from engine.library.render import Doc
from engine.library.retraction import retract_failed
from engine.library.reverification import reverify_some
from engine.model import Contribution, Label, MethodNode, NodeKind
from engine.sources.lean_module import Theory, nodes_of, read_theory
from verifier.errors import InputError
from verifier.kernel.format import Axiom, declared, name_text, read
from verifier.lean import Statement
from verifier.progress import SilentProgress
from verifier.session import Session
from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.native.discovery import discover
from verifier.toolchain.native.lean import NativeLean
from verifier.verifier import Verifier

pytestmark = pytest.mark.lean

THEORIES = Path(__file__).parents[3] / "lean_project"
LEMMAS = (
    ("{α : Type _} (xs : Seq α) : append xs .nil = xs", "by induction xs <;> simp_all [append]"),
    (
        "{α : Type _} (xs ys zs : Seq α) : append (append xs ys) zs = append xs (append ys zs)",
        "by\n    induction xs with\n    | nil => rfl\n    | cons x xs ih => simp [append, ih]",
    ),
    (
        "{α : Type _} (xs ys : Seq α) : reverse (append xs ys) = append (reverse ys) (reverse xs)",
        "by induction xs <;> simp_all [append, reverse, append_nil, append_assoc]",
    ),
)


def installed(module: str) -> bool:
    return module.split(".")[0] in ("Init", "Std", "Lean")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return shutil.copytree(THEORIES, tmp_path / "project")


@pytest.fixture
def lists(project: Path, session: Session) -> Theory:
    return read_theory(project / "Theories/Lists.lean", session, installed)


@pytest.fixture
def grown(folder: Path, lists: Theory, session: Session, verifier: Verifier) -> Iterator[Library]:
    with Library.open(folder) as library:
        library.adopt(lists, verifier)
        for node in nodes_of(lists):
            library.store.upsert_node(node)
        for signature, proof in LEMMAS:
            join(library, lists, verifier, signature, proof)
        yield library


def join(
    library: Library, theory: Theory, verifier: Verifier, signature: str, proof: str
) -> WrittenLemma:
    """The way of a lemma through verifier, naming and write-back."""
    environment = library.environment(theory, verifier.lean)
    statement = Statement(environment, "candidate", signature, theory.context)
    verdict = verifier.check(statement, proof)
    assert verdict.verified, verdict
    words = signature.rpartition(" : ")[2].replace("(", " ").replace(")", " ").replace(".", "Seq.")
    left, _, right = words.partition(" = ")
    name = choose_name(
        left.split(),
        right.split(),
        variables={"xs", "ys", "zs", "t"},
        taken=library.taken(theory, verifier.lean),
    )
    node = MethodNode.model_validate(
        {
            **library.place(theory, name),
            "kind": NodeKind.THEOREM,
            "statement": signature,
            "proof": proof,
            "label": Label.VERIFIED,
            "premises": verdict.premises,
            "toolchain": verdict.toolchain,
        }
    )
    parent = next(e.node_id for e in theory.entries if e.declaration.kind == "definition")
    edge = Contribution(parent=parent, child=node.id, rating=5, explanation="is about it")
    return library.write(
        node,
        [edge] if library.store.find_node(parent) else [],
        name=name,
        signature=signature,
        proof=proof,
        lean=verifier.lean,
        doc=Doc("Ends early? -/ axiom no : False", "induction", ("append",)),
    )


def test_lemmas_join_and_are_found_sound(grown: Library, verifier: Verifier) -> None:
    assert [lemma.name for lemma in grown.lemmas()] == [
        "Lists.append_nil",
        "Lists.append_assoc",
        "Lists.reverse_append",
    ]
    report = check_library(grown, verifier)
    assert report.findings == () and report.proved == 3
    assert grown.store.contributions_into(grown.find("append_nil").node)


def test_the_package_can_be_imported(
    grown: Library, folder: Path, tmp_path: Path, session: Session
) -> None:
    shutil.copytree(folder, tmp_path / "third")
    third = tmp_path / "third/Third.lean"
    third.write_text(
        "import Lemmata.Theories.Lists\n\n"
        "theorem third (xs : Lists.Seq Nat) : Lists.append (Lists.append xs .nil) .nil = xs := by\n"
        "  rw [Lists.append_assoc, Lists.append, Lists.append_nil]\n"
    )
    theory = read_theory(third, session, installed)
    found = {e.declaration.name: e.declaration for e in theory.entries}
    assert "Lists.append_nil" in found["third"].value_constants
    assert (found["Lists.reverse_append"].doc or "").startswith("Ends early? - / axiom")


def test_the_users_own_lean_proves_it_again_and_finds_what_fails(
    grown: Library, installation: EmbeddedLean
) -> None:
    native = NativeLean(discover(grown.folder, str(ensure_commands() / "lean")))
    report = check_natively(grown, native)
    assert report.findings == () and report.proved == 3
    assert report.kernels == (report.toolchain,) and "native" in report.toolchain

    lemma = grown.find("append_assoc")
    edited = lemma.text.replace("cons x xs ih => simp [append, ih]", "cons x xs ih => skip")
    assert edited != lemma.text
    with sqlite3.connect(grown.folder / "lemmata.sqlite") as database:
        database.execute("UPDATE lemmas SET text = ? WHERE node = ?", (edited, lemma.node))
    findings = check_natively(grown, native).findings
    failed = {f.where for f in findings if f.code == "lemma_fails"}
    assert failed == {lemma.node, grown.find("reverse_append").node}, "it, and what rests on it"


def test_proofs_are_exported_for_other_checkers(
    grown: Library, session: Session, tmp_path: Path
) -> None:
    files = export_proofs(grown, tmp_path / "out", session, SilentProgress())
    assert files == [Path("Lemmata.Theories.Lists.ndjson"), Path("assumed.json")]
    export = read((tmp_path / "out" / files[0]).read_bytes())
    made = {name_text(n): d for d in export.declarations for n in declared(d)}
    assert {"Lists.append_nil", "Lists.append_assoc", "Lists.Seq.rec", "Eq.rec"} <= set(made)
    assumed = orjson.loads((tmp_path / "out/assumed.json").read_bytes())[str(files[0])]
    axioms = {n for n, d in made.items() if isinstance(d, Axiom)}
    assert axioms - set(assumed) <= {"propext", "Classical.choice", "Quot.sound"}
    with pytest.raises(InputError):
        export_proofs(grown, tmp_path / "out", session, SilentProgress())


def test_a_reopened_library_has_the_same_lemmas(
    grown: Library, folder: Path, lists: Theory, session: Session
) -> None:
    grown.close()
    with Library.open(folder) as library:
        environment = library.environment(lists, session)
        (found,) = session.declarations(environment, ["Lists.reverse_append"])
        assert found is not None and found.kind == "theorem"
        assert library.contents.theory_environment(lists.name) == lists.environment


def test_a_changed_function_takes_its_lemmas_down(
    grown: Library, project: Path, lists: Theory, session: Session, verifier: Verifier
) -> None:
    trees = read_theory(project / "Theories/Trees.lean", session, installed)
    grown.adopt(trees, verifier)
    proof = "by induction t <;> simp_all [mirror, inorder, Lists.reverse, Lists.reverse_append, "
    proof += "Lists.append_assoc, Lists.append]"
    signature = "{α : Type _} (t : Tree α) : inorder (mirror t) = Lists.reverse (inorder t)"
    join(grown, trees, verifier, signature, proof)
    path = project / "Theories/Lists.lean"
    text = path.read_text()
    path.write_text(text.replace("append (reverse xs) (cons x nil)", "cons x (reverse xs)"))
    report = grown.adopt(read_theory(path, session, installed), verifier)
    assert report.kept == ("Lists.append_nil", "Lists.append_assoc")
    assert [name for name, _ in report.retracted] == [
        "Lists.reverse_append",
        "Trees.inorder_mirror",
    ]
    assert check_library(grown, verifier).findings == ()
    path.write_text(text)
    report = grown.adopt(read_theory(path, session, installed), verifier)
    assert report.restored == ("Lists.reverse_append", "Trees.inorder_mirror")
    assert check_library(grown, verifier).ok


def test_what_lean_finds_in_an_edited_module(
    grown: Library, folder: Path, verifier: Verifier
) -> None:
    path = grown.package.path_of("Lemmata.Theories.Lists")
    text = path.read_text().replace(
        "append xs .nil = xs := by", "append xs .nil = .nil := by sorry"
    )
    text = text.replace("end Lists\n", "axiom no : False\nunsafe def f := 1\nend Lists\n")
    path.write_text(text.replace("by sorry\n  induction xs <;> simp_all [append]", "by sorry"))
    codes = {(f.code, f.where) for f in check_library(grown, verifier).findings}
    assert ("unsound", "Lists.append_nil") in codes
    assert ("not_a_theorem", "Lists.no") in codes and ("not_a_theorem", "Lists.f") in codes
    assert "module_edited" in {code for code, _ in codes}


FALSE = "{α : Type _} (xs ys : Seq α) : append xs ys = append ys xs"


def test_a_planted_false_lemma_is_found_and_taken_out(
    grown: Library, lists: Theory, verifier: Verifier
) -> None:
    """Database, module and history agree about it: only another proof can tell."""
    node = MethodNode.model_validate(
        {
            **grown.place(lists, "append_comm"),
            "kind": NodeKind.THEOREM,
            "statement": FALSE,
            "proof": "by induction xs <;> simp_all [append]",
            "label": Label.VERIFIED,
        }
    )
    text = f"theorem append_comm {FALSE} := by\n  sorry"
    with grown.rewriting():
        grown.store.append_lemma(node, (), text)
    for name, signature, proof, premises in (
        ("nil_append_nil", ": append (.nil : Seq Nat) .nil = .nil", "by rw [append_comm, append]",
         ("Lists.append_comm",)),
        ("all_equal", "{α : Type _} (x y : α) : Seq.cons x (.cons y .nil) = .cons y (.cons x .nil)",
         "append_comm (.cons x .nil) (.cons y .nil)", ("Lists.append_comm",)),
    ):  # fmt: skip
        fields = {"id": f"Lemmata.Theories.Lists:Lists.{name}", "name": f"Lists.{name}"}
        more = {"statement": signature, "proof": proof, "premises": premises}
        lemma = node.model_copy(update={**fields, **more})
        with grown.rewriting():
            grown.store.append_lemma(lemma, (), f"theorem {name} {signature} := {proof}")
    assert grown.package.compare() == []

    found = reverify_some(grown, verifier, 6)
    assert node.id in found.failed and len(found.trials) == 6
    report = retract_failed(grown, found.failed, verifier)
    assert [name for name, _ in report.retracted] == ["Lists.append_comm"]
    assert [name for name, _ in report.demoted] == ["Lists.all_equal"]
    assert [name for name, _ in report.reproved] == ["Lists.nil_append_nil"]
    checked = check_library(grown, verifier)
    assert checked.ok and checked.proved == 4
    events = {e.event for e in grown.store.audit_entries()}
    assert {"lemma.retracted", "lemma.demoted", "lemma.reproved"} <= events
    assert grown.store.verify_chain().intact
    assert "append_comm" not in grown.package.path_of(node.module).read_text()


def test_a_hostile_name_or_text_is_refused(
    grown: Library, lists: Theory, verifier: Verifier
) -> None:
    signature, before = ": 1 = 1", len(grown.lemmas())
    for name, proof in (("x : 1 = 1 := rfl\n\naxiom", "rfl"), ("y", "rfl\n\naxiom no : False")):
        node = MethodNode.model_validate(
            {
                **grown.place(lists, name),
                "kind": NodeKind.THEOREM,
                "statement": signature,
                "proof": proof,
                "label": Label.VERIFIED,
            }
        )
        with pytest.raises(InputError):
            grown.write(node, (), name=name, signature=signature, proof=proof, lean=verifier.lean)
    assert len(grown.lemmas()) == before
