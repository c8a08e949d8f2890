"""The strategy agent: which operator drafts next, and why.

A bandit over the operators. Each has a Beta distribution over the rate at which its drafts are
proved; the agent draws a rate for each (Thompson sampling), favours those that cost little time,
and lets the best draw draft a batch. What lies far back counts less, as a theory is used up.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.store.records import OperatorYield
from engine.strategy.operators import Context, Draft, Helper, Operator

BATCH = 6
"""Drafts that an operator gives in one turn."""

FORGETTING = 0.98
"""What a decided draft counts after each later one of its operator: about the last 50 matter."""

PRIOR_STRENGTH = 8.0
"""Drafts that earlier runs count for at most, so that this one's own soon outweigh them."""


class Payoff(StrEnum):
    """What became of a draft: proved, false, needless or weak, or without a proof so far."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    PRUNED = "pruned"
    FAILED = "failed"


@dataclass
class Yield:
    """What an operator has brought in this run.

    Attributes:
        seconds: Time for drafting and for the proof searches.
    """

    drafted: int = 0
    verified: int = 0
    refuted: int = 0
    pruned: int = 0
    failed: int = 0
    seconds: float = 0.0

    @property
    def decided(self) -> int:
        """Drafts of which something became."""
        return self.verified + self.refuted + self.pruned + self.failed

    def count(self, payoff: Payoff, change: int = 1) -> None:
        """One more draft of which this became, or one less."""
        setattr(self, payoff.value, getattr(self, payoff.value) + change)


@dataclass
class _Belief:
    """Successes and failures, forgotten bit by bit, on top of those of earlier runs."""

    prior_successes: float = 0.0
    prior_failures: float = 0.0
    successes: float = 0.0
    failures: float = 0.0

    def note(self, success: bool) -> None:
        self.successes = FORGETTING * self.successes + success
        self.failures = FORGETTING * self.failures + (not success)

    def correct(self, success: bool) -> None:
        """A draft noted earlier turned out the other way."""
        change = 1 if success else -1
        self.successes = max(0.0, self.successes + change)
        self.failures = max(0.0, self.failures - change)

    def draw(self, random_: random.Random) -> float:
        """A rate from Beta(1 + successes, 1 + failures)."""
        return random_.betavariate(
            1 + self.prior_successes + self.successes, 1 + self.prior_failures + self.failures
        )


class Agent:
    """Asks the operators for drafts, a batch at a time.

    At first each has one turn, in order, unless earlier runs tell of it. Then the operator with
    the largest ``θ · C / (C + c)`` drafts, where θ is drawn from its Beta distribution, c is what a
    decided draft of it has cost in seconds, and C the mean of that over all operators.

    Args:
        operators: In the order of their first turn.
        seed: Of the draws.
        priors: What earlier runs brought, by operator name.
        batch: Drafts in one turn.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        operators: Sequence[Operator],
        seed: int = 0,
        priors: Mapping[str, OperatorYield] | None = None,
        batch: int = BATCH,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._operators = operators
        self._random = random.Random(seed)
        self._batch = batch
        self._clock = clock
        self._outcomes: dict[str, Payoff] = {}
        self.yields: dict[str, Yield] = {o.name: Yield() for o in operators}
        self._beliefs = {o.name: _belief((priors or {}).get(o.name)) for o in operators}
        self._heard = {name for name, past in (priors or {}).items() if past.drafted}
        self.choices: list[str] = []

    def drafts(self, context: Context) -> Iterator[Draft]:
        """Drafts of all operators that apply, batch by batch, until none has any left.

        An operator that does not apply is asked again before each turn, as the context may grow;
        one that has nothing left is done with this context.
        """
        waiting = list(self._operators)
        streams: dict[str, Iterator[Draft]] = {}
        while True:
            yield from self.help(context)
            waiting = self._admit(waiting, streams, context)
            if not streams or context.stop():
                break
            name = self._choose(list(streams))
            if (yield from self._turn(name, streams[name])) < self._batch:
                del streams[name]
                self.choices.append(f"{name}: no further drafts in this context")
        for operator in waiting:
            self.choices.append(f"{operator.name} has nothing to work with in {_size(context)}")

    def help(self, context: Context) -> Iterator[Draft]:
        """Drafts for the proofs that have just failed; they come before all else."""
        for operator in self._operators:
            if context.stuck and isinstance(operator, Helper):
                stuck = len(context.stuck)
                self.choices.append(f"{operator.name}: help for {stuck} failed proofs")
                stream = operator.help(context)
                while (yield from self._turn(operator.name, stream)) == self._batch:
                    pass

    def reward(self, draft: Draft, payoff: Payoff, seconds: float = 0.0) -> None:
        """Notes what became of a draft, and the time that this took.

        A later outcome of the same draft replaces the earlier one.
        """
        record = self.yields.setdefault(draft.operator, Yield())
        belief = self._beliefs.setdefault(draft.operator, _Belief())
        record.seconds += seconds
        before = self._outcomes.get(draft.key)
        success = payoff is Payoff.VERIFIED
        if before is None:
            belief.note(success)
        else:
            record.count(before, -1)
            if success != (before is Payoff.VERIFIED):
                belief.correct(success)
        self._outcomes[draft.key] = payoff
        record.count(payoff)

    def summary(self) -> list[tuple[str, Yield]]:
        """What each operator brought, the most fruitful first; those without a draft left out."""
        used = [(name, y) for name, y in self.yields.items() if y.drafted]
        return sorted(used, key=lambda item: (-item[1].verified, item[0]))

    def _admit(
        self, waiting: list[Operator], streams: dict[str, Iterator[Draft]], context: Context
    ) -> list[Operator]:
        """Opens streams for operators that apply now; gives those that still do not."""
        still = []
        for operator in waiting:
            if operator.applies(context):
                streams[operator.name] = operator.draft(context)
                self.choices.append(f"{operator.name} applies to {_size(context)}")
            else:
                still.append(operator)
        return still

    def _choose(self, names: Sequence[str]) -> str:
        for name in names:
            if name not in self._heard:
                self._heard.add(name)
                self.choices.append(f"{name}: its first turn")
                return name
        draws = {n: self._beliefs[n].draw(self._random) * self._speed(n) for n in names}
        best = max(names, key=lambda n: draws[n])
        self.choices.append(f"{best}: {self._reason(best, draws)}")
        return best

    def _reason(self, name: str, draws: Mapping[str, float]) -> str:
        record, belief = self.yields[name], self._beliefs[name]
        past = belief.prior_successes + belief.prior_failures
        earlier = f" ({belief.prior_successes / past:.0%} in earlier runs)" if past else ""
        return (
            f"{record.verified} of {record.decided} drafts verified{earlier}, "
            f"drew {draws[name]:.2f}, highest of {len(draws)}"
        )

    def _turn(self, name: str, stream: Iterator[Draft]) -> Generator[Draft, None, int]:
        """Gives one batch, as a generator that returns how many drafts there were."""
        given = 0
        record = self.yields[name]
        while given < self._batch:
            started = self._clock()
            draft = next(stream, None)
            record.seconds += self._clock() - started
            if draft is None:
                break
            given += 1
            record.drafted += 1
            yield draft
        return given

    def _speed(self, name: str) -> float:
        """``C / (C + c)``, in (0, 1]; a half for an operator that costs what all cost."""
        decided = [y for y in self.yields.values() if y.decided]
        own = self.yields[name]
        total = sum(y.seconds for y in decided)
        if not own.decided or not total:
            return 0.5
        mean = total / sum(y.decided for y in decided)
        return mean / (mean + own.seconds / own.decided)


def _belief(past: OperatorYield | None) -> _Belief:
    """What earlier runs make of an operator, scaled down to ``PRIOR_STRENGTH`` drafts."""
    if past is None or not past.drafted:
        return _Belief()
    scale = min(1.0, PRIOR_STRENGTH / past.drafted)
    return _Belief(scale * past.verified, scale * (past.drafted - past.verified))


def _size(context: Context) -> str:
    return f"{len(context.symbols)} symbols and {len(context.laws)} laws"
