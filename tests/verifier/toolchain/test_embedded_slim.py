"""Deriving the slim JavaScript from sources of the shape of the package's own."""

from __future__ import annotations

import time

import pytest
from made_up_lean import LEAN_JS

from verifier.errors import ExitCode, ToolchainError
from verifier.toolchain.embedded.slim import EDITS, Edit, derive_slim


def test_makes_every_edit() -> None:
    slim = derive_slim(LEAN_JS)

    assert all(edit.new in slim for edit in EDITS)
    for gone in ("indexOf(symbol)", "process.binding", "FS.mount", "FS.chdir", "PoolSize=4"):
        assert gone not in slim


def test_keeps_used_exports_and_drops_the_others() -> None:
    slim = derive_slim(LEAN_JS)

    assert "var _used,wasmTable;" not in slim, "nothing uses wasmTable here"
    assert "var _used;" in slim
    assert (
        'function assignWasmExports(wasmExports){_used=Module["_used"]=wasmExports["used"]}' in slim
    )
    assert "unused" not in slim
    assert "_main," not in slim


def test_keeps_an_export_that_is_read_through_a_string() -> None:
    slim = derive_slim(LEAN_JS.replace("_used();", 'Module["_unused"]();'))

    assert '_unused=Module["_unused"]=wasmExports["unused"].value' in slim
    assert "var _unused=0;" in slim


def test_keeps_a_chained_assignment_for_any_of_its_variables() -> None:
    chained = '_table=Module["_table"]=wasmTable=wasmExports["__indirect_function_table"]'
    source = LEAN_JS.replace("_used();", "wasmTable.get(0);")
    source = source.replace('_used=Module["_used"]=wasmExports["used"]', chained)

    assert chained in derive_slim(source)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_refuses_a_source_without_the_pattern_or_with_two(edit: Edit) -> None:
    without = LEAN_JS.replace(edit.old, "")
    twice = LEAN_JS.replace("var Module={};", edit.old)

    for source in (without, twice):
        with pytest.raises(ToolchainError, match=edit.name) as caught:
            derive_slim(source)
        assert caught.value.exit_code is ExitCode.TOOLCHAIN
        assert caught.value.hint


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("var _main,", ""),
        ("var Module={};", "var _main,"),
        ("function assignWasmExports(wasmExports){", ""),
        ("var Module={};", "function assignWasmExports(wasmExports){"),
        ('wasmExports["used"];', 'wasmExports["used"];surprise();'),
        ('wasmExports["used"];', 'wasmExports["used"]||0;'),
    ],
)
def test_refuses_exports_of_another_shape(old: str, new: str) -> None:
    with pytest.raises(ToolchainError, match="export"):
        derive_slim(LEAN_JS.replace(old, new))


def test_refuses_assignments_that_come_before_the_declarations() -> None:
    start = LEAN_JS.index("function assign")
    moved = LEAN_JS[start : LEAN_JS.index("var wasmImports")]

    with pytest.raises(ToolchainError, match="do not follow"):
        derive_slim(moved + LEAN_JS.replace(moved, ""))


def test_takes_linear_time() -> None:
    names = [f"_l_{'x' * 20_000}{i}" for i in range(200)]
    many = "".join(f'{name}=Module["{name}"]=wasmExports["{name}"];' for name in names)
    source = LEAN_JS.replace("_unused=0,", f"_unused=0,{','.join(names)},")
    source = source.replace(
        "assignWasmExports(wasmExports){", f"assignWasmExports(wasmExports){{{many}"
    )

    started = time.perf_counter()
    slim = derive_slim(source)

    assert len(slim) < 10_000
    assert time.perf_counter() - started < 5
