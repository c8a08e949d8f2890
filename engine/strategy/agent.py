"""The strategy agent: which operator drafts next, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.strategy.operators import Context, Draft, Operator


@dataclass
class Yield:
    """What an operator has brought so far."""

    drafted: int = 0
    verified: int = 0


@dataclass
class Agent:
    """Asks the operators in turn, those that pay off more often.

    One operator drafts until it has given ``share`` drafts, then the next; the share grows with
    the rate of drafts that were verified. Every choice is logged with its reason.

    Attributes:
        operators: In the order of their first turn.
        choices: The log.
    """

    operators: Sequence[Operator]
    share: int = 6
    yields: dict[str, Yield] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)

    def drafts(self, context: Context) -> Iterator[Draft]:
        """Drafts of all operators that apply, interleaved."""
        active = [(o, o.draft(context)) for o in self.operators if self._applies(o, context)]
        while active:
            for operator, drafts in list(active):
                turn = self._share(operator)
                given = 0
                for draft in drafts:
                    self._yield(operator).drafted += 1
                    yield draft
                    given += 1
                    if given >= turn:
                        break
                if given < turn:
                    active.remove((operator, drafts))
                    self.choices.append(f"{operator.name}: no further drafts in this context")

    def reward(self, operator: str) -> None:
        """Notes that a draft of an operator was verified."""
        self.yields.setdefault(operator, Yield()).verified += 1

    def _applies(self, operator: Operator, context: Context) -> bool:
        applies = operator.applies(context)
        laws, symbols = len(context.laws), len(context.symbols)
        verb = "applies to" if applies else "has nothing to work with in"
        self.choices.append(f"{operator.name} {verb} {symbols} symbols and {laws} laws")
        return applies

    def _yield(self, operator: Operator) -> Yield:
        return self.yields.setdefault(operator.name, Yield())

    def _share(self, operator: Operator) -> int:
        record = self._yield(operator)
        if record.drafted < self.share:
            return self.share
        return max(1, round(2 * self.share * (record.verified + 1) / (record.drafted + 2)))
