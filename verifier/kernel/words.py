"""What the second kernel says, as the verifier understands it."""

from __future__ import annotations

from dataclasses import dataclass

NOT_IN_THE_BASE = "it is not in the base library of the second kernel"


@dataclass(frozen=True)
class Word:
    """What the second kernel says of a proof.

    Attributes:
        refusal: Why it is not accepted, or an empty string.
        exhausted: It ran into a limit: nothing is known.
        axioms: What the theorem rests on, in this kernel's view.
        assumed: Constants of the base library that it rests on and that have no body there.
    """

    refusal: str = ""
    exhausted: bool = False
    axioms: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
