"""A warm session with the embedded Lean that survives the death of its process.

Environments and statements are recipes (:mod:`verifier.lean`); the session keeps what the current
process has built of them, and builds it again in a new process after a loss.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from verifier.errors import InputError
from verifier.lean import (
    Declaration,
    DeclaredAt,
    Environment,
    Extension,
    Header,
    Message,
    ProofFacts,
    Statement,
    StatementFacts,
    ToolchainInfo,
)
from verifier.toolchain.embedded.process import HostProcess, Installed, SessionLost

BUILD_SECONDS = 120.0
STATE_SECONDS = 20.0
MEMORY_LIMIT = 3 << 30
RECYCLE_BYTES = 1_400 << 20  # of at most 2 GiB of WebAssembly memory
KEPT_ENVIRONMENTS = 16
KEPT_STATEMENTS = 128

STRICT = "set_option autoImplicit false\nset_option relaxedAutoImplicit false\n"
"""Before every candidate: an identifier with a typo is an error, never a new variable."""

WARM_UP = (
    ("(a b : Nat) : a + b = b + a", ("by omega", "by grind", "by induction a <;> simp_all")),
    ("(xs : List Nat) : xs ++ [] = xs", ("by simp", "by induction xs <;> simp_all", "by grind")),
    (": 2 + 2 = 4", ("by decide", "rfl")),
)

K = TypeVar("K")


class _Remote(Generic[K]):
    """What the current process holds, by key; the least recently used is dropped."""

    def __init__(self, size: int, drop: Callable[[list[int]], None]) -> None:
        self._size = size
        self._drop = drop
        self._ids: OrderedDict[K, int] = OrderedDict()

    def get(self, key: K) -> int | None:
        if key in self._ids:
            self._ids.move_to_end(key)
        return self._ids.get(key)

    def put(self, key: K, remote: int) -> None:
        self._ids[key] = remote
        self._ids.move_to_end(key)
        if len(self._ids) > self._size:
            surplus = [self._ids.popitem(last=False)[1] for _ in range(len(self._ids) // 4)]
            self._drop(surplus)

    def clear(self) -> None:
        self._ids.clear()


class Session:
    """The embedded Lean, warm: one process at a time, restarted when it is lost.

    Not safe for concurrent calls; use one session per thread.

    Args:
        lean: An installation, from :func:`verifier.toolchain.embedded.install.ensure_installed`.
        memory_limit: Resident bytes above which the process is killed.
    """

    def __init__(self, lean: Installed, memory_limit: int = MEMORY_LIMIT) -> None:
        self._lean = lean
        self._memory_limit = memory_limit
        self._process: HostProcess | None = None
        self._spare: HostProcess | None = None
        self._next = 0
        self._wasm_bytes = 0
        self._environments: _Remote[Environment] = _Remote(
            KEPT_ENVIRONMENTS, lambda ids: self._forget("env", ids)
        )
        self._statements: _Remote[Statement] = _Remote(
            KEPT_STATEMENTS, lambda ids: self._forget("statement", ids)
        )
        self.generation = 0
        self.seconds_to_ready = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def toolchain(self) -> ToolchainInfo:
        """Which Lean answers."""
        return ToolchainInfo("embedded", self._lean.lean_version, self._lean.commit)

    @property
    def pid(self) -> int | None:
        """The process that answers at present."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Starts the process and waits until it is ready; does nothing when it runs."""
        if self._process is not None and self._process.alive:
            return
        self._environments.clear()
        self._statements.clear()
        self.generation += 1
        self._process = self._spare or HostProcess(self._lean, self._memory_limit)
        self._spare = None
        self._process.wait_until_ready()
        self.seconds_to_ready = time.monotonic() - self._process.started

    def keep_spare(self) -> None:
        """Starts a second process in the background, for the moment when the first is lost."""
        if self._spare is None or not self._spare.alive:
            self._spare = HostProcess(self._lean, self._memory_limit)

    def warm_up(self, imports: tuple[str, ...] = ("Init",)) -> None:
        """Runs each big tactic once, since its first use is slow while the engine compiles it."""
        base = Environment(imports)
        for number, (signature, proofs) in enumerate(WARM_UP):
            statement = Statement(base, f"warm_up_{number}", signature)
            for proof in proofs:
                self.prove(statement, proof, BUILD_SECONDS)

    def close(self) -> None:
        """Kills the processes. The session can be used again afterwards."""
        for process in (self._process, self._spare):
            if process is not None:
                process.kill()
        self._process = self._spare = None

    def header(self, text: str) -> Header:
        """Reads the imports of a module."""
        return Header.model_validate(self._ask({"op": "header", "text": text}, STATE_SECONDS))

    def extend(self, environment: Environment, text: str, start: int = 0) -> Extension:
        """Elaborates a module body on an environment (the text from byte ``start`` on)."""
        base = self._environment(environment)
        result = self._extend(base, text, start)
        extended = environment.extended(text, start)
        self._environments.put(extended, result["env"])
        return Extension(
            extended,
            tuple(Message.model_validate(m) for m in result["messages"]),
            tuple(DeclaredAt.model_validate(d) for d in result["declarations"]),
        )

    def declarations(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[Declaration | None, ...]:
        """Describes constants; ``None`` for a name that is not there."""
        found: list[Declaration | None] = []
        for at in range(0, len(names), 200):
            request = {
                "op": "declarations",
                "env": self._environment(environment),
                "names": list(names[at : at + 200]),
            }
            answer = self._ask(request, BUILD_SECONDS)["declarations"]
            found += [None if d is None else Declaration.model_validate(d) for d in answer]
        return tuple(found)

    def state(self, statement: Statement) -> StatementFacts:
        """Elaborates a statement alone."""
        request = self._statement_request(statement)
        facts = StatementFacts.model_validate(self._ask(request, STATE_SECONDS))
        if facts.statement is not None:
            self._statements.put(statement, facts.statement)
        return facts

    def prove(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> ProofFacts:
        """Elaborates a proof of a statement.

        Args:
            statement: The statement; it is elaborated alone first, once per process.
            proof: Lean text after ``:=``.
            seconds: Wall-clock limit for this proof, restoring a lost environment aside.
            replay: Whether the kernel is given the new constants a second time, as a verdict
                needs; a search that only looks for a proof does without.

        Raises:
            SessionLost: Timeout, crash or memory.
            InputError: The statement itself does not elaborate; see :meth:`state`.
        """
        remote = self._statement(statement)
        request = {"op": "prove", "statement": remote, "proof": _unix(proof), "replay": replay}
        return ProofFacts.model_validate(self._ask(request, seconds))

    def messages(self, environment: Environment, context: str, text: str) -> tuple[Message, ...]:
        """Runs commands for their messages; what they add is dropped."""
        request = {
            "op": "commands",
            "env": self._environment(environment),
            "context": _unix(context),
            "text": _unix(text),
        }
        answer = self._ask(request, STATE_SECONDS)["messages"]
        return tuple(Message.model_validate(m) for m in answer)

    def evaluator(self, environment: Environment, functions: Sequence[Any]) -> int:
        """Remote id of a table of functions; see :mod:`verifier.evaluation`."""
        request = {
            "op": "evaluator",
            "env": self._environment(environment),
            "functions": list(functions),
        }
        return int(self._ask(request, BUILD_SECONDS)["evaluator"])

    def apply(
        self, evaluator: int, calls: Sequence[Sequence[int]], max_size: int, seconds: float
    ) -> tuple[list[int], list[Any]]:
        """Results of calls as value ids, and the structures of the values that are new."""
        request = {
            "op": "apply",
            "evaluator": evaluator,
            "calls": [list(c) for c in calls],
            "maxSize": max_size,
        }
        answer = self._ask(request, seconds)
        return answer["results"], answer["values"]

    def _extend(self, base: int, text: str, start: int) -> dict[str, Any]:
        request = {"op": "extend", "env": base, "text": _unix(text), "start": start}
        return self._ask(request, BUILD_SECONDS)

    def _environment(self, environment: Environment) -> int:
        """Remote id of an environment, built link by link as far as it is not there."""
        self._recycle()
        self.start()
        remote = self._environments.get(environment)
        if remote is not None:
            return remote
        for link in environment.chain():
            known = self._environments.get(link)
            if known is None:
                known = self._build(link, remote)
                self._environments.put(link, known)
            remote = known
        assert remote is not None
        return remote

    def _build(self, link: Environment, below: int | None) -> int:
        if below is not None:
            return int(self._extend(below, link.text, link.start)["env"])
        return int(self._ask({"op": "import", "imports": list(link.imports)}, BUILD_SECONDS)["env"])

    def _statement_request(self, statement: Statement) -> dict[str, Any]:
        return {
            "op": "statement",
            "env": self._environment(statement.environment),
            "context": STRICT + _unix(statement.context),
            "name": statement.name,
            "signature": _unix(statement.signature).strip(),
        }

    def _statement(self, statement: Statement) -> int:
        self._environment(statement.environment)
        remote = self._statements.get(statement)
        if remote is None:
            remote = self.state(statement).statement
        if remote is None:
            raise InputError(f"the statement of {statement.name} does not elaborate")
        return remote

    def _recycle(self) -> None:
        if self._wasm_bytes > RECYCLE_BYTES and self._process is not None:
            self._process.kill()
            self._wasm_bytes = 0

    def _forget(self, kind: str, ids: list[int]) -> None:
        self._ask({"op": "drop", "kind": kind, "ids": ids}, STATE_SECONDS)

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        self.start()
        assert self._process is not None
        self._next += 1
        try:
            answer = self._process.request({"id": self._next, **request}, seconds)
        except SessionLost:
            self._process = None
            raise
        if answer.get("id") != self._next:
            self.close()
            raise AssertionError(f"answer {answer.get('id')} to request {self._next}")
        self._wasm_bytes = answer["bytes"]
        if not answer["ok"]:
            raise InputError(f"Lean refused the request: {answer['text']}")
        result: dict[str, Any] = answer["result"]
        return result


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
