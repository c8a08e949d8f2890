"""LeanDojo's extraction of a project's syntax trees, tactic states and premises, run on this Lean.

LeanDojo brings a Lean program, ``ExtractData.lean``, and starts it with ``lean --run`` once for
each file. It was written for older versions of Lean, so its text is repaired first, by replacements
that must all fit; what it computes is its own. It runs confined like every other command: it reads
the project, and writes the files of the trace and nothing else.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from verifier.errors import InputError, ToolchainError
from verifier.toolchain.embedded.commands.launch import Access, node_command
from verifier.toolchain.embedded.commands.lean import request_of
from verifier.toolchain.embedded.commands.options import read_options
from verifier.toolchain.embedded.commands.scripts import ensure_commands
from verifier.toolchain.embedded.commands.workspace import load_workspace
from verifier.toolchain.embedded.layout import EmbeddedLean

SUPPORTED = "4.20.0"
"""The version of LeanDojo whose extractor the repairs are made for."""

TRACES = Path(".lake/build/ir")
TRACE_SECONDS = 600.0
_SHOWN = 2000  # characters of Lean's messages

REPAIRS = (
    # The compiled parts of Lake are not there; all that is wanted of it is a name.
    ("import Lake\n", ""),
    ('Lake.defaultPackagesDir == "packages"', "true"),
    ("Lake.defaultPackagesDir.fileName == \"packages\"", "true"),
    ('".lake" / Lake.defaultPackagesDir', '".lake" / "packages"'),
    ("    Lake.defaultPackagesDir\n", '    "packages"\n'),
    # Names that have moved since.
    ("instance : ToJson Substring where", "instance : ToJson Substring.Raw where"),
    ("instance : ToJson String.Pos where\n  toJson n := toJson n.1",
     "instance : ToJson String.Pos.Raw where\n  toJson n := toJson n.byteIdx"),
    ("  pos: String.Pos ", "  pos: String.Pos.Raw "),
    ("  endPos: String.Pos ", "  endPos: String.Pos.Raw "),
    ("return (← fmt).pretty.trim", "return (← fmt).pretty.trimAscii.toString"),
    ("  return s.trim\n", "  return s.trimAscii.toString\n"),
    ("defPath := defPath.drop 2", "defPath := (defPath.drop 2).toString"),
    ("(defPath.drop 6)", "(defPath.drop 6).toString"),
    # The library comes without sources, and paths are wanted relative to the project.
    ("  assert! ← path.pathExists\n  return path\n",
     "  return (relativeTo path (← IO.currentDir)).getD path\n"),
    # `processHeader` imports in the way of a `module` here, which cannot import other files.
    ("  let (env, messages) ← processHeader header {} messages inputCtx\n",
     "  let env ← importModules (headerToImports header) {} (trustLevel := 1024)\n"
     "    (loadExts := true) (level := .private)\n"),
    # No process can be started from here: one run takes all files.
    ("  | [path] => processFile (← Path.toAbsolute ⟨path⟩)\n", ""),
    ("  | [] => processAllFiles (noDeps := false)\n"
     '  | _ => throw $ IO.userError "Invalid arguments"',
     "  | paths => for path in paths do processFile (← Path.toAbsolute ⟨path⟩)"),
)  # fmt: skip


def trace_project(
    root: Path, lean: EmbeddedLean, files: Sequence[Path] = (), seconds: float = TRACE_SECONDS
) -> tuple[Path, ...]:
    """Builds a project and writes LeanDojo's trace of its files.

    Args:
        root: The folder with the lakefile.
        lean: The installation.
        files: Which files, relative to the folder; all that the project builds if omitted.
        seconds: Wall-clock limit of the extraction.

    Returns:
        The ``*.ast.json`` files; a ``*.dep_paths`` file lies beside each.

    Raises:
        ToolchainError: LeanDojo is not installed, is another version, or its extractor failed.
        InputError: The project does not build, or there is nothing to trace.
    """
    root = root.resolve()
    program = repaired(extractor().read_text(encoding="utf-8"))
    _build(root, files)
    chosen = [Path(file) for file in files] or _built(root)
    if not chosen:
        raise InputError(f"{root} has no built modules", "Name modules in the lakefile.")
    folder = root / TRACES
    traces = [folder / file.with_suffix(".ast.json") for file in chosen]
    dependencies = [folder / file.with_suffix(".dep_paths") for file in chosen]
    for path in traces:
        path.parent.mkdir(parents=True, exist_ok=True)
    source = folder / "ExtractData.lean"
    source.write_text(program, encoding="utf-8")
    try:
        _extract(root, lean, source, chosen, (*traces, *dependencies), seconds)
    finally:
        source.unlink()
    if missing := [path for path in traces if not path.is_file()]:
        raise ToolchainError(f"LeanDojo's extractor wrote no {missing[0]}", "Report this.")
    return tuple(traces)


def extractor() -> Path:
    """LeanDojo's ``ExtractData.lean``; the package is found without being imported.

    Raises:
        ToolchainError: LeanDojo is not installed.
    """
    spec = importlib.util.find_spec("lean_dojo")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "data_extraction" / "ExtractData.lean"
        if path.is_file():
            return path
    raise ToolchainError("LeanDojo is not installed", "Run `pip install 'lemmata[dojo]'`.")


def repaired(program: str) -> str:
    """The extractor as this Lean compiles it.

    Raises:
        ToolchainError: A repair does not fit: it is another version of LeanDojo.
    """
    for old, new in REPAIRS:
        if old not in program:
            raise ToolchainError(
                f"LeanDojo's extractor is not the known one: it lacks {old.strip()!r}",
                f"Install lean-dojo {SUPPORTED}.",
            )
        program = program.replace(old, new)
    return program


def _build(root: Path, files: Sequence[Path]) -> None:
    modules = [".".join(file.with_suffix("").parts) for file in files]
    command = [str(ensure_commands() / "lake"), "build", *modules]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        shown = (done.stdout + done.stderr)[-_SHOWN:]
        raise InputError(f"{root} does not build:\n{shown}", "Correct the project first.")


def _built(root: Path) -> list[Path]:
    """The source files, relative to the project, of which there is an .olean file."""
    library = root / ".lake" / "build" / "lib" / "lean"
    modules = sorted(path.relative_to(library) for path in library.rglob("*.olean"))
    files = [module.with_suffix(".lean") for module in modules]
    return [file for file in files if (root / file).is_file()]


def _extract(
    root: Path,
    lean: EmbeddedLean,
    source: Path,
    files: Sequence[Path],
    outputs: Sequence[Path],
    seconds: float,
) -> None:
    workspace = load_workspace(root)
    libraries = tuple(folder for folder in workspace.outputs if folder.is_dir())
    options = read_options(["--run", str(source), *map(str, files)])
    request = {**request_of(options), "leanPath": os.pathsep.join(map(str, libraries))}
    access = Access((root, *libraries), (source,), tuple(outputs))
    command = node_command(lean, access, request, parent=os.getpid(), directory=root)
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise ToolchainError(
            f"LeanDojo's extractor did not end within {seconds:g} s", "Trace fewer files at a time."
        ) from None
    if done.returncode:
        shown = (done.stdout + done.stderr)[-_SHOWN:]
        raise ToolchainError(f"LeanDojo's extractor failed:\n{shown}", "Read Lean's message.")
