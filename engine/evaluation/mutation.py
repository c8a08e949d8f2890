"""Mutants of exported proofs: each a small lie that a kernel should notice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

Item = dict[str, Any]
Items = list[Item]
LIE = "Lemmata.Lie"


@dataclass(frozen=True)
class Mutant:
    """An export with one change.

    Attributes:
        kind: What was changed.
        text: The changed export.
    """

    kind: str
    text: str


def mutants(delta: str, theorem: str, count: int, rng: random.Random) -> Iterator[Mutant]:
    """Yields mutants of a proof's export, one kind after the other.

    Args:
        delta: Lines in the format of lean4export.
        theorem: Full name of its theorem.
        count: How many.
        rng: Chooses places and changes.
    """
    original = [orjson.loads(line) for line in delta.splitlines()]
    kinds = list(KINDS.items())
    rng.shuffle(kinds)
    tries = made = 0
    while made < count and tries < 50 * count:
        kind, change = kinds[tries % len(kinds)]
        tries += 1
        items: Items = orjson.loads(orjson.dumps(original))
        if change(items, rng) and items != original:
            made += 1
            yield Mutant(kind, "".join(orjson.dumps(i).decode() + "\n" for i in items))


def _with(items: Items, key: str) -> list[int]:
    return [n for n, item in enumerate(items) if key in item]


def _pick(items: Items, key: str, rng: random.Random) -> Item | None:
    found = _with(items, key)
    return items[rng.choice(found)] if found else None


def _earlier(item: Item, rng: random.Random) -> int | None:
    number: int = item["ie"]
    return rng.randrange(number) if number else None


def _names(items: Items) -> list[int]:
    return [i["in"] for i in items if "in" in i]


def _constant(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "const", rng)
    if item is None:
        return False
    item["const"]["name"] = rng.choice(_names(items))
    return True


def _universe(items: Items, rng: random.Random) -> bool:
    constants = [items[n] for n in _with(items, "const") if items[n]["const"]["us"]]
    sorts = [items[n] for n in _with(items, "sort")]
    if not constants + sorts:
        return False
    item = rng.choice(constants + sorts)
    levels = [0, *(i["il"] for i in items if "il" in i)]
    if "sort" in item:
        item["sort"] = rng.choice(levels)
    else:
        us = item["const"]["us"]
        us[rng.randrange(len(us))] = rng.choice(levels)
    return True


def _level(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "succ", rng)
    if item is None:
        return False
    del item["succ"]
    item["max"] = [0, 0]
    return True


def _binder(items: Items, rng: random.Random) -> bool:
    kind = rng.choice(("lam", "forallE"))
    item = _pick(items, kind, rng)
    if item is None or (other := _earlier(item, rng)) is None:
        return False
    item[kind]["type"] = other
    return True


def _body(items: Items, rng: random.Random) -> bool:
    kind = rng.choice(("lam", "forallE"))
    item = _pick(items, kind, rng)
    if item is None or (other := _earlier(item, rng)) is None:
        return False
    item[kind]["body"] = other
    return True


def _index(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "bvar", rng)
    if item is None:
        return False
    item["bvar"] = max(0, item["bvar"] + rng.choice((-1, 1, 2)))
    return True


def _swapped(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "app", rng)
    if item is None:
        return False
    app = item["app"]
    app["fn"], app["arg"] = app["arg"], app["fn"]
    return True


def _argument(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "app", rng)
    if item is None or (other := _earlier(item, rng)) is None:
        return False
    item["app"]["arg"] = other
    return True


def _dropped(items: Items, rng: random.Random) -> bool:
    """A hypothesis less: a binder is replaced by its body."""
    kind = rng.choice(("lam", "forallE"))
    item = _pick(items, kind, rng)
    if item is None:
        return False
    body = next(i for i in items if i.get("ie") == item[kind]["body"])
    number = item["ie"]
    item.clear()
    item.update({**body, "ie": number})
    return True


def _literal(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "natVal", rng)
    if item is None:
        return False
    item["natVal"] = str(int(item["natVal"]) + 1)
    return True


def _projection(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "proj", rng)
    if item is None:
        return False
    item["proj"]["idx"] += 1
    return True


def _value(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "thm", rng)
    if item is None:
        return False
    item["thm"]["value"] = rng.randrange(sum("ie" in i for i in items))
    return True


def _statement(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "thm", rng)
    if item is None:
        return False
    item["thm"]["type"] = rng.randrange(sum("ie" in i for i in items))
    return True


def _parameters(items: Items, rng: random.Random) -> bool:
    item = _pick(items, "thm", rng)
    if item is None or not _names(items):
        return False
    levels = item["thm"]["levelParams"]
    if levels and rng.random() < 0.5:
        levels.pop()
    else:
        levels.append(rng.choice(_names(items)))
    return True


def _assumed(items: Items, rng: random.Random) -> bool:
    """The theorem is assumed under the name of one that the base library has without a proof."""
    return _lie(items, ("Nat", "le_refl"))


def _axiom(items: Items, rng: random.Random) -> bool:
    """The theorem becomes an axiom."""
    item = _pick(items, "thm", rng)
    if item is None:
        return False
    body = item.pop("thm")
    item["axiom"] = {k: body[k] for k in ("name", "levelParams", "type")} | {"isUnsafe": False}
    return True


def _own_axiom(items: Items, rng: random.Random) -> bool:
    """The theorem is assumed under a name of its own."""
    return _lie(items, tuple(LIE.split(".")))


def _addition(items: Items, rng: random.Random) -> bool:
    """A false ``Nat.add``: the kernel computes with it by its name."""
    at = min(n for n, i in enumerate(items) if not {"in", "il", "ie"} & i.keys())
    name = _new_name(items, ("Nat", "add"), at)
    at = min(n for n, i in enumerate(items) if not {"in", "il", "ie"} & i.keys())
    nat = _new_name(items, ("Nat",), at)
    at = min(n for n, i in enumerate(items) if not {"in", "il", "ie"} & i.keys())
    first = sum("ie" in i for i in items)

    def binder(kind: str, body: int, number: int) -> Item:
        inside = {"name": nat, "type": first, "body": body, "binderInfo": "default"}
        return {"ie": number, kind: inside}

    items[at:at] = [
        {"ie": first, "const": {"name": nat, "us": []}},
        {"ie": first + 1, "natVal": "0"},
        binder("forallE", first, first + 2),
        binder("forallE", first + 2, first + 3),
        binder("lam", first + 1, first + 4),
        binder("lam", first + 4, first + 5),
        {
            "def": {
                "name": name,
                "levelParams": [],
                "type": first + 3,
                "value": first + 5,
                "hints": "abbrev",
                "safety": "safe",
                "all": [name],
            }
        },
    ]
    _renumber(items)
    return True


def _lie(items: Items, name: tuple[str, ...]) -> bool:
    theorem = next((i["thm"] for i in reversed(items) if "thm" in i), None)
    if theorem is None:
        return False
    at = next(n for n, i in enumerate(items) if i.get("thm") is theorem)
    number = _new_name(items, name, at)
    at = next(n for n, i in enumerate(items) if i.get("thm") is theorem)
    expression = sum("ie" in i for i in items)
    parameters = theorem["levelParams"]
    us = []
    for parameter in parameters:
        known = next((i["il"] for i in items if i.get("param") == parameter), None)
        if known is None:
            return False
        us.append(known)
    axiom = {"name": number, "levelParams": parameters, "type": theorem["type"], "isUnsafe": False}
    items[at:at] = [
        {"axiom": axiom},
        {"ie": expression, "const": {"name": number, "us": us}},
    ]
    theorem["value"] = expression
    _renumber(items)
    return True


def _new_name(items: Items, name: tuple[str, ...], at: int) -> int:
    number = 0
    for part in name:
        new = 1 + len(_names(items))
        items.insert(at, {"in": new, "str": {"pre": number, "str": part}})
        at += 1
        number = new
    return number


def _renumber(items: Items) -> None:
    """Puts lines in the order of their numbers, primitives that were added late included."""
    primitives = [i for i in items if {"in", "il", "ie"} & i.keys()]
    rest = [i for i in items if not {"in", "il", "ie"} & i.keys()]
    primitives.sort(key=lambda i: ("in" not in i, "il" not in i, next(iter(_number(i)))))
    items[:] = primitives + rest


def _number(item: Item) -> Iterator[int]:
    for key in ("in", "il", "ie"):
        if key in item:
            yield int(item[key])


Change = Callable[[Items, random.Random], bool]
KINDS: dict[str, Change] = {
    "a changed constant": _constant,
    "a changed universe": _universe,
    "a lower level": _level,
    "a changed binder type": _binder,
    "a changed binder body": _body,
    "a changed index": _index,
    "a swapped argument": _swapped,
    "a changed argument": _argument,
    "a dropped hypothesis": _dropped,
    "a changed number": _literal,
    "a changed projection": _projection,
    "another proof": _value,
    "another statement": _statement,
    "other universe parameters": _parameters,
    "a forged assumption": _assumed,
    "an axiom for a theorem": _axiom,
    "an axiom of its own": _own_axiom,
    "a false Nat.add": _addition,
}
