"""The files of a library folder, held to what the database says.

A file is written only over a text that Lemmata gave it earlier; the audit chain knows the hashes
of all of them. Any other text is somebody's own and is reported, not overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from engine.library.contents import LAKEFILE, RENDERED, Contents, path_in
from engine.library.files import read_if_there, remove_leftovers, sha256, write_whole
from engine.library.findings import finding, refusal
from engine.library.records import LIBRARY_ROOT, Finding
from engine.library.render import toolchain_line
from engine.store import Store
from verifier.lean import Lean

DATABASE = "lemmata.sqlite"
TOOLCHAIN = "lean-toolchain"
_EDITED = "its text is not the one that Lemmata wrote"
_MISSING = "the file is not there"


class Package:
    """The Lake package of a library.

    Attributes:
        folder: Where it lies. store: The database that it follows.
        contents: What it must consist of; replaced when a theory is adopted.
    """

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store
        self.contents = Contents.of(store)
        self._pending: set[str] = set()

    def path_of(self, module: str) -> Path:
        """The file of a library module or snapshot."""
        return path_in(self.folder, module)

    def reconcile(self, lenient: bool) -> list[Finding]:
        """Makes the files what the database says, as far as they are ours.

        Args:
            lenient: Whether to leave a file alone that seems to have been removed by hand.

        Returns:
            What was not touched, and why.
        """
        remove_leftovers(self.folder)
        if conflicts := self.distrust():
            return conflicts
        with self.store.transaction():
            self.record(self.contents)
        if conflicts := list(self._settle(lenient)):
            return conflicts
        self.write_lakefile()
        return []

    def compare(self) -> list[Finding]:
        """What is wrong with database and files, without a look at the proofs. Writes nothing."""
        damage = [finding("database_damaged", DATABASE, p) for p in self.store.check_integrity()]
        findings = [*damage, *self.distrust()]
        expected = {self.path_of(module): module for module, _ in self.contents.modules()}
        for path, module in expected.items():
            kind = "snapshot" if module in self.contents.snapshots else "module"
            found = read_if_there(path)
            if found is None:
                findings.append(finding(f"{kind}_missing", str(path), _MISSING))
            elif not _same(found, self.contents.text_of(module)):
                findings.append(finding(f"{kind}_edited", str(path), _EDITED))
        for path in sorted((self.folder / LIBRARY_ROOT).rglob("*.lean")):
            if path not in expected:
                findings.append(finding("module_stray", str(path), "it is not of the library"))
        if read_if_there(self.folder / LAKEFILE) != self.contents.lakefile():
            findings.append(finding("lakefile_edited", LAKEFILE, "it is not the generated one"))
        return findings

    def distrust(self) -> list[Finding]:
        """Why the database is no measure for the files."""
        findings = [
            finding("chain_broken", f"entry {f.seq}", f.problem)
            for f in self.store.verify_chain().faults
        ]
        for lemma in self.store.tampered_lemmas():
            message = "its text or statement is not the one that was written"
            findings.append(finding("row_edited", lemma.node, message))
        present = {lemma.node for lemma in self.store.lemmas(retracted=True)}
        for lost in self.store.missing_lemmas():
            findings.append(finding("row_missing", lost, "its lemma was taken out of the database"))
        for node in self.store.unwitnessed_nodes():
            if node.id in present:
                findings.append(finding("label_unwitnessed", node.id, "nobody verified it"))
        return findings

    def record(self, contents: Contents) -> None:
        """Notes the hash of every module that is to have another text than before."""
        for module, text in contents.modules():
            self.record_one(module, text)

    def record_one(self, module: str, text: str) -> None:
        """Notes the hash of the text that a module is to have, in the transaction of its cause."""
        recorded = {record.module: record.hash for record in self.store.modules()}
        if recorded.get(module) != sha256(text):
            self.store.record_module(module, sha256(text))
            self._pending.add(module)

    def flush(self) -> None:
        """Writes the modules whose text has changed.

        Raises:
            StorageError: A file could not be written, or has a text that is none of ours.
        """
        for module in sorted(self._pending):
            found = self._settle_file(module, self.contents.text_of(module))
            if found is not None:
                raise refusal([found])
            self._pending.discard(module)

    def write_lakefile(self) -> None:
        """Writes the Lake configuration, unless somebody has made it his own."""
        path, text = self.folder / LAKEFILE, self.contents.lakefile()
        found = read_if_there(path)
        if found == text or (found is not None and not self._is_ours(LAKEFILE, found)):
            return
        self.store.audit(RENDERED, LAKEFILE, {"sha256": sha256(text)})
        write_whole(path, text)

    def write_toolchain(self, lean: Lean) -> None:
        """Names the Lean that Lake is to use, where no file does so."""
        path = self.folder / TOOLCHAIN
        if not path.exists():
            write_whole(path, toolchain_line(lean.toolchain.version))

    def put_aside(self) -> list[Path]:
        """Renames every file that has a text of somebody else; the new names."""
        renamed = []
        for module, text in self.contents.modules():
            path = self.path_of(module)
            found = read_if_there(path)
            if found is None or _same(found, text) or self._is_ours(module, found):
                continue
            names = (path.with_name(f"{path.name}.edited{n or ''}") for n in count())
            free = next(name for name in names if not name.exists())
            path.rename(free)
            renamed.append(free)
        return renamed

    def _settle(self, lenient: bool) -> Iterator[Finding]:
        for module, text in self.contents.modules():
            found = self._settle_file(module, text, lenient)
            if found is not None:
                yield found
        self._pending.clear()

    def _settle_file(self, module: str, text: str, lenient: bool = False) -> Finding | None:
        """Writes a module unless the file there is none of ours."""
        path = self.path_of(module)
        kind = "snapshot" if module in self.contents.snapshots else "module"
        found = read_if_there(path)
        if found is not None and _same(found, text):
            return None
        if found is not None and not self._is_ours(module, found):
            return finding(f"{kind}_edited", str(path), _EDITED)
        if found is None and lenient and len(self.contents.known_hashes(module)) > 1:
            return finding(f"{kind}_missing", str(path), _MISSING)
        write_whole(path, text)
        return None

    def _is_ours(self, module: str, found: str) -> bool:
        known = self.contents.known_hashes(module)
        return sha256(found) in known or sha256(_unix(found)) in known


def _same(found: str, text: str) -> bool:
    """Whether two texts are equal but for the line ends that version control may change."""
    return found == text or _unix(found) == text


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
