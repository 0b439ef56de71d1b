"""Yosys as a tool: modules of a machine's RTL mapped to standard cells, each on its own, what it contains left out."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covenant.area.cells import CellLibrary
from covenant.area.mistakes import mistake
from covenant.errors import InternalError

__all__ = ["PASSES", "Mapped", "blackbox", "elaborate", "map_modules", "with_parameters"]

PASSES = (
    "proc", "opt -fast", "tee -q -o memories.json stat -json", "memory -nomap", "opt -fast", "wreduce", "alumacc",
    "opt_expr", "opt_clean", "techmap", "opt_expr", "opt_clean", "dfflibmap -liberty {library}",
    "abc -liberty {library} -constr drive.constr -script +strash;dc2;map;topo;buffer;upsize;dnsize;stime,-p",
    "opt_clean", "tee -q -o cells.json stat -json",
)  # fmt: skip
"""From processes to cells. Memories stay whole: they are bits, not flip-flops."""
_DELAY = re.compile(r"Extracting gate netlist of module `(?P<module>.+)' to `|Delay =\s*(?P<delay>[\d.]+) ps")


@dataclass(frozen=True)
class Mapped:
    """One module, without those that stand in it."""

    cells: dict[str, int]
    """Standard cells by name."""
    memory_bits: int
    """Of arrays that stay memories."""
    delay_ps: float
    """Of the longest path of gates from a register or input to a register or output; 0: there is none."""


def blackbox(source: str) -> str:
    """The head of a module, without what is in it; Yosys then knows its ports alone."""
    head = source.partition("\n);\n")[0]
    return re.sub(r"^module ", "(* blackbox *)\nmodule ", head, count=1, flags=re.M) + "\n);\nendmodule\n"


def with_parameters(source: str, parameters: Mapping[str, str]) -> str:
    """A module whose parameters are these unless somebody says otherwise; Yosys sets only numbers by command.

    Args:
        source: its text, each parameter on a line of its own.
        parameters: SystemVerilog constants by name.
    """
    for name, value in parameters.items():
        line = re.compile(rf"^(\s*parameter\b[^=]*\b{name}\s*=\s*)(?:.*?)(,?\s*(?://.*)?)$", re.M)
        source, found = line.subn(lambda match, value=value: f"{match[1]}{value}{match[2]}", source, count=1)
        if not found:
            raise InternalError(f"no parameter {name} to set")
    return source


def elaborate(folder: Path, top: str) -> dict[str, dict[str, int]]:
    """Gives every module below `top` its parameters; writes `design.il` beside the sources.

    Args:
        folder: with the sources, each in a file `*.sv`; packages end in `_pkg.sv`.
        top: name of a module.

    Returns:
        By module: the cells in it by type, those that are modules themselves among them.
    """
    packages = sorted(path.name for path in folder.glob("*_pkg.sv"))
    boxes = sorted(path.name for path in folder.glob("*_box.sv"))
    modules = sorted(path.name for path in folder.glob("*.sv") if path.name not in {*packages, *boxes})
    script = (
        *([f"read_verilog -sv -DSYNTHESIS {' '.join([*packages, *boxes])}"] if packages or boxes else []),
        f"read_verilog -defer -sv -DSYNTHESIS {' '.join(modules)}",
        f"hierarchy -check -top {top}",
        "tee -q -o hierarchy.json stat -json",
        "write_rtlil design.il",
    )
    _run(folder, script)
    return {name: module["num_cells_by_type"] for name, module in _statistics(folder / "hierarchy.json").items()}


def map_modules(folder: Path, wanted: Sequence[str], every: Sequence[str], library: CellLibrary) -> dict[str, Mapped]:
    """Maps modules of `design.il` to cells.

    Args:
        folder: as `elaborate` has left it.
        wanted: names of modules.
        every: names of all modules of the design.
        library: the cells.
    """
    (folder / "drive.constr").write_text(f"set_driving_cell {library.driver}\nset_load 0.02 [all_outputs]\n")
    gone = [f"delete {_quoted(name)}" for name in every if name not in wanted]
    passes = [one.format(library=library.path) for one in PASSES]
    log = _run(folder, ("read_rtlil design.il", *gone, *passes))
    delays: dict[str, float] = {}
    module = ""
    for found in _DELAY.finditer(log):
        if found["module"]:
            module = found["module"]
        else:
            delays[module] = max(delays.get(module, 0.0), float(found["delay"]))
    bits = {name: one["num_memory_bits"] for name, one in _statistics(folder / "memories.json").items()}
    return {
        name: Mapped(
            cells={cell: count for cell, count in one["num_cells_by_type"].items() if cell in library.areas},
            memory_bits=bits[name],
            delay_ps=delays.get(name, 0.0),
        )
        for name, one in _statistics(folder / "cells.json").items()
    }


def _quoted(name: str) -> str:
    """A pattern that matches this module alone."""
    return re.sub(r"([\[\]*?])", r"\\\1", name)


def _run(folder: Path, script: Sequence[str]) -> str:
    """What Yosys says while it runs these commands."""
    if shutil.which("yosys") is None:
        raise mistake("ARE0003", "there is no Yosys", fix="apt-get install yosys")
    (folder / "script.ys").write_text("\n".join(script) + "\n")
    done = subprocess.run(
        ["yosys", "-l", "log.txt", "-s", "script.ys"], cwd=folder, capture_output=True, text=True, check=False
    )
    log = (folder / "log.txt").read_text() if (folder / "log.txt").exists() else done.stdout
    if done.returncode != 0:
        last = [line for line in (log + done.stderr).splitlines() if line.strip()][-1:]
        raise mistake("ARE0004", "Yosys cannot synthesise the machine", offending="".join(last),
                      fix="use Yosys 0.23 or later; report it if that fails")  # fmt: skip
    return log


def _statistics(path: Path) -> dict[str, Any]:
    """The modules of `stat -json`; after them Yosys 0.23 prints a tree of instances, which is not JSON."""
    text = path.read_text()
    return json.loads(text.split("\n   },")[0] + "}}")["modules"]
