"""What a library must consist of according to its store, as file contents.

The store is written first and the files follow from it, so whatever a crash left behind can be
made again. Snapshots and adoptions are events of the audit chain: they are witnessed like lemmas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self, TypeVar

import orjson

from engine.library.records import LIBRARY_ROOT, Adoption, Snapshot
from engine.library.render import import_lines, lakefile_text, module_text
from engine.model import Frozen
from engine.sources.lean_module import Theory
from engine.store import Store
from engine.store.database import decode_model
from verifier.errors import InputError
from verifier.lean import Environment
from verifier.modules import Module

ADOPTED = "theory.adopted"
SNAPSHOT = "snapshot.taken"
RENDERED = "module.rendered"
LAKEFILE = "lakefile.toml"

FrozenT = TypeVar("FrozenT", bound=Frozen)


class Contents:
    """The adopted theories of a store, with the texts that follow.

    A value of the moment; lemmas alone are read when asked for.

    Attributes:
        snapshots: By module.
        adoptions: By theory, in an order in which their lemmas compile.
    """

    def __init__(
        self, store: Store, snapshots: Mapping[str, Snapshot], adoptions: Mapping[str, Adoption]
    ) -> None:
        self._store = store
        self.snapshots = dict(snapshots)
        self.adoptions = dict(adoptions)
        for name in sorted(adoptions, key=lambda t: (len(self.closure(t)), t)):
            self.adoptions[name] = self.adoptions.pop(name)

    @classmethod
    def of(cls, store: Store) -> Self:
        """The contents according to a store."""
        return cls(store, _latest(store, SNAPSHOT, Snapshot), _latest(store, ADOPTED, Adoption))

    def with_theory(self, snapshots: Iterable[Snapshot], adoption: Adoption) -> Contents:
        """The contents after a theory was adopted."""
        return Contents(
            self._store,
            self.snapshots | {s.module: s for s in snapshots},
            self.adoptions | {adoption.theory: adoption},
        )

    def adoption_of(self, module: str) -> Adoption:
        """The adoption that a library module belongs to.

        Raises:
            InputError: There is none.
        """
        for adoption in self.adoptions.values():
            if adoption.module == module:
                return adoption
        raise InputError(
            f"the library has no module {module!r}", "Adopt the theory that its lemmas are about."
        )

    def closure(self, theory: str) -> tuple[Snapshot, ...]:
        """The theory's snapshots in an order in which they compile; it is the last."""
        return self._walk(theory)[0]

    def theory_environment(self, theory: str) -> Environment:
        """The theory alone, with the same key as when it was read from its file."""
        snapshots, external = self._walk(theory)
        environment = Environment(external or ("Init",))
        for snapshot in snapshots:
            environment = environment.extended(snapshot.text, snapshot.body_start)
        return environment

    def imported(self, adoption: Adoption) -> list[Adoption]:
        """Adoptions of the modules that a theory imports."""
        local = {s.module for s in self.closure(adoption.theory)} - {adoption.theory}
        return [a for a in self.adoptions.values() if a.theory in local]

    def below(self, adoption: Adoption) -> list[Adoption]:
        """Adoptions of the modules that a theory imports, as far as they have lemmas."""
        return [a for a in self.imported(adoption) if self.has_lemmas(a.module)]

    def above(self, modules: Iterable[str]) -> list[Adoption]:
        """Adoptions of theories that are among the modules or import one of them."""
        wanted = set(modules)
        return [
            a
            for a in self.adoptions.values()
            if wanted.intersection(s.module for s in self.closure(a.theory))
        ]

    def witness(self) -> None:
        """Notes in the store's audit chain what is not there yet; call it in a transaction."""
        known = Contents.of(self._store)
        for module, snapshot in self.snapshots.items():
            if known.snapshots.get(module) != snapshot:
                self._store.audit(SNAPSHOT, module, snapshot.model_dump())
        for theory, adoption in self.adoptions.items():
            if known.adoptions.get(theory) != adoption:
                self._store.audit(ADOPTED, theory, adoption.model_dump())

    def has_lemmas(self, module: str) -> bool:
        """Whether a library module has a verified lemma."""
        return bool(self._store.lemmas(module))

    def imports(self, adoption: Adoption) -> list[str]:
        """Imports of a library module."""
        return [adoption.theory, *(a.module for a in self.below(adoption))]

    def module(self, adoption: Adoption) -> str:
        """Text of a library module."""
        return module_text(
            theory=adoption.theory,
            imports=self.imports(adoption),
            context=adoption.context,
            namespace=adoption.namespace,
            toolchain=adoption.toolchain,
            lemmas=[lemma.text for lemma in self._store.lemmas(adoption.module)],
        )

    def body_start(self, adoption: Adoption) -> int:
        """The byte of a library module's text behind its imports."""
        return len(import_lines(self.imports(adoption)).encode())

    def modules(self) -> Iterator[tuple[str, str]]:
        """Every Lean module that the folder must have, with its text."""
        for snapshot in self.snapshots.values():
            yield snapshot.module, snapshot.text
        for adoption in self.adoptions.values():
            yield adoption.module, self.module(adoption)

    def text_of(self, module: str) -> str:
        """Text of a module that the folder must have."""
        snapshot = self.snapshots.get(module)
        return snapshot.text if snapshot else self.module(self.adoption_of(module))

    def lakefile(self) -> str:
        """The Lake configuration."""
        return lakefile_text(self.snapshots)

    def known_hashes(self, name: str) -> list[str]:
        """SHA-256 of all texts that a file was ever given, the latest last."""
        entries = self._store.audit_entries(event=RENDERED, subject=name)
        return [orjson.loads(entry.detail)["sha256"] for entry in entries]

    def _walk(self, theory: str) -> tuple[tuple[Snapshot, ...], tuple[str, ...]]:
        """Local and external modules in the order of :func:`verifier.modules.read_graph`."""
        found: dict[str, Snapshot] = {}
        external: dict[str, None] = {}

        def visit(module: str) -> None:
            if module in found:
                return
            for wanted in self.snapshots[module].imports:
                if wanted in self.snapshots:
                    visit(wanted)
                else:
                    external.setdefault(wanted)
            found[module] = self.snapshots[module]

        if theory in self.snapshots:
            visit(theory)
        return tuple(found.values()), tuple(external)


def adopted(theory: Theory, toolchain: str) -> Adoption:
    """The adoption of a theory that was read."""
    return Adoption(
        theory=theory.name,
        namespace=theory.namespace,
        context=theory.context,
        toolchain=toolchain,
    )


def snapshots_of(theory: Theory) -> list[Snapshot]:
    """Snapshots of a theory's local modules.

    Raises:
        InputError: A module's name belongs to the library's own files.
    """
    return [_snapshot(module) for module in theory.graph.modules]


def path_in(folder: Path, module: str) -> Path:
    """Where a module lies: ``A.B`` in ``A/B.lean``."""
    parts = module.split(".")
    return folder.joinpath(*parts[:-1], f"{parts[-1]}.lean")


def _snapshot(module: Module) -> Snapshot:
    top = module.name.split(".")[0].casefold()
    if top in (LIBRARY_ROOT.casefold(), "lakefile"):
        raise InputError(
            f"a theory module may not be named {module.name}",
            f"Names that begin with {LIBRARY_ROOT} are those of the library's own modules; copy "
            "the file under another name.",
        )
    return Snapshot(
        module=module.name,
        text=module.text,
        imports=module.imports,
        body_start=module.body_start,
    )


def _latest(store: Store, event: str, kind: type[FrozenT]) -> dict[str, FrozenT]:
    return {
        entry.subject: decode_model(kind, entry.detail)
        for entry in store.audit_entries(event=event)
    }
