from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

from engine.strategy.agent import Agent
from engine.strategy.operators import Context, Draft

CONTEXT = cast(Context, SimpleNamespace(symbols=[1, 2], laws=[]))


class Counting:
    description = ""

    def __init__(self, name: str, size: int, applies: bool = True) -> None:
        self.name = name
        self._size = size
        self._applies = applies

    def applies(self, context: Context) -> bool:
        return self._applies

    def draft(self, context: Context) -> Iterator[Draft]:
        for number in range(self._size):
            yield cast(Draft, SimpleNamespace(operator=self.name, number=number))


def names(drafts: Iterator[Any]) -> list[str]:
    return [d.operator for d in drafts]


def test_operators_take_turns_until_all_are_done() -> None:
    agent = Agent([Counting("a", 20), Counting("b", 4)], share=3)
    drafted = names(agent.drafts(CONTEXT))
    assert drafted.count("a") == 20
    assert drafted.count("b") == 4
    assert drafted[:6] == ["a"] * 3 + ["b"] * 3


def test_an_operator_that_pays_off_gets_longer_turns() -> None:
    agent = Agent([Counting("a", 60), Counting("b", 60)], share=4)
    seen = []
    for draft in agent.drafts(CONTEXT):
        seen.append(draft.operator)
        if draft.operator == "a":
            agent.reward("a")
        if len(seen) == 60:
            break
    assert seen.count("a") > 2 * seen.count("b")


def test_choices_are_logged_with_reasons() -> None:
    agent = Agent([Counting("a", 1), Counting("idle", 5, applies=False)])
    assert names(agent.drafts(CONTEXT)) == ["a"]
    assert any("idle has nothing to work with" in c for c in agent.choices)
    assert any("a: no further drafts" in c for c in agent.choices)
