"""Verilates benches of tests/unit/rtl again with mutants in the modules that they hold; each is a suite of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

from apply import PACKAGE, SHIM
from mutants import BENCHES, ROOT, Mutant, rewrite

PACKAGE_NAME = "covenant_mutation_pkg.sv"
PROGRAM = """#!/bin/sh
exec {bench} {arguments}
"""


def bench_program(name: str, mutants: list[Mutant], output: Path) -> Path:
    """A program that runs the bench with what it runs for, whatever it is asked.

    Args:
        name: its key in BENCHES.
        mutants: of the modules in it.
        output: folder that it is built in; what has not changed is not built again.
    """
    bench = BENCHES[name]
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    sources = [folder / PACKAGE_NAME]
    _write(sources[0], PACKAGE)
    for module in bench.modules:
        own = [mutant for mutant in mutants if mutant.file == module]
        text = (ROOT / module).read_text(encoding="utf-8")
        sources.append(folder / Path(module).name)
        _write(sources[-1], rewrite(text, own) if own else text)
    _write(folder / "active.cpp", SHIM)
    command = [
        "verilator",
        "--cc",
        "--exe",
        "--build",
        "--assert",
        "-Wno-lint",
        "-Wno-style",
        "--top-module",
        bench.top,
    ]
    command += ["--prefix", f"V{bench.top}", "--Mdir", "obj", "-o", "bench", "-MAKEFLAGS", "OPT_FAST=-O1"]
    command += ["-CFLAGS", f"-std=c++20 -I{ROOT}", *bench.options, str(ROOT / "rtl/lint/waivers.vlt")]
    command += [str(source) for source in sources]
    command += [str(ROOT / source) for source in bench.benches] + [str(folder / "active.cpp")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    program = output.parent / "programs" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(PROGRAM.format(bench=folder / "obj/bench", arguments=bench.arguments), encoding="utf-8")
    program.chmod(0o755)
    return program


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
