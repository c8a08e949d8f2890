"""The store: every table behind one object."""

from __future__ import annotations

from engine.store.rechecks import RecheckTable


class Store(RecheckTable):
    """A Lemmata database, open for reading and writing.

    The rooms of the store build on one another: connection (``database``), audit chain
    (``audit``), nodes and edges (``nodes``), T_C (``clusters``), runs and candidates
    (``candidates``), what was learnt (``memory``), library (``lemmas``), repeated checks
    (``rechecks``). Several methods inside ``with store.transaction()`` become durable together or
    not at all.

    Example:
        >>> import tempfile, pathlib
        >>> folder = tempfile.TemporaryDirectory()
        >>> with Store(pathlib.Path(folder.name) / "lemmata.db") as store:
        ...     entry = store.audit("store.tried", "example")
        ...     store.verify_chain().intact
        True
        >>> folder.cleanup()
    """
