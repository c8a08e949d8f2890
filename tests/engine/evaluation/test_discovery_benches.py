"""The figures of the benchmarks of discovery, and what their commands print and refuse."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from engine.cli import app
from engine.cli.bench.explore import print_figures as print_explore
from engine.cli.bench.operators import print_figures as print_operators
from engine.cli.bench.rediscover import print_figures as print_rediscover
from engine.evaluation.benchmarks import VARIABLE
from engine.evaluation.discovery_run import FoundLemma
from engine.evaluation.explore_bench import (
    DEFINED,
    FOUND,
    IMPLIED,
    MISSING,
    ExploreFigures,
    ScoredLaw,
    TheoryFigures,
)
from engine.evaluation.operators_bench import (
    AGAIN,
    ALL,
    ArmRun,
    OperatorFigures,
    arms,
    totals,
)
from engine.evaluation.rediscover_bench import (
    OTHER,
    SAME,
    USED,
    CopyFigures,
    JudgedLemma,
    RediscoverFigures,
)
from engine.strategy.operators import OPERATORS
from verifier.errors import InputError

FATES = st.lists(st.sampled_from([FOUND, IMPLIED, DEFINED, MISSING]), max_size=20)


def laws(fates: list[str]) -> tuple[ScoredLaw, ...]:
    return tuple(ScoredLaw(str(n), f"law {n}", ": True", fate) for n, fate in enumerate(fates))


def theory(fates: list[str], name: str = "Arith") -> TheoryFigures:
    lemmas = tuple(FoundLemma(n, f": {n}", n, "induction", (), 3.0) for n in ("a", "b"))
    return TheoryFigures(name, laws(fates), lemmas, ("b",), {}, 12.0)


def copy(fates: list[str], verdicts: list[str]) -> CopyFigures:
    lemmas = tuple(JudgedLemma(f"l{n}", ": True", v) for n, v in enumerate(verdicts))
    foreign = {f"Constant{n}": 9 - n for n in range(8)}
    return CopyFigures("Lists", ("Init.Lists",), laws(fates), foreign, lemmas, {}, 3.0)


def shown(printer: object, *arguments: object) -> str:
    out = io.StringIO()
    assert callable(printer)
    printer(*arguments, Console(file=out, width=200))
    return out.getvalue()


@given(FATES)
def test_every_law_has_one_fate(fates: list[str]) -> None:
    figures = ExploreFigures(1.0, (theory(fates),))
    counted = figures.theories[0]
    assert counted.count(FOUND, IMPLIED, DEFINED, MISSING) == figures.laws == len(fates)
    assert figures.covered + len(counted.missing) == figures.laws
    assert figures.as_dict()["share"] == (figures.covered / len(fates) if fates else 0.0)


def test_the_table_names_what_is_missing() -> None:
    figures = ExploreFigures(30.0, (theory([FOUND, IMPLIED, MISSING, DEFINED]),))
    text = shown(print_explore, figures, False)
    assert "missing in Arith: 2. law 2" in text
    assert "3 of 4 laws found or implied: 75.0%" in text
    assert "lemmas of Arith" not in text
    assert str(figures.theories[0]) == "Arith: 3 of 4 laws found or implied, 2 lemmas, 12 s"


def test_lemmas_are_listed_with_time_operator_and_redundancy() -> None:
    figures = ExploreFigures(30.0, (theory([FOUND]),))
    lines = shown(print_explore, figures, True).splitlines()
    at = lines.index("lemmas of Arith:")
    one, other = (" ".join(line.split()) for line in lines[at + 1 : at + 3])
    assert one == "3.0 s induction a : a" and other == "3.0 s induction b : b (redundant)"
    lemma = json.loads(json.dumps(figures.as_dict()))["theories"][0]["discovered"][0]
    assert {"name": "a", "statement": ": a", "operator": "induction", "after": 3.0}.items() <= (
        lemma.items()
    )


@given(FATES, st.lists(st.sampled_from([SAME, USED, OTHER]), max_size=10))
def test_recall_and_precision_are_shares(fates: list[str], verdicts: list[str]) -> None:
    figures = copy(fates, verdicts)
    assert 0 <= figures.found_share <= figures.recall <= 1
    assert figures.hard_recall <= figures.recall or not fates
    useful = len(verdicts) - verdicts.count(OTHER)
    assert figures.precision == (useful / len(verdicts) if verdicts else 0.0)
    document = RediscoverFigures(1.0, (figures,)).as_dict()
    assert json.loads(json.dumps(document))["copies"][0]["recall"] == figures.recall


def test_the_table_says_what_is_out_of_scope_and_what_was_missed() -> None:
    figures = RediscoverFigures(30.0, (copy([FOUND, DEFINED, MISSING, MISSING], [SAME, OTHER]),))
    text = shown(print_rediscover, figures, True)
    assert "50%" in text and "33%" in text
    assert "44 lemmas of Init.Lists speak of other constants (Constant0 9" in text
    assert "2 other constants" in text
    assert str(figures.copies[0]) == (
        "Lists: 2 of 4 lemmas of core found or implied, 2 lemmas, precision 50%, 3 s"
    )
    assert "missed: law 2" in text and "missed: law 0" not in text


def test_each_operator_is_switched_off_once_and_all_run_twice() -> None:
    found = arms()
    assert found[ALL] == found[AGAIN] == OPERATORS
    for operator in OPERATORS:
        assert set(found[operator.name]) == set(OPERATORS) - {operator}
    assert len(found) == len(OPERATORS) + 2


def test_only_some_operators_are_switched_off_where_the_user_names_them() -> None:
    found = arms(OPERATORS[:1])
    assert list(found) == [ALL, OPERATORS[0].name, AGAIN]


def test_an_unknown_operator_is_refused_with_the_known_ones() -> None:
    done = CliRunner().invoke(app, ["bench", "operators", "--operator", "magic"])
    assert isinstance(done.exception, InputError)
    assert "magic" in done.exception.message and "induction" in str(done.exception.hint)


def arm(name: str, theory: str, lemmas: int, covered: int, to_five: float) -> ArmRun:
    return ArmRun(name, theory, {"induction": lemmas}, covered, covered, 10, {5: to_five}, 1.0)


def test_arms_are_compared_with_all_operators_theory_by_theory() -> None:
    runs = [
        arm("analogy", "A", 7, 4, 6.0), arm(ALL, "A", 9, 6, 3.0), arm(AGAIN, "A", 9, 6, 3.0),
        arm("analogy", "B", 5, 5, 2.0), arm(ALL, "B", 5, 4, 1.0), arm(AGAIN, "B", 6, 4, 1.0),
    ]  # fmt: skip
    by_arm = {total.arm: total for total in totals(runs)}
    assert list(by_arm) == [ALL, AGAIN, "analogy"]
    assert by_arm[ALL].more == {"lemmas": 0, "found": 0, "covered": 0}
    assert by_arm["analogy"].more == {"lemmas": -2, "found": -1, "covered": -1}
    assert by_arm["analogy"].milestones == {5: 2.0}
    assert by_arm[AGAIN].more["lemmas"] == 1
    figures = OperatorFigures(60.0, tuple(runs), tuple(totals(runs)))
    text = shown(print_operators, figures)
    assert str(runs[0]) == "A without analogy: 4 of 10 laws found or implied, 7 lemmas, 1 s"
    assert str(runs[1]).startswith("A with all operators: 6 of 10")
    assert "12 (-2)" in text and "2.00 times" in text and "6/10, 9" in text
    assert json.loads(json.dumps(figures.as_dict()))["totals"][2]["milestones"] == {"5": 2.0}


@pytest.mark.parametrize("command", ["explore", "rediscover", "operators"])
def test_an_unknown_theory_is_refused_with_the_known_ones(command: str) -> None:
    done = CliRunner().invoke(app, ["bench", command, "--theory", "Rings"])
    assert done.exit_code == 2
    assert "Rings" in done.output and "Bools" in done.output


@pytest.mark.parametrize("command", ["explore", "operators"])
def test_a_missing_benchmark_is_named_before_anything_starts(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    done = CliRunner().invoke(app, ["bench", command])
    assert isinstance(done.exception, InputError)
    assert "quickspec" in done.exception.message and VARIABLE in str(done.exception.hint)
