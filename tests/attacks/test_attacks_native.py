"""Every attack against the native path, with the embedded Lean's `lean` command as the toolchain.

The candidates upon one import header go to one process, as a user's would. The verdicts must be
those of the warm session; where another reason is allowed, :data:`ALSO` says why.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from attack import Attack, attacks

from verifier.batch import Candidate, check_many
from verifier.lean import Environment, Statement
from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.layout import EmbeddedLean
from verifier.toolchain.native.discovery import discover
from verifier.toolchain.native.lean import NativeLean
from verifier.verdict import Reason, Verdict

pytestmark = pytest.mark.lean

ALSO = {
    # The values of imported definitions are walked here: `unsafeCast` rests on `lcProof`.
    "unsafe_below-unsafe_past_the_kernel": (Reason.FORBIDDEN_AXIOM, "lcProof"),
}
NEEDS_A_SECOND_KERNEL = {Reason.SECOND_KERNEL_REJECTED}
DEADLY = {Reason.TIMEOUT, Reason.CRASH, Reason.OUT_OF_MEMORY}
COST_A_PROCESS = {"runaway-kernel_cases"}
"""Of the deadly ones; the others differ in what Lean does, not in what we do."""
SLOW = {"runaway-endless_tactic", "runaway-looping_rule"}
COST_A_START = {"prelude-half", "prelude-sound_choice"}
"""They have an import header of their own; `prelude-nothing` stands for them."""


def is_chosen(attack: Attack) -> bool:
    """Whether an attack is tried on this path too: all, except some that cost much time."""
    if attack.title in COST_A_PROCESS:
        return True
    left_out = DEADLY | NEEDS_A_SECOND_KERNEL
    return attack.title not in SLOW | COST_A_START and left_out.isdisjoint(attack.reason)


def chosen() -> list[Attack]:
    """The attacks that are tried."""
    return [attack for attack in attacks() if is_chosen(attack)]


def candidate(attack: Attack) -> Candidate:
    """What the attack brings, upon its theory."""
    environment = Environment(attack.imports)
    if attack.theory is not None:
        environment = environment.extended(attack.theory)
    statement = Statement(environment, attack.name, attack.statement, attack.context)
    return Candidate(statement, attack.proof, attack.seconds)


@pytest.fixture(scope="module")
def verdicts(installation: EmbeddedLean) -> dict[str, Verdict]:
    """The verdicts on all attacks by title, and on a good candidate among them."""
    toolchain = discover(Path(__file__).parent, str(ensure_commands() / "lean"))
    found = chosen()
    good = Candidate(Statement(Environment(("Init",)), "good", "(n : Nat) : n + 0 = n"), "rfl")
    checked = check_many(NativeLean(toolchain, shared=True), [*map(candidate, found), good])
    return dict(zip([*(a.title for a in found), "good"], checked, strict=True))


@pytest.mark.parametrize("attack", chosen(), ids=lambda a: a.title)
def test_attack(attack: Attack, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[attack.title]
    reason, message = ALSO.get(attack.title, (None, ""))
    if verdict.reason is reason:
        assert message in verdict.message
        assert not verdict.verified
    else:
        attack.judge(verdict)


def test_the_next_candidate_is_unharmed(verdicts: dict[str, Verdict]) -> None:
    assert verdicts["good"].verified
