"""A warm session with the embedded Lean that survives the death of its process.

Environments and statements are recipes (:mod:`verifier.lean`); the session keeps what the current
process has built of them, and builds it again in a new process after a loss.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from verifier.audit import PROGRAM_SYNTAX, SCOPE_SYNTAX
from verifier.closing import Closing
from verifier.errors import InputError
from verifier.lean import (
    Declaration,
    DeclaredAt,
    Environment,
    ExportSlice,
    Extension,
    Header,
    Message,
    ProofFacts,
    Statement,
    StatementFacts,
    ToolchainInfo,
)
from verifier.narrowing import Narrowed, Search
from verifier.outline import Outline
from verifier.toolchain.embedded.process import HostProcess, Installed, Loss, SessionLost
from verifier.usage import Attempt, ModuleUsage

BUILD_SECONDS = 120.0
STATE_SECONDS = 20.0
MEMORY_LIMIT = 3 << 30
RECYCLE_BYTES = 1_400 << 20  # of at most 2 GiB of WebAssembly memory
APPLY_SLICE_MS = 3_000
SLICE_DECLARATIONS = 2_000
KEPT_ENVIRONMENTS = 16
KEPT_STATEMENTS = 128
KEPT_NARROWINGS = 8
GRACE_SECONDS = 10.0

STRICT = "set_option autoImplicit false\nset_option relaxedAutoImplicit false\n"
"""Around every context: an identifier with a typo is an error, never a new variable."""

QUIET = "set_option linter.all false\n"
"""Before every context: advice on style costs time; a context can ask for a linter by its name."""

WARM_UP = (
    ("(a b : Nat) : a + b = b + a", ("by omega", "by grind", "by induction a <;> simp_all")),
    ("(xs : List Nat) : xs ++ [] = xs", ("by simp", "by induction xs <;> simp_all", "by grind")),
    (": 2 + 2 = 4", ("by decide", "rfl")),
)

K = TypeVar("K")
F = TypeVar("F", bound=BaseModel)


class _Remote(Generic[K]):
    """What the current process holds, by key, at most ``size`` of it.

    Attributes:
        released: Ids that the process may forget, told to it with the next request.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._ids: OrderedDict[K, int] = OrderedDict()
        self.released: list[int] = []

    def get(self, key: K) -> int | None:
        if key in self._ids:
            self._ids.move_to_end(key)
        return self._ids.get(key)

    def put(self, key: K, remote: int) -> None:
        if (replaced := self._ids.pop(key, None)) is not None:
            self.released.append(replaced)
        self._ids[key] = remote
        while len(self._ids) > self._size:
            self.released.append(self._ids.popitem(last=False)[1])

    def clear(self) -> None:
        self._ids.clear()
        self.released.clear()


class Session(Closing):
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
        self._wasm_bytes = 0
        self._environments: _Remote[Environment] = _Remote(KEPT_ENVIRONMENTS)
        self._statements: _Remote[Statement] = _Remote(KEPT_STATEMENTS)
        self._narrowings: _Remote[Environment] = _Remote(KEPT_NARROWINGS)
        self._closures: list[int] = []
        self._usages: list[int] = []
        self._started = 0
        self.seconds_to_ready = 0.0

    @property
    def toolchain(self) -> ToolchainInfo:
        """Which Lean answers."""
        return ToolchainInfo("embedded", self._lean.lean_version, self._lean.commit)

    @property
    def pid(self) -> int | None:
        """The process that answers at present."""
        return self._process.pid if self._process else None

    @property
    def generation(self) -> int:
        """Number of the process that runs, or -1: what a process holds goes with it."""
        return self._started if self._process is not None and self._process.alive else -1

    def start(self) -> None:
        """Starts the process and waits until it is ready; does nothing when it runs."""
        if self._process is not None and self._process.alive:
            return
        spare, self._spare = self._spare, None
        self.close()
        self._environments.clear()
        self._statements.clear()
        self._narrowings.clear()
        self._closures.clear()
        self._usages.clear()
        self._started += 1
        self._process = _living(spare) or HostProcess(self._lean, self._memory_limit)
        self._process.wait_until_ready()
        self.seconds_to_ready = time.monotonic() - self._process.started

    def keep_spare(self) -> None:
        """Starts a second process in the background, for the moment when the first is lost."""
        self._spare = _living(self._spare) or HostProcess(self._lean, self._memory_limit)

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
        return self._read(Header, self._ask({"op": "header", "text": text}, STATE_SECONDS))

    def extend(self, environment: Environment, text: str, start: int = 0) -> Extension:
        """Elaborates a module body on an environment (the text from byte ``start`` on)."""
        base = self._environment(environment)
        result = self._extend(base, text, start)
        extended = environment.extended(text, start)
        self._environments.put(extended, result["env"])
        return Extension(
            extended,
            tuple(self._read(Message, m) for m in result["messages"]),
            tuple(self._read(DeclaredAt, d) for d in result["declarations"]),
            tuple(result["refused"]),
        )

    def outline(self, environment: Environment, text: str, start: int = 0) -> Outline:
        """Elaborates a module body as :meth:`extend` does, and describes its commands.

        What an earlier call on the same environment had at its beginning is not elaborated again.
        """
        base = self._environment(environment)
        request = {"op": "outline", "env": base, "text": _unix(text), "start": start}
        result = self._ask(request, BUILD_SECONDS)
        extended = environment.extended(text, start)
        self._environments.put(extended, result["env"])
        return self._read(Outline, {**result, "env": extended})

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
            found += [None if d is None else self._read(Declaration, d) for d in answer]
        return tuple(found)

    def state(self, statement: Statement) -> StatementFacts:
        """Elaborates a statement alone."""
        request = self._statement_request(statement)
        facts = self._read(StatementFacts, self._ask(request, STATE_SECONDS))
        if facts.statement is not None:
            self._statements.put(statement, facts.statement)
        return facts

    def prove(
        self,
        statement: Statement,
        proof: str,
        seconds: float,
        replay: bool = True,
        export: bool = True,
    ) -> ProofFacts:
        """Elaborates a proof of a statement.

        Args:
            statement: The statement; it is elaborated alone first, once per process.
            proof: Lean text after ``:=``.
            seconds: Wall-clock limit for this proof, restoring a lost environment aside.
            replay: Whether the kernel is given the new constants a second time, as a verdict
                needs; a search that only looks for a proof does without.
            export: Whether what the kernel took is exported for another one as well.

        Raises:
            SessionLost: Timeout, crash or memory.
            InputError: The statement itself does not elaborate; see :meth:`state`.
        """
        remote = self._statement(statement)
        request = {
            "op": "prove",
            "statement": remote,
            "proof": _unix(proof),
            "replay": replay,
            "exported": export,
            "forbidden": sorted(PROGRAM_SYNTAX),
        }
        return self._read(ProofFacts, self._ask(request, seconds))

    def messages(self, environment: Environment, context: str, text: str) -> tuple[Message, ...]:
        """Runs commands for their messages; what they add is dropped."""
        request = {
            "op": "commands",
            "env": self._environment(environment),
            "context": _unix(context),
            "contextKinds": sorted(SCOPE_SYNTAX),
            "text": _unix(text),
        }
        answer = self._ask(request, STATE_SECONDS)["messages"]
        return tuple(self._read(Message, m) for m in answer)

    def delta(self, environment: Environment) -> str | None:
        """What an environment adds to the one below it, for another kernel.

        Returns:
            Lines in the format of lean4export, or ``None`` when there are too many.
        """
        request = {"op": "delta", "env": self._environment(environment)}
        delta = self._ask(request, BUILD_SECONDS)["delta"]
        return None if delta is None else str(delta)

    def closure(
        self, environment: Environment, names: Sequence[str] | None = None
    ) -> Iterator[ExportSlice]:
        """Exports constants with all that they rest on, imported ones too, a slice at a time.

        Args:
            environment: Where they are.
            names: Their full names, or ``None`` for all imported ones.
        """
        request = {
            "op": "closure",
            "env": self._environment(environment),
            "names": None if names is None else list(names),
        }
        closure = self._ask(request, BUILD_SECONDS)["closure"]
        left = 1
        while left:
            part = self._ask(
                {"op": "slice", "closure": closure, "count": SLICE_DECLARATIONS}, BUILD_SECONDS
            )
            left = int(part["left"])
            yield self._read(ExportSlice, part)
        self._closures.append(closure)

    @contextmanager
    def usage(self, environment: Environment, text: str, start: int = 0) -> Iterator[ModuleUsage]:
        """Elaborates a module body and says how its declarations use constants.

        Inside the ``with`` block :meth:`attempt` can write a command of it differently.
        """
        request = {
            "op": "usage",
            "env": self._environment(environment),
            "text": _unix(text),
            "start": start,
        }
        answer = self._ask(request, BUILD_SECONDS)
        usage = self._read(ModuleUsage, {**answer, "generation": self.generation})
        try:
            yield usage
        finally:
            if usage.generation == self.generation:
                self._usages.append(usage.handle)

    def attempt(
        self, usage: ModuleUsage, command: int, text: str, seconds: float, scope: str = ""
    ) -> Attempt | None:
        """Elaborates another text in the place of a command of a module.

        Args:
            usage: From :meth:`usage`, inside its block.
            command: Which command, by its number.
            text: The new command.
            seconds: Wall-clock limit.
            scope: Commands before it, such as ``attribute [-simp] f``.

        Returns:
            ``None`` where the scope fails, or the text is not one command.

        Raises:
            SessionLost: As ever, and when the process that had the module is gone.
        """
        if usage.generation != self.generation:
            raise SessionLost(Loss.CRASH, "the process that held the module is gone")
        request = {
            "op": "attempt",
            "usage": usage.handle,
            "command": command,
            "scope": _unix(scope),
            "text": _unix(text),
        }
        outcome = self._ask(request, seconds)["outcome"]
        return None if outcome is None else self._read(Attempt, outcome)

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
        """Results of calls as value ids, and the structures of the values that are new.

        Raises:
            SessionLost: As ever, and when the process that had the evaluator is gone.
        """
        if self.generation < 0:
            raise SessionLost(Loss.CRASH, "the process that held the evaluator is gone")
        request = {
            "op": "apply",
            "evaluator": evaluator,
            "calls": [list(c) for c in calls],
            "maxSize": max_size,
            "sliceMs": APPLY_SLICE_MS,
        }
        answer = self._ask(request, seconds)
        return answer["results"], answer["values"]

    def narrow(self, environment: Environment, search: Search) -> Narrowed:
        """Looks for values at which a statement fails; see :mod:`verifier.narrowing`.

        Raises:
            SessionLost: As ever; Lean is lost when it is silent long beyond the search's time.
        """
        request = {
            "op": "narrow",
            "narrowing": self._narrowing(environment),
            "type": search.type,
            "steps": search.steps,
            "milliseconds": 1000 * search.seconds,
            "seed": search.seed,
            "depth": search.depth,
        }
        return self._read(Narrowed, self._ask(request, search.seconds + GRACE_SECONDS))

    def _narrowing(self, environment: Environment) -> int:
        env = self._environment(environment)
        remote = self._narrowings.get(environment)
        if remote is None:
            made = self._ask({"op": "narrowing", "env": env}, BUILD_SECONDS)
            remote = int(made["narrowing"])
            self._narrowings.put(environment, remote)
        return remote

    def _extend(self, base: int, text: str, start: int) -> dict[str, Any]:
        request = {"op": "extend", "env": base, "text": _unix(text), "start": start}
        return self._ask(request, BUILD_SECONDS)

    def _environment(self, environment: Environment) -> int:
        """Remote id of an environment, built link by link as far as it is not there."""
        self._recycle()
        self.start()
        missing: list[Environment] = []
        at: Environment | None = environment
        remote: int | None = None
        while at is not None and (remote := self._environments.get(at)) is None:
            missing.append(at)
            at = at.parent
        for link in reversed(missing):
            remote = self._build(link, remote)
            self._environments.put(link, remote)
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
            "context": f"{STRICT}{QUIET}{_unix(statement.context)}\n{STRICT}",
            "contextKinds": sorted(SCOPE_SYNTAX),
            "name": statement.name,
            "signature": _unix(statement.signature).strip(),
            "forbidden": sorted(PROGRAM_SYNTAX),
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

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        self.start()
        assert self._process is not None
        release = {
            "env": self._environments.released,
            "statement": self._statements.released,
            "narrowing": self._narrowings.released,
            "closure": self._closures,
            "usage": self._usages,
        }
        reply = self._process.request({**request, "release": release}, seconds)
        for ids in release.values():
            ids.clear()
        answer = self._read(_Answer, reply)
        self._wasm_bytes = answer.bytes
        if answer.result is None:
            raise InputError(f"Lean refused the request: {answer.text}")
        return answer.result

    def _read(self, model: type[F], answer: Any) -> F:
        try:
            return model.model_validate(answer)
        except ValidationError as error:
            self.close()
            raise SessionLost(Loss.CRASH, f"not an answer: {error}") from None


class _Answer(BaseModel):
    """What the process answers: a result, or the reason why there is none."""

    bytes: int
    result: dict[str, Any] | None = None
    text: str = ""


def _living(process: HostProcess | None) -> HostProcess | None:
    if process is None or process.alive:
        return process
    process.kill()
    return None


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
