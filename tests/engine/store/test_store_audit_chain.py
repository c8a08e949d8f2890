from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.store import AuditEntry, Store
from engine.store.audit import chain_faults
from verifier.errors import StorageError


@pytest.fixture
def chain(store: Store) -> list[AuditEntry]:
    return [store.audit("thing.happened", f"s{n}", {"n": n, "text": "∀"}) for n in range(6)]


def test_an_honest_chain_is_intact(store: Store, chain: list[AuditEntry]) -> None:
    report = store.verify_chain(known_head=chain[2].hash)
    assert report.intact and report.entries == 6 and report.head == chain[-1].hash
    assert store.audit_entries() == chain
    assert store.audit_entries(subject="s3") == [chain[3]]


def test_an_empty_chain_is_intact(store: Store) -> None:
    assert store.verify_chain().intact


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_single_change_is_found(chain: list[AuditEntry], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(chain) - 1))
    change = data.draw(st.sampled_from(["edit", "delete", "swap", "repeat"]))
    changed = list(chain)
    if change == "edit":
        field = data.draw(st.sampled_from(sorted(AuditEntry.model_fields)))
        old = getattr(chain[place], field)
        changed[place] = chain[place].model_copy(
            update={field: old + 1 if field == "seq" else f"{old}0"}
        )
    elif change == "delete":
        del changed[place]
    elif change == "swap":
        other = data.draw(st.integers(0, len(chain) - 1).filter(lambda n: n != place))
        one, two = chain[place], chain[other]
        changed[place] = two.model_copy(update={"seq": one.seq})
        changed[other] = one.model_copy(update={"seq": two.seq})
    else:
        changed.insert(place, chain[place])
    assert list(chain_faults(changed, chain[-1].hash))


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE audit SET detail = '{}' WHERE seq = 3",
        "DELETE FROM audit WHERE seq = 3",
        "DELETE FROM audit WHERE seq = 6",
        "DELETE FROM audit",
    ],
)
def test_attacks_on_the_file(
    store: Store, chain: list[AuditEntry], database: Path, attack: str
) -> None:
    with sqlite3.connect(database) as raw:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            raw.execute(attack)
        raw.execute("DROP TRIGGER audit_never_changes")
        raw.execute("DROP TRIGGER audit_never_shrinks")
        raw.execute(attack)
    raw.close()
    assert not store.verify_chain().intact
    store.audit("later.event", "s")
    assert not store.verify_chain().intact


def test_a_replaced_chain_is_found_by_a_noted_head(
    store: Store, chain: list[AuditEntry], tmp_path: Path
) -> None:
    with Store(tmp_path / "other.db") as other:
        other.audit("thing.happened", "s0")
        assert other.verify_chain().intact
        assert not other.verify_chain(known_head=chain[-1].hash).intact


def test_the_file_is_compared_with_itself(store: Store) -> None:
    store.audit("thing.happened", "s")
    assert store.check_integrity() == ()


def test_a_closed_store_says_so(database: Path) -> None:
    store = Store(database)
    store.close()
    with pytest.raises(StorageError, match="closed"):
        store.audit("thing.happened", "s")
