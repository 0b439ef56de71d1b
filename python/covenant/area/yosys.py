"""Runs Yosys: modules of a machine's RTL mapped to standard cells, each on its own without its submodules."""

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
from covenant.area.errors import user_error
from covenant.errors import InternalError

__all__ = ["PASSES", "Mapped", "blackbox", "elaborate", "map_module", "module_texts", "with_parameters"]

PASSES = (
    "proc", "opt -fast", "tee -q -o memories.json stat -json", "memory -nomap", "opt -fast", "wreduce", "alumacc",
    "opt_expr", "opt_clean", "techmap", "opt_clean", "dfflibmap -liberty {library}",
    "abc -liberty {library} -constr drive.constr -script +strash;dc2;map;topo;buffer;upsize;dnsize;stime,-p",
    "opt_clean", "tee -q -o cells.json stat -json",
)  # fmt: skip
"""Passes from processes to cells. Memories stay whole: they are bits, not flip-flops."""
_DELAY = re.compile(r"Delay =\s*(?P<delay>[\d.]+) ps")
_MODULE = re.compile(r"^module (?P<name>.+)\n(?P<body>(?:.*\n)*?)^end$", re.M)
_PLACE = re.compile(r"^\s*attribute \\src .*\n", re.M)
_NUMBER = re.compile(r"\$(\d+)(?=[_.\s\[$\\:\]]|$)", re.M)
_CELL = re.compile(r"^  cell (\S+) ", re.M)
_PORT = re.compile(r"^  wire .*\b(?:input|output) \d+ .*$", re.M)
_FIRST_FREE = 1_000_000
"""Yosys counts names that it makes from here on: all have as many digits, so that it sorts them by number."""


@dataclass(frozen=True)
class Mapped:
    """One module, without its submodules."""

    cells: dict[str, int]
    """Standard cells by name."""
    memory_bits: int
    """Bits of the arrays that stay memories."""
    delay_ps: float
    """Delay of the longest path of gates from a register or input to a register or output; 0: there is none."""


def blackbox(source: str) -> str:
    """The header of a module without its body, so that Yosys knows only its ports."""
    head = source.partition("\n);\n")[0]
    return re.sub(r"^module ", "(* blackbox *)\nmodule ", head, count=1, flags=re.M) + "\n);\nendmodule\n"


def with_parameters(source: str, parameters: Mapping[str, str]) -> str:
    """The module with these values as defaults of its parameters; Yosys sets only numbers by command.

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
        Cells by module and type, including those that are modules themselves.
    """
    packages = sorted(path.name for path in folder.glob("*_pkg.sv"))
    boxes = sorted(path.name for path in folder.glob("*_box.sv"))
    modules = sorted(path.name for path in folder.glob("*.sv") if path.name not in {*packages, *boxes})
    (folder / "first.il").write_text(f"autoidx {_FIRST_FREE}\n")
    script = (
        "read_rtlil first.il",
        *([f"read_verilog -sv -DSYNTHESIS {' '.join([*packages, *boxes])}"] if packages or boxes else []),
        f"read_verilog -defer -sv -DSYNTHESIS {' '.join(modules)}",
        f"hierarchy -check -top {top}",
        "tee -q -o hierarchy.json stat -json",
        "write_rtlil design.il",
    )
    _run(folder, script)
    return {name: module["num_cells_by_type"] for name, module in _statistics(folder / "hierarchy.json").items()}


def module_texts(folder: Path) -> dict[str, str]:
    """Text of each module, as `elaborate` has left it: the same whatever other modules there are.

    Args:
        folder: with `design.il`.

    Returns:
        RTLIL by module: of a module of the name `covenant`, and of modules in it their ports. Attributes that
        say where something was written are left out, and names that Yosys has made are numbered from 0 on.
    """
    bodies = {
        found["name"]: _PLACE.sub("", found["body"])
        for found in _MODULE.finditer((folder / "design.il").read_text())
    }  # fmt: skip
    texts: dict[str, str] = {}
    for name, body in bodies.items():
        inside = sorted({cell for cell in _CELL.findall(body) if cell in bodies})
        found = sorted({int(number) for number in _NUMBER.findall(body)})
        numbers = {str(number): str(place) for place, number in enumerate(found)}
        own = _NUMBER.sub(lambda match, numbers=numbers: "$" + numbers[match[1]], body)
        boxes = (f"attribute \\blackbox 1\nmodule {one}\n{_ports(bodies[one])}end\n" for one in inside)
        texts[name] = "".join((*boxes, f"module \\covenant\n{own}end\n"))
    return texts


def _ports(body: str) -> str:
    return "".join(f"{line}\n" for line in _PORT.findall(body))


def map_module(folder: Path, text: str, library: CellLibrary) -> Mapped:
    """Maps one module to cells. The result depends on nothing else.

    Args:
        folder: for files of this run; made if it is not there.
        text: of `module_texts`.
        library: the cells.
    """
    folder.mkdir(exist_ok=True)
    (folder / "drive.constr").write_text(f"set_driving_cell {library.driver}\nset_load 0.02 [all_outputs]\n")
    (folder / "module.il").write_text(f"autoidx {_FIRST_FREE}\n{text}")
    passes = [one.format(library=library.path) for one in PASSES]
    log = _run(folder, ("read_rtlil module.il", *passes))
    (bits,) = (one["num_memory_bits"] for one in _statistics(folder / "memories.json").values())
    (counted,) = (one["num_cells_by_type"] for one in _statistics(folder / "cells.json").values())
    return Mapped(
        cells={cell: count for cell, count in counted.items() if cell in library.areas},
        memory_bits=bits,
        delay_ps=max((float(found["delay"]) for found in _DELAY.finditer(log)), default=0.0),
    )


def _run(folder: Path, script: Sequence[str]) -> str:
    """Output of Yosys for these commands."""
    if shutil.which("yosys") is None:
        raise user_error("ARE0003", "there is no Yosys", fix="apt-get install yosys")
    (folder / "script.ys").write_text("\n".join(script) + "\n")
    command = ["yosys", "-l", "log.txt", "-s", "script.ys"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    log = (folder / "log.txt").read_text() if (folder / "log.txt").exists() else done.stdout
    if done.returncode != 0:
        last = [line for line in (log + done.stderr).splitlines() if line.strip()][-1:]
        raise user_error("ARE0004", "Yosys cannot synthesise the machine", offending="".join(last),
                         fix="use Yosys 0.23 or later; report it if that fails")  # fmt: skip
    return log


def _statistics(path: Path) -> dict[str, Any]:
    """The modules of `stat -json`; after them Yosys 0.23 prints a tree of instances, which is not JSON."""
    text = path.read_text()
    return json.loads(text.split("\n   },")[0] + "}}")["modules"]
