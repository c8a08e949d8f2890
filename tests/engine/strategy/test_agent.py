from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.store.records import OperatorYield
from engine.strategy.agent import Agent, Payoff
from engine.strategy.operators import OPERATORS, Context, Draft, chosen_operators
from verifier.errors import InputError


class Growing:
    """A context in which more may become known."""

    def __init__(self) -> None:
        self.symbols = [1, 2]
        self.laws: list[int] = []
        self.stuck: list[int] = []
        self.stopped = False

    def stop(self) -> bool:
        return self.stopped


def context() -> Context:
    return cast(Context, Growing())


class Counting:
    description = ""

    def __init__(self, name: str, size: int, needs: int = 0) -> None:
        self.name = name
        self._size = size
        self._needs = needs

    def applies(self, context: Context) -> bool:
        return len(context.laws) >= self._needs

    def draft(self, context: Context) -> Iterator[Draft]:
        for number in range(self._size):
            yield cast(Draft, SimpleNamespace(operator=self.name, key=f"{self.name} {number}"))


def names(drafts: Iterator[Any]) -> list[str]:
    return [d.operator for d in drafts]


def run(agent: Agent, drafts: int, good: str) -> list[str]:
    """Who drafted, when what one operator drafts is verified and the rest refuted at once."""
    seen = []
    for draft in agent.drafts(context()):
        seen.append(draft.operator)
        agent.reward(draft, Payoff.VERIFIED if draft.operator == good else Payoff.REFUTED)
        if len(seen) == drafts:
            break
    return seen


def test_each_operator_has_a_first_turn_and_gives_all_its_drafts() -> None:
    agent = Agent([Counting("a", 20), Counting("b", 4)], batch=3)
    drafted = names(agent.drafts(context()))
    assert drafted.count("a") == 20
    assert drafted.count("b") == 4
    assert drafted[:6] == ["a"] * 3 + ["b"] * 3


@given(st.integers(0, 1_000))
def test_an_operator_that_pays_off_drafts_more(seed: int) -> None:
    agent = Agent([Counting("bad", 300), Counting("good", 300)], seed=seed, clock=lambda: 0.0)
    seen = run(agent, 240, good="good")
    assert seen.count("good") > 2 * seen.count("bad")


def test_the_same_seed_gives_the_same_choices() -> None:
    def choices(seed: int) -> list[str]:
        operators = [Counting("a", 90), Counting("b", 90)]
        agent = Agent(operators, seed=seed, clock=lambda: 0.0)
        run(agent, 100, good="b")
        return agent.choices

    assert choices(3) == choices(3)
    assert choices(3) != choices(4)


def test_slow_operators_draft_less_than_fast_ones_that_bring_as_much() -> None:
    agent = Agent([Counting("slow", 400), Counting("fast", 400)], clock=lambda: 0.0)
    seen = []
    for draft in agent.drafts(context()):
        seen.append(draft.operator)
        agent.reward(draft, Payoff.VERIFIED, 9.0 if draft.operator == "slow" else 0.1)
        if len(seen) == 300:
            break
    assert seen.count("fast") > 2 * seen.count("slow")


def test_earlier_runs_decide_who_begins() -> None:
    past = {
        "a": OperatorYield(drafted=400, verified=2, refuted=398),
        "b": OperatorYield(drafted=400, verified=390, refuted=10),
    }
    first = [
        next(Agent([Counting("a", 9), Counting("b", 9)], seed=s, priors=past).drafts(context()))
        for s in range(30)
    ]
    assert sum(d.operator == "b" for d in first) >= 27


def test_a_later_outcome_replaces_the_earlier_one() -> None:
    agent = Agent([Counting("a", 1)])
    (draft,) = agent.drafts(context())
    agent.reward(draft, Payoff.FAILED, 2.0)
    agent.reward(draft, Payoff.VERIFIED, 1.0)
    ((name, brought),) = agent.summary()
    assert name == "a"
    assert (brought.drafted, brought.verified, brought.failed) == (1, 1, 0)
    assert brought.seconds >= 3.0


def test_an_operator_that_does_not_apply_yet_is_asked_again() -> None:
    here = Growing()
    agent = Agent([Counting("a", 4), Counting("later", 2, needs=1)], batch=2)
    drafted = []
    for draft in agent.drafts(cast(Context, here)):
        drafted.append(draft.operator)
        here.laws = [1]
    assert drafted == ["a", "a", "later", "later", "a", "a"]


class Answering(Counting):
    """Drafts two things for each stuck conjecture, and nothing else."""

    def help(self, context: Context) -> Iterator[Draft]:
        while context.stuck:
            law = context.stuck.pop()
            for number in range(2):
                yield cast(Draft, SimpleNamespace(operator=self.name, key=f"{law} {number}"))


def test_help_for_a_failed_proof_comes_before_the_next_turn() -> None:
    here = Growing()
    agent = Agent([Counting("a", 6), Answering("answering", 0)], batch=3)
    drafted = []
    for draft in agent.drafts(cast(Context, here)):
        drafted.append(draft.key)
        if len(drafted) == 1:
            here.stuck = [7, 8]
    assert drafted == ["a 0", "a 1", "a 2", "8 0", "8 1", "7 0", "7 1", "a 3", "a 4", "a 5"]
    assert agent.yields["answering"].drafted == 4
    assert "answering: help for 2 failed proofs" in agent.choices


def test_choices_are_logged_with_reasons() -> None:
    agent = Agent([Counting("a", 7), Counting("idle", 5, needs=1)], batch=3)
    assert names(agent.drafts(context())) == ["a"] * 7
    log = "\n".join(agent.choices)
    assert "a: its first turn" in log
    assert "a: 0 of 0 drafts verified, drew" in log
    assert "a: no further drafts in this context" in log
    assert "idle has nothing to work with in 2 symbols and 0 laws" in log


def test_drafting_ends_when_time_is_up() -> None:
    here = Growing()
    agent = Agent([Counting("a", 100)], batch=5)
    drafted = 0
    for _ in agent.drafts(cast(Context, here)):
        drafted += 1
        here.stopped = True
    assert drafted == 5


def test_operators_are_chosen_by_name_in_their_own_order() -> None:
    assert [o.name for o in chosen_operators()] == [o.name for o in OPERATORS]
    assert [o.name for o in chosen_operators(["analogy", "induction"])] == ["induction", "analogy"]
    left = [o.name for o in chosen_operators(without=["dual"])]
    assert left == [o.name for o in OPERATORS if o.name != "dual"]


@pytest.mark.parametrize(
    ("wanted", "without", "message"),
    [
        (["magic"], [], "there is no operator magic"),
        (["dual"], ["dual"], "dual is asked for and left out"),
        ([], [o.name for o in OPERATORS], "no operator is left"),
    ],
)
def test_a_wrong_choice_says_what_is_wrong(
    wanted: list[str], without: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        chosen_operators(wanted, without)
