"""The one way to a verdict: statement alone, proof, audit. It fails closed."""

from __future__ import annotations

import time
import unicodedata
from collections import OrderedDict

from verifier.answers import Answers, key_of
from verifier.audit import Finding, audit_proof, audit_second_kernel, audit_statement
from verifier.kernel.second import SecondKernel
from verifier.kernel.words import Word
from verifier.lean import Lean, ProofFacts, Statement, StatementFacts
from verifier.toolchain.embedded.process import Loss, SessionLost
from verifier.vacuity import CONTRADICTION, has_hypotheses
from verifier.verdict import UNDETERMINED, Outcome, Reason, Verdict

PROOF_SECONDS = 10.0
MAX_BYTES = 100_000
KEPT_STATEMENTS = 2_000
VACUITY_SECONDS = 5.0
LOSSES = {
    Loss.TIMEOUT: Reason.TIMEOUT,
    Loss.CRASH: Reason.CRASH,
    Loss.MEMORY: Reason.OUT_OF_MEMORY,
}
HIDDEN = frozenset({"Cc", "Cf", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of what a reader does not see: control and format characters and the like."""


class Verifier:
    """Gives verdicts on candidates with one Lean.

    Args:
        lean: The Lean that elaborates and checks.
        second: Another kernel, which must accept whatever the first one did; ``None`` for verdicts
            that rest on one kernel, and say so.
        answers: Verdicts that were given before, for batches that are run again.
    """

    def __init__(
        self,
        lean: Lean,
        second: SecondKernel | None = None,
        answers: Answers | None = None,
    ) -> None:
        self.lean = lean
        self.second = second
        self._answers = answers
        self._statements: OrderedDict[Statement, tuple[Finding | None, StatementFacts]] = (
            OrderedDict()
        )

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernels that must accept a proof."""
        second = () if self.second is None else (str(self.second.toolchain),)
        return (str(self.lean.toolchain), *second)

    def check(self, statement: Statement, proof: str, seconds: float = PROOF_SECONDS) -> Verdict:
        """Checks a proof of a statement.

        Args:
            statement: The statement in its environment and scope.
            proof: Lean text after ``:=``, a term or ``by …``.
            seconds: Wall-clock limit of the proof; the statement has a limit of its own.

        Returns:
            The verdict. A timeout, a crash or exhausted memory is ``undetermined``.

        Raises:
            ToolchainError: There is no Lean to ask.
        """
        if self._answers is None:
            return self._checked(statement, proof, seconds)
        key = key_of(statement, proof, self.kernels)
        known = self._answers.get(key)
        if known is None:
            known = self._checked(statement, proof, seconds)
            self._answers.put(key, known)
        return known

    def _checked(self, statement: Statement, proof: str, seconds: float) -> Verdict:
        started = time.monotonic()
        finding, facts = self._examine(statement, proof, seconds)
        word = None
        if finding is None and facts is not None and self.second is not None:
            finding, word = self._second_look(self.second, statement, facts)
        verdict = self._verdict(finding, facts, word, time.monotonic() - started)
        if verdict.verified and self._is_vacuous(statement):
            return verdict.model_copy(update={"vacuous": True})
        return verdict

    def attempt(self, statement: Statement, proof: str, seconds: float) -> Finding | None:
        """Tries a proof during a search: everything but the second look of the kernel.

        ``None`` means that :meth:`check` is worth its time; it is not a verdict.
        """
        finding, facts = self._examine(statement, proof, seconds, replay=False)
        if facts is not None and finding is not None and finding.reason is Reason.KERNEL_REJECTED:
            return None
        return finding

    def check_statement(self, statement: Statement) -> tuple[Finding | None, StatementFacts | None]:
        """Elaborates and audits a statement alone: what is wrong with it, and what it is."""
        if finding := _text_fault(statement.signature, statement.name, statement.context):
            return finding, None
        if statement not in self._statements:
            try:
                facts = self.lean.state(statement)
            except SessionLost as lost:
                return Finding(LOSSES[lost.loss], lost.message), None
            self._remember(statement, audit_statement(facts), facts)
        return self._statements[statement]

    def _remember(
        self, statement: Statement, finding: Finding | None, facts: StatementFacts
    ) -> None:
        self._statements[statement] = (finding, facts)
        if len(self._statements) > KEPT_STATEMENTS:
            self._statements.popitem(last=False)

    def _examine(
        self, statement: Statement, proof: str, seconds: float, replay: bool = True
    ) -> tuple[Finding | None, ProofFacts | None]:
        if finding := _text_fault(proof):
            return finding, None
        finding, _ = self.check_statement(statement)
        if finding is not None:
            return finding, None
        try:
            facts = self.lean.prove(statement, proof, seconds, replay)
        except SessionLost as lost:
            return Finding(LOSSES[lost.loss], lost.message), None
        return audit_proof(facts), facts

    def _is_vacuous(self, statement: Statement) -> bool:
        """Whether Lean finds a contradiction in the hypotheses within a short time."""
        _, facts = self.check_statement(statement)
        if facts is None or not has_hypotheses(facts.type):
            return False
        return self.attempt(statement, CONTRADICTION, VACUITY_SECONDS) is None

    def _second_look(
        self, second: SecondKernel, statement: Statement, facts: ProofFacts
    ) -> tuple[Finding | None, Word | None]:
        _, stated = self.check_statement(statement)
        assert stated is not None
        try:
            word = second.check(self.lean, statement, stated, facts)
        except SessionLost as lost:
            return Finding(LOSSES[lost.loss], f"second kernel: {lost.message}"), None
        return audit_second_kernel(word), word

    def _verdict(
        self, finding: Finding | None, facts: ProofFacts | None, word: Word | None, seconds: float
    ) -> Verdict:
        toolchain = str(self.lean.toolchain)
        if finding is None and facts is not None:
            return Verdict(
                outcome=Outcome.VERIFIED,
                reason=Reason.PROVED,
                axioms=tuple(sorted({*facts.axioms, *(word.axioms if word else ())})),
                premises=facts.premises,
                kernels=self.kernels,
                assumed=word.assumed if word else (),
                toolchain=toolchain,
                seconds=seconds,
            )
        assert finding is not None
        undetermined = finding.reason in UNDETERMINED
        return Verdict(
            outcome=Outcome.UNDETERMINED if undetermined else Outcome.REJECTED,
            reason=finding.reason,
            message=finding.message,
            axioms=facts.axioms if facts else (),
            toolchain=toolchain,
            seconds=seconds,
        )


def _text_fault(*texts: str) -> Finding | None:
    """Text that Lean should not even see: too large, unencodable, or made to mislead a reader."""
    for text in texts:
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            return Finding(Reason.BAD_TEXT, "a lone surrogate")
        if size > MAX_BYTES:
            return Finding(Reason.TOO_LARGE, f"{size} bytes, the limit is {MAX_BYTES}")
        for character in text:
            if unicodedata.category(character) in HIDDEN and character not in "\n\t\r":
                return Finding(Reason.BAD_TEXT, f"the character U+{ord(character):04X}")
    return None
