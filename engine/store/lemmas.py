"""The library at rest: lemmas written ahead of their Lean modules, and their retraction."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from engine.model import Contribution, Label, MethodNode, Stage
from engine.store.database import encode_model
from engine.store.memory import MemoryTable
from engine.store.records import LemmaRecord, ModuleRecord
from verifier.errors import InputError

_RETRACTED, _DEMOTED = "lemma.retracted", "lemma.demoted"
_APPENDED, _WITHDRAWN = "lemma.appended", "lemma.withdrawn"
_NAME = re.compile(r"[^\W\d][\w'.!?]*")
_LABEL_EVENTS = frozenset({"node.labelled", _RETRACTED, _DEMOTED})


class LemmaTable(MemoryTable):
    """The part of the store that is the source of the Lean library."""

    def append_lemma(
        self, node: MethodNode, contributions: Iterable[Contribution], text: str
    ) -> LemmaRecord:
        """Join a proved lemma to its module: node, edges, text and audit entry, or nothing.

        When this returns, the lemma survives a crash; the Lean module is rendered afterwards.
        Appending the same text again changes nothing, so a caller may repeat after a crash. A
        retracted lemma that was proved anew moves to the end of its module.

        Args:
            node: The lemma, labelled ``verified``, with module and name.
            contributions: The edges into the node.
            text: The complete Lean text of the declaration.

        Raises:
            InputError: The node is not verified, lacks module or name, rests on a premise that
                is not (or no longer) true, an edge leads elsewhere or comes from nowhere, or
                the name is taken.
            StorageError: It could not be written; nothing was.
        """
        edges = tuple(contributions)
        with self.transaction():
            present = self.lemma_of(node.id)
            if present and present.label is Label.VERIFIED and present.text == text:
                return present
            self._require_appendable(node, edges, text, present)
            self._write("DELETE FROM lemmas WHERE node = ?", node.id)
            self._write("UPDATE candidates SET outcome = ? WHERE node = ?", Label.VERIFIED, node.id)
            self.upsert_node(node)
            for edge in edges:
                self.add_contribution(edge)
            return self._insert_lemma(node, text)

    def lemmas(self, module: str | None = None, *, retracted: bool = False) -> list[LemmaRecord]:
        """The lemmas in the order in which they must be rendered.

        Args:
            module: Only those of one module.
            retracted: Also those that are no longer verified.
        """
        wanted = "1" if retracted else "n.label = 'verified'"
        return self._lemmas(f"l.module = coalesce(?, l.module) AND {wanted}", module)

    def lemma_of(self, node_id: str) -> LemmaRecord | None:
        """The lemma of a node, or ``None`` if the node is not in the library."""
        for record in self._lemmas("l.node = ?", self.resolve(node_id)):
            return record
        return None

    def library_modules(self) -> list[str]:
        """The names of the modules that have lemmas, verified or not, sorted."""
        return [row[0] for row in self._rows("SELECT DISTINCT module FROM lemmas ORDER BY 1")]

    def record_module(self, module: str, text_hash: str) -> ModuleRecord:
        """Note the SHA-256 of the text that a module was last rendered to."""
        now = self._now()
        with self.transaction():
            self._write("INSERT OR REPLACE INTO modules VALUES (?, ?, ?)", module, text_hash, now)
            self.audit("module.rendered", module, {"sha256": text_hash})
        return ModuleRecord.model_validate({"module": module, "hash": text_hash, "rendered": now})

    def modules(self) -> list[ModuleRecord]:
        """The rendered modules by name."""
        return [
            ModuleRecord.model_validate(dict(zip(ModuleRecord.model_fields, row, strict=True)))
            for row in self._rows("SELECT * FROM modules ORDER BY module")
        ]

    def retract(self, node_id: str, reason: str) -> list[MethodNode]:
        """Withdraw a verified node; what was proved from it is a conjecture again.

        The audit chain notes what the text and the statement were, whoever wrote them.

        Returns:
            The node itself, ``retracted``; then the verified nodes whose proofs rest on it,
            directly or through one another, as conjectures, by id.

        Raises:
            InputError: There is no such node, or it is not verified.
        """
        with self.transaction():
            node = self.node(node_id)
            if node.label is not Label.VERIFIED:
                raise InputError(
                    f"{node.id!r} is {node.label.value}, not verified",
                    "only a verified node can be retracted",
                )
            fallen = [node, *dependants(node, self.nodes())]
            return [self._demote(each, node.id, reason) for each in fallen]

    def withdraw(self, node_id: str, reason: str) -> None:
        """Take a lemma out that is true and needless: its text, its node and the edges.

        The audit chain keeps what it was and the reason; its candidate is one that was pruned.

        Raises:
            InputError: It is no verified lemma of the library, or a proof uses it.
        """
        with self.transaction():
            node, lemma = self.node(node_id), self.lemma_of(node_id)
            if lemma is None or node.label is not Label.VERIFIED:
                raise InputError(
                    f"{node.id!r} is no verified lemma", "only a verified lemma can be withdrawn"
                )
            if users := direct_users(self.nodes()).get(node.id):
                raise InputError(
                    f"the proof of {users[0].id!r} uses {node.id!r}", "withdraw that one first"
                )
            self._write(
                "UPDATE candidates SET node = NULL, outcome = NULL, stage = ?, reason = ? "
                "WHERE node = ?",
                Stage.RUBRIC,
                reason,
                node.id,
            )
            for table, where in (
                ("lemmas", "node = ?1"),
                ("rechecks", "node = ?1"),
                ("aliases", "kept = ?1"),
                ("contributions", "parent = ?1 OR child = ?1"),
                ("nodes", "id = ?1"),
            ):
                self._write(f"DELETE FROM {table} WHERE {where}", node.id)
            self.audit(_WITHDRAWN, node.id, {"reason": reason, "witness": _witness(node, lemma)})

    def tampered_lemmas(self) -> list[LemmaRecord]:
        """The lemmas whose text or statement is not the one that the audit chain witnessed.

        The chain must be checked as well (``verify_chain``); this compares with it only.
        """
        witnessed: dict[str, Any] = {}
        for entry in self.audit_entries():
            if entry.event == _APPENDED:
                witnessed[entry.subject] = orjson.loads(entry.detail)
            elif entry.event in (_RETRACTED, _DEMOTED):
                witnessed[entry.subject] = orjson.loads(entry.detail).get("witness")
        return [
            lemma
            for lemma in self.lemmas(retracted=True)
            if witnessed.get(lemma.node) != _witness(self.node(lemma.node), lemma)
        ]

    def missing_lemmas(self) -> list[str]:
        """The nodes of lemmas that the audit chain saw come and not go, and that are not there."""
        seen: dict[str, str] = {}
        for entry in self.audit_entries():
            if entry.event in (_APPENDED, _WITHDRAWN):
                seen[entry.subject] = entry.event
        present = {lemma.node for lemma in self.lemmas(retracted=True)}
        return sorted(n for n, event in seen.items() if event == _APPENDED and n not in present)

    def unwitnessed_nodes(self) -> list[MethodNode]:
        """The nodes that are labelled ``verified`` without the audit chain having said so."""
        said: dict[str, str | None] = {}
        for entry in self.audit_entries():
            if entry.event in _LABEL_EVENTS:
                said[entry.subject] = orjson.loads(entry.detail)["after"]
        return [
            node for node in self.nodes(label=Label.VERIFIED) if said.get(node.id) != Label.VERIFIED
        ]

    def _lemmas(self, where: str, *values: Any) -> list[LemmaRecord]:
        rows = self._rows(
            "SELECT l.serial, l.module, l.ordinal, l.node, l.name, l.text, n.label, l.appended "
            "FROM lemmas l JOIN nodes n ON n.id = l.node "
            f"WHERE {where} ORDER BY l.module, l.ordinal",
            *values,
        )
        names = LemmaRecord.model_fields
        return [LemmaRecord.model_validate(dict(zip(names, row, strict=True))) for row in rows]

    def _insert_lemma(self, node: MethodNode, text: str) -> LemmaRecord:
        self._write(
            "INSERT INTO lemmas (module, ordinal, node, name, text, appended) "
            "SELECT ?1, coalesce(max(ordinal), 0) + 1, ?2, ?3, ?4, ?5 "
            "FROM lemmas WHERE module = ?1",
            node.module,
            node.id,
            node.name,
            text,
            self._now(),
        )
        (record,) = self._lemmas("l.node = ?", node.id)
        self.audit(_APPENDED, node.id, _witness(node, record))
        return record

    def _require_appendable(
        self,
        node: MethodNode,
        edges: Sequence[Contribution],
        text: str,
        present: LemmaRecord | None,
    ) -> None:
        for problem in self._problems(node, edges, text, present):
            raise InputError(
                f"{node.id!r} cannot join the library: {problem}",
                "only what the verifier accepted may be appended",
            )

    def _problems(
        self,
        node: MethodNode,
        edges: Sequence[Contribution],
        text: str,
        present: LemmaRecord | None,
    ) -> Iterable[str]:
        if node.label is not Label.VERIFIED:
            yield f"it is {node.label.value}, not verified"
        if not (node.module and node.name and text.strip()):
            yield "module, name and text must be given"
        if self.resolve(node.id) != node.id:
            yield f"it was merged into {self.resolve(node.id)!r}"
        if present and present.label is Label.VERIFIED:
            yield "it is there already, with another text"
        if self._rows(
            "SELECT 1 FROM lemmas WHERE module = ? AND name = ? AND node <> ?",
            node.module,
            node.name,
            node.id,
        ):
            yield f"the name {node.name!r} is taken in {node.module}"
        if any(edge.child != node.id for edge in edges):
            yield "an edge does not lead to it"
        for premise in self._untrue_premises(node):
            yield f"its premise {premise.id!r} is {premise.label.value}"

    def _untrue_premises(self, node: MethodNode) -> list[MethodNode]:
        namesakes = [other for name in node.premises for other in self.nodes(name=name)]
        return [
            other
            for other in namesakes
            if not other.label.usable_as_premise and _rests_on(node, other, namesakes)
        ]

    def _demote(self, node: MethodNode, cause: str, reason: str) -> MethodNode:
        is_root = node.id == cause
        label = Label.RETRACTED if is_root else Label.CONJECTURE
        reason = reason if is_root else f"its proof rests on {cause}, which was retracted"
        demoted = node.model_copy(update={"label": label, "version": node.version + 1})
        self._write(
            "UPDATE nodes SET body = ?, updated = ? WHERE id = ?",
            encode_model(demoted),
            self._now(),
            node.id,
        )
        # Version 0: a conjecture of this kind is worth another attempt at once.
        self._write(
            "UPDATE candidates SET outcome = ?, reason = ?, library_version = 0 WHERE node = ?",
            label,
            reason,
            node.id,
        )
        lemma = self.lemma_of(node.id)
        detail = {"after": label, "cause": cause, "reason": reason}
        witness = {} if lemma is None else {"witness": _witness(demoted, lemma)}
        self.audit(_RETRACTED if is_root else _DEMOTED, node.id, {**detail, **witness})
        return demoted


def dependants(root: MethodNode, nodes: Sequence[MethodNode]) -> list[MethodNode]:
    """The verified nodes whose proofs use a node, directly or through one another.

    A premise is a constant's name. It means the node of that name in the user's own module where
    there is one, else every node of that name: when in doubt a proof falls.

    Args:
        root: The node that is no longer true.
        nodes: All nodes of the store.

    Returns:
        The dependants by id, without the root.
    """
    users = direct_users(nodes)
    fallen, pending = {root.id: root}, [root]
    while pending:
        for user in users.get(pending.pop().id, ()):
            if user.id not in fallen:
                fallen[user.id] = user
                pending.append(user)
    return sorted((node for node in fallen.values() if node.id != root.id), key=lambda n: n.id)


def direct_users(nodes: Sequence[MethodNode]) -> dict[str, list[MethodNode]]:
    """For each node the verified nodes whose proofs name it, by id; see :func:`dependants`.

    A proof names what its term uses, and what only its text mentions: an argument that ``simp``
    did not need must be there all the same when Lean reads the proof again.
    """
    namesakes: defaultdict[str, list[MethodNode]] = defaultdict(list)
    for node in nodes:
        namesakes[node.name or node.id].append(node)
    by_last: defaultdict[str, list[str]] = defaultdict(list)
    for name in namesakes:
        by_last[name.rpartition(".")[2]].append(name)
    users: defaultdict[str, list[MethodNode]] = defaultdict(list)
    for user in (node for node in nodes if node.label is Label.VERIFIED):
        for premise in dict.fromkeys((*user.premises, *_mentioned(user, by_last))):
            for node in namesakes.get(premise, ()):
                if _rests_on(user, node, namesakes[premise]):
                    users[node.id].append(user)
    return dict(users)


def _mentioned(user: MethodNode, by_last: Mapping[str, Sequence[str]]) -> list[str]:
    """Full names that a proof's text can mean."""
    words = set(_NAME.findall(user.proof or ""))
    return [
        name
        for word in sorted(words)
        for name in by_last.get(word.rpartition(".")[2], ())
        if name == word or name.endswith(f".{word}")
    ]


def _rests_on(user: MethodNode, premise: MethodNode, namesakes: Iterable[MethodNode]) -> bool:
    """Whether a premise's name, as the user means it, can be this node."""
    own = any(n.module == user.module and n.name == premise.name for n in namesakes)
    return premise.id != user.id and (premise.module == user.module or not own)


def _witness(node: MethodNode, lemma: LemmaRecord) -> dict[str, str | int]:
    return {
        "module": lemma.module,
        "name": lemma.name,
        "ordinal": lemma.ordinal,
        "text_sha256": _sha256(lemma.text),
        "statement_sha256": _sha256(node.statement),
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
