"""The library folder: what was verified, in a database and as a Lake package that agree.

The database is written first. One transaction holds the lemma, its edges, its audit entry and the
hash of the text that the Lean module must now have; the module is written afterwards. So after a
crash the module is made again, and a module that has none of the hashes that it was ever given
was changed by somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from engine.library.adoption import Trials, record_trials, try_again
from engine.library.contents import Contents, adopted, snapshots_of
from engine.library.files import WriterLock
from engine.library.findings import refusal
from engine.library.package import DATABASE, Package
from engine.library.records import (
    Adoption,
    AdoptionReport,
    Finding,
    WrittenLemma,
    full_name,
    library_module,
)
from engine.library.render import Doc, lemma_text, plain_lemma_text
from engine.library.soundness import elaborate, soundness_fault
from engine.model import Contribution, Label, MethodNode
from engine.sources.lean_module import Theory, node_id
from engine.store import LemmaRecord, Store
from engine.store.database import Clock, utc_now
from verifier.audit import first_error
from verifier.closing import Closing
from verifier.errors import InputError, StorageError
from verifier.lean import Environment, Lean
from verifier.progress import Progress, SilentProgress
from verifier.verifier import Verifier

LOCK_SECONDS = 5.0
_CHECK = "Run `lemmata library check` to see all of it."
_NAME_HINT = "Choose another name, or another statement."


class Library(Closing):
    """A library folder, open. Use :meth:`open` to write and :meth:`read` to look.

    Attributes:
        folder: Where it lies. store: Its database. package: Its files.
        conflicts: What was found at opening and left as it is; empty unless opened leniently.
    """

    def __init__(self, folder: Path, store: Store, lock: WriterLock | None) -> None:
        self.folder = folder
        self.store = store
        self.conflicts: tuple[Finding, ...] = ()
        self.package = Package(folder, store)
        self._lock = lock
        self._environments: dict[str, Environment] = {}

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        clock: Clock = utc_now,
        wait_seconds: float = LOCK_SECONDS,
        lenient: bool = False,
    ) -> Self:
        """Opens a library for writing, creates it where there is none, and mends what a crash left.

        Args:
            folder: The Lake package.
            clock: Source of time stamps.
            wait_seconds: How long to wait for another writer.
            lenient: Whether to note what others changed in ``conflicts`` instead of refusing.

        Raises:
            StorageError: Another process writes it, the disk fails, or a file or the database was
                changed by hand.
        """
        folder = Path(folder)
        lock = WriterLock(folder, wait_seconds)
        try:
            library = cls(folder, Store(folder / DATABASE, clock=clock), lock)
        except BaseException:
            lock.release()
            raise
        try:
            library._reconcile(lenient)
        except BaseException:
            library.close()
            raise
        return library

    @classmethod
    def read(cls, folder: Path | str) -> Self:
        """Opens a library to look at it; a writer may work at the same time.

        Raises:
            InputError: There is no library.
        """
        folder = Path(folder)
        if not (folder / DATABASE).is_file():
            raise InputError(
                f"there is no library in {folder}",
                "Name its folder with --library; `lemmata discover` makes one.",
            )
        return cls(folder, Store(folder / DATABASE), None)

    def close(self) -> None:
        """Closes the database and lets the next writer in."""
        self.store.close()
        if self._lock is not None:
            self._lock.release()

    @property
    def contents(self) -> Contents:
        """What the folder must consist of."""
        return self.package.contents

    def lemmas(self, theory: str | None = None) -> list[LemmaRecord]:
        """The verified lemmas in the order in which they compile, of one theory or of all."""
        adoptions = self.contents.adoptions.values()
        wanted = [a.module for a in adoptions if theory in (None, a.theory)]
        return [lemma for module in wanted for lemma in self.store.lemmas(module)]

    def find(self, name: str) -> LemmaRecord:
        """The lemma of a full or short name, or of a node id; also a retracted one.

        Raises:
            InputError: There is none, or several.
        """
        every = self.store.lemmas(retracted=True)
        found = [r for r in every if name in (r.node, r.name)] or [
            r for r in every if r.name.endswith(f".{name}")
        ]
        if len(found) != 1:
            listed = ", ".join(r.node for r in found)
            raise InputError(
                f"{name!r} could be {listed}" if found else f"the library has no lemma {name!r}",
                "Give the full name." if found else "`lemmata library list` shows all lemmas.",
            )
        return found[0]

    def adopt(
        self, theory: Theory, verifier: Verifier, progress: Progress | None = None
    ) -> AdoptionReport:
        """Takes a theory in: snapshots of its local modules, and a library module for its lemmas.

        Where a module is another than its snapshot, every lemma that rests on it is proved again.
        Those that fail are retracted with all that uses them; retracted ones that hold now come
        back. Nothing is written before all of it is known.

        Raises:
            InputError: A module's name cannot be in a library.
            StorageError: It could not be written.
        """
        self._require_lock()
        progress = progress or SilentProgress()
        before = self.contents.adoptions.get(theory.name)
        adoption = adopted(theory, str(verifier.lean.toolchain))
        if before is not None and before.context == adoption.context:
            adoption = before
        future = self.contents.with_theory(snapshots_of(theory), adoption)
        changed = [m for m, s in self.contents.snapshots.items() if future.snapshots[m] != s]
        if before is not None and before.context != adoption.context:
            changed.append(theory.name)
        affected = future.above(changed) if changed else []
        trials = try_again(self.store, future, affected, verifier, progress)
        report = self._enact(future, trials)
        self.package.write_toolchain(verifier.lean)
        return replace(report, changed=tuple(sorted(changed)))

    def environment(self, theory: Theory, lean: Lean) -> Environment:
        """The theory with all lemmas so far, which Lean has just found sound.

        The first call elaborates the modules whole; a lemma that is written afterwards costs
        itself alone.

        Raises:
            InputError: The theory was not adopted as it is now.
            StorageError: A module does not compile, or is not what the database says.
        """
        known = self.contents.snapshots
        if theory.name not in self.contents.adoptions or any(
            known.get(s.module) != s for s in snapshots_of(theory)
        ):
            raise InputError(
                f"the library does not know {theory.name} as it is now", "Adopt the theory first."
            )
        return self._environment(self.contents.adoptions[theory.name], lean)

    def taken(self, theory: Theory, lean: Lean) -> Callable[[str], bool]:
        """The question whether a short name is taken: by a lemma of any theory, or by Lean."""
        environment = self.environment(theory, lean)
        names = {lemma.name for lemma in self.store.lemmas(retracted=True)}

        def is_taken(name: str) -> bool:
            full = full_name(name, theory.namespace)
            return full in names or lean.declarations(environment, [full])[0] is not None

        return is_taken

    def write(
        self,
        node: MethodNode,
        contributions: Iterable[Contribution],
        *,
        name: str,
        signature: str,
        proof: str,
        lean: Lean,
        doc: Doc | None = None,
    ) -> WrittenLemma:
        """Joins a verified lemma to the library: database first, then its Lean module.

        When this returns, the lemma survives a crash. If it raises :class:`StorageError` after
        the database was written, the lemma is safe and its module follows at the next write or
        opening. Writing the same node again changes nothing.

        Args:
            node: The lemma, ``verified``; id, module, name, statement and proof must agree with
                the other arguments. :meth:`place` gives the first three.
            contributions: The edges into it.
            name: As written inside the theory's namespace.
            signature: Binders and type.
            proof: Lean text after ``:=``.
            lean: Elaborates the text as it will stand in the module.
            doc: What its docstring tells.

        Raises:
            InputError: The node is not verified or does not agree, the name is taken, or the text
                does not add exactly this theorem.
            StorageError: It could not be written.
            SessionLost: Lean hung or died; nothing was written.
        """
        self._require_lock()
        adoption = self.contents.adoption_of(node.module)
        _require_agreement(node, adoption, name, signature, proof)
        environment = self._environment(adoption, lean)
        present = self._present(node)
        if present is None:
            text, environment = accepted_text(environment, adoption, node, name, doc, lean)
            present = self._join(node, contributions, text, adoption, environment)
        self.package.flush()
        return WrittenLemma(present, self.store.node(node.id), environment)

    def retract(self, node_id: str, reason: str) -> list[MethodNode]:
        """Withdraws a lemma and all that uses it, from the database and from the modules.

        Returns:
            The lemma's node, retracted; then those of the conjectures that it leaves.

        Raises:
            InputError: There is no such node, or it is not verified.
            StorageError: It could not be written.
        """
        with self.rewriting():
            fallen = self.store.retract(node_id, reason)
        return fallen

    def withdraw(self, node_id: str, reason: str) -> None:
        """Takes a lemma out that others make needless, from the database and from its module.

        Raises:
            InputError: There is no such lemma, or a proof uses it.
            StorageError: It could not be written.
        """
        with self.rewriting():
            self.store.withdraw(node_id, reason)

    @contextmanager
    def rewriting(self) -> Iterator[list[Path]]:
        """A change of lemmas: all of it or nothing in the database, then the modules follow.

        Yields:
            A list that is filled at the end: files that were put aside, since somebody else had
            written them.

        Raises:
            StorageError: It could not be written.
        """
        self._require_lock()
        aside: list[Path] = []
        with self.store.transaction():
            yield aside
            self.package.record(self.contents)
        self._environments.clear()
        aside += self.package.put_aside()
        self.package.flush()

    def place(self, theory: Theory, name: str) -> dict[str, str]:
        """Fields ``id``, ``module`` and ``name`` of the node for a lemma of that short name."""
        full, module = full_name(name, theory.namespace), library_module(theory.name)
        return {"id": node_id(module, full), "module": module, "name": full}

    def restore(self) -> list[Path]:
        """Writes every file as the database says; a changed one is kept under another name.

        Returns:
            The files that were put aside.

        Raises:
            StorageError: The database was changed by hand: it is no measure for the files.
        """
        self._require_lock()
        if distrust := self.package.distrust():
            raise refusal(distrust)
        aside = self.package.put_aside()
        self._reconcile(lenient=False)
        return aside

    def _reconcile(self, lenient: bool) -> None:
        self.conflicts = tuple(self.package.reconcile(lenient))
        if self.conflicts and not lenient:
            raise refusal(self.conflicts)

    def _require_lock(self) -> None:
        if self._lock is None:
            raise StorageError(
                f"the library {self.folder} is open for reading only", "Open it with Library.open."
            )

    def _enact(self, future: Contents, trials: Trials) -> AdoptionReport:
        with self.store.transaction():
            future.witness()
            report = record_trials(self.store, trials)
            self.package.record(future)
        self.package.contents = future
        self._environments.clear()
        self.package.flush()
        self.package.write_lakefile()
        return report

    def _join(
        self,
        node: MethodNode,
        contributions: Iterable[Contribution],
        text: str,
        adoption: Adoption,
        environment: Environment,
    ) -> LemmaRecord:
        is_first = not self.contents.has_lemmas(adoption.module)
        with self.store.transaction():
            record = self.store.append_lemma(node, contributions, text)
            if is_first:  # modules of theories above import this one from now on
                self.package.record(self.contents)
            else:
                self.package.record_one(adoption.module, self.contents.module(adoption))
        if is_first:
            self._environments.clear()
        self._environments[adoption.module] = environment
        return record

    def _present(self, node: MethodNode) -> LemmaRecord | None:
        present = self.store.lemma_of(node.id)
        if present is None or present.label is not Label.VERIFIED:
            self._require_free(node)
            return None
        if self.store.node(node.id).statement != node.statement:
            raise InputError(f"{node.name} is in the library with another statement", _NAME_HINT)
        return present

    def _require_free(self, node: MethodNode) -> None:
        for lemma in self.store.lemmas(retracted=True):
            if lemma.name == node.name and lemma.node != node.id:
                raise InputError(f"the name {node.name} is taken by {lemma.node}", _NAME_HINT)

    def _environment(self, adoption: Adoption, lean: Lean) -> Environment:
        if adoption.module not in self._environments:
            environment = self.contents.theory_environment(adoption.theory)
            for each in (*self.contents.below(adoption), adoption):
                environment = self._loaded(environment, each, lean)
            self._environments[adoption.module] = environment
        return self._environments[adoption.module]

    def _loaded(self, environment: Environment, adoption: Adoption, lean: Lean) -> Environment:
        """The environment with a library module, after Lean has found all of it sound."""
        text = self.contents.module(adoption)
        start = self.contents.body_start(adoption)
        extension = lean.extend(environment, text, start)
        if error := first_error(extension.messages):
            where = f"{self.package.path_of(adoption.module)}:{error.line}:{error.column}"
            raise StorageError(f"{where}: the library does not compile: {error.text}", _CHECK)
        if extension.refused:
            refused = "; ".join(extension.refused)
            raise StorageError(f"the kernel refuses {refused} in {adoption.module}", _CHECK)
        nodes = [self.store.node(record.node) for record in self.store.lemmas(adoption.module)]
        found = lean.declarations(extension.environment, [node.name or "" for node in nodes])
        for node, declaration in zip(nodes, found, strict=True):
            if fault := soundness_fault(declaration):
                raise StorageError(f"{node.name} of the library is not sound: {fault}", _CHECK)
        return extension.environment


def _require_agreement(
    node: MethodNode, adoption: Adoption, name: str, signature: str, proof: str
) -> None:
    full = full_name(name, adoption.namespace)
    expected = {
        "label": Label.VERIFIED,
        "id": node_id(adoption.module, full),
        "name": full,
        "statement": signature,
        "proof": proof,
    }
    for field, value in expected.items():
        if getattr(node, field) != value:
            raise InputError(
                f"{node.id} cannot join the library: its {field} is {getattr(node, field)!r}, "
                f"not {value!r}",
                "Only what the verifier accepted may join, as it was accepted.",
            )


def accepted_text(
    environment: Environment,
    adoption: Adoption,
    node: MethodNode,
    name: str,
    doc: Doc | None,
    lean: Lean,
) -> tuple[str, Environment]:
    """The text that adds exactly this theorem: laid out if Lean reads it so, else as proved."""
    fault = ""
    for render in (lemma_text, plain_lemma_text):
        text = render(name, node.statement, node.proof or "", doc)
        fault, extension = elaborate(environment, adoption, node, text, lean)
        if not fault:
            return text, extension.environment
    raise InputError(
        f"{node.name} cannot join the library: {fault}",
        "Its statement, proof or name means something else where the library stands now.",
    )
