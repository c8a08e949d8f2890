"""The format of an attack: a folder with an ``attack.toml`` and, where they are long, Lean files.

The keys of the file are those of :class:`Attack`, and hold for all of its variants; a
``[[variant]]`` has a title and the keys that differ. A text may lie in a file of the folder
instead (``theory.lean``, ``context.lean``, ``statement.lean``, ``proof.lean``). A text under
``generate`` is a list of ``[text, count]``, for what is too big to be written down.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from verifier.lean import Environment, Statement
from verifier.session import Session
from verifier.verdict import Outcome, Reason, Verdict
from verifier.verifier import Verifier

FOLDER = Path(__file__).parent
TEXTS = ("theory", "context", "statement", "proof")


class Attack(BaseModel):
    """One candidate that must not be verified.

    Attributes:
        title: Folder and variant.
        row: Its row in the list of threats. tries: What it tries, in one line.
        theory: A module body that is elaborated first. theory_fails: Lean reports an error in it.
        imports: Modules below it.
        context, name, statement, proof: The candidate.
        seconds: Time limit of the proof.
        outcome: The outcome that it must get.
        reason: The reason; several where the speed of the machine decides which limit is met first.
        message: A part of the verdict's message.
        vacuous: The statement is proved, and flagged as one that says nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    row: int
    tries: str
    theory: str | None = None
    theory_fails: bool = False
    imports: tuple[str, ...] = ("Init",)
    context: str = ""
    name: str = "t"
    statement: str
    proof: str
    seconds: float = 30.0
    outcome: Outcome
    reason: tuple[Reason, ...]
    message: str = ""
    vacuous: bool = False

    @field_validator("reason", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    def run(self, session: Session, verifier: Verifier) -> Verdict:
        """Elaborates the theory and asks for the verdict."""
        environment = Environment(self.imports)
        if self.theory is not None:
            extension = session.extend(environment, self.theory)
            failures = [m.text for m in extension.messages if m.is_error]
            assert bool(failures) is self.theory_fails, failures
            environment = extension.environment
        statement = Statement(environment, self.name, self.statement, self.context)
        return verifier.check(statement, self.proof, self.seconds)

    def judge(self, verdict: Verdict) -> None:
        """Asserts that the verdict is the one that the attack must get."""
        assert verdict.vacuous is self.vacuous, verdict
        assert not verdict.verified or verdict.vacuous, f"{self.title} got through"
        assert verdict.outcome is self.outcome, verdict
        assert verdict.reason in self.reason, verdict
        assert self.message in verdict.message, verdict


def load(folder: Path) -> Iterator[Attack]:
    """The variants of the attack in a folder."""
    shared = tomllib.loads((folder / "attack.toml").read_text("utf-8"))
    variants = shared.pop("variant", [{"title": "only"}])
    for text in TEXTS:
        if (file := folder / f"{text}.lean").exists():
            shared[text] = file.read_text("utf-8").rstrip("\n")
    for variant in variants:
        keys = {**shared, **variant, "title": f"{folder.name}-{variant['title']}"}
        generated = _generated(keys.pop("generate", {}))
        yield Attack.model_validate({**keys, **generated})


def _generated(recipes: dict[str, list[tuple[str, int]]]) -> dict[str, Any]:
    return {key: "".join(text * count for text, count in parts) for key, parts in recipes.items()}


def attacks() -> list[Attack]:
    """All attacks, those that cost a process last."""
    found = [a for file in sorted(FOLDER.glob("*/attack.toml")) for a in load(file.parent)]
    return sorted(found, key=lambda a: a.outcome is Outcome.UNDETERMINED)
