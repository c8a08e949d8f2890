"""The background provers: parallel, and ended without a trace."""

from __future__ import annotations

import os
from concurrent.futures import wait

import pytest

from engine.workers import ProverPool
from verifier.errors import ToolchainError
from verifier.lean import Environment, Statement
from verifier.pool import cores
from verifier.prover.hints import Hints
from verifier.session import Session
from verifier.toolchain.embedded.layout import EmbeddedLean


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_there_is_a_core() -> None:
    assert cores() >= 1


def test_a_lean_that_does_not_start_is_reported_and_blocks_nobody() -> None:
    def broken() -> Session:
        raise ToolchainError("no Lean here")

    pool = ProverPool(broken, 2)
    futures = pool.warm_up(("Init",))
    done, _ = wait(futures, timeout=20)
    assert len(done) == 2
    assert all(isinstance(f.exception(), ToolchainError) for f in done)
    pool.close()


@pytest.mark.lean
def test_proofs_come_back_and_no_process_stays(
    installation: EmbeddedLean, base: Environment
) -> None:
    sessions: list[Session] = []

    def start() -> Session:
        sessions.append(Session(installation))
        return sessions[-1]

    pool = ProverPool(start, 2)
    statements = [Statement(base, f"n{i}", f"(a : Nat) : a + {i} = {i} + a") for i in range(4)]
    futures = [pool.prove(s, Hints(), 20) for s in statements]
    assert all(f.result(timeout=120).verdict.verified for f in futures)
    pids = [s.pid for s in sessions if s.pid is not None]
    assert 1 <= len(pids) <= 2
    pool.close()
    assert not any(alive(pid) for pid in pids)
