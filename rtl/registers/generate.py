"""Everything that is made of `covenant.rdl`: RTL and C header by PeakRDL, constants for C++, the page.

    ./dev registers           # writes the files
    ./dev registers --check   # names those that are not as written; exit code 1

Programs use it as `generated()`, tests compare what it gives with what is committed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_regblock import RegblockExporter
from peakrdl_regblock.cpuif.axi4lite import AXI4Lite_Cpuif_flattened
from peakrdl_regblock.udps import ALL_UDPS
from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegNode

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = ROOT / "rtl/registers/covenant.rdl"
MARK = "Written by ./dev registers from rtl/registers/covenant.rdl: change that, not this file."


def compiled(description: Path = DESCRIPTION) -> AddrmapNode:
    """The map of registers, elaborated."""
    compiler = RDLCompiler()
    for property_ in ALL_UDPS:
        compiler.register_udp(property_)
    compiler.compile_file(str(description))
    return compiler.elaborate().top


def cleaned(text: str) -> str:
    """Without blanks at the ends of lines."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip() + "\n"


def formatted(text: str, name: str) -> str:
    """In the project's layout of C and C++."""
    command = ["clang-format", f"--assume-filename={ROOT / name}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def rtl_of(top: AddrmapNode) -> dict[str, str]:
    """Package and module, by their paths."""
    with tempfile.TemporaryDirectory() as folder:
        RegblockExporter().export(
            top,
            folder,
            cpuif_cls=AXI4Lite_Cpuif_flattened,
            module_name="covenant_registers",
            package_name="covenant_registers_pkg",
            err_if_bad_addr=True,
            err_if_bad_rw=True,
            default_reset_activelow=True,
            default_reset_async=True,
        )
        return {
            f"rtl/src/device/{path.name}": f"// {MARK}\n{cleaned(path.read_text())}"
            for path in sorted(Path(folder).iterdir())
        }


def c_header_of(top: AddrmapNode) -> str:
    """Structure and masks for drivers in C."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "covenant_registers.h"
        CHeaderExporter().export(top, str(path), reuse_typedefs=False)
        return f"// {MARK}\n#pragma once\n{cleaned(path.read_text())}"


def camel(name: str) -> str:
    """`fault_address` as `FaultAddress`."""
    return "".join(part.capitalize() for part in name.split("_"))


def is_whole(register: RegNode) -> bool:
    """One field takes all its bits."""
    return all(field.width == register.get_property("regwidth") for field in register.fields())


def encodings(top: AddrmapNode) -> list[type]:
    """Enumerations of fields, each once."""
    fields = [field for register in top.registers() for field in register.fields()]
    return list({field.get_property("encode"): None for field in fields if field.get_property("encode")})


def constants_of(top: AddrmapNode) -> str:
    """Addresses, fields and values for C++."""
    lines = [
        "/// Addresses, fields and values of the registers by which a host drives a machine.",
        f"/// {MARK}",
        *("#pragma once", "", "#include <cstdint>", "", "namespace covenant::registers {", ""),
        "/// Bits of a register.",
        "struct Field {",
        "  uint32_t low = 0;",
        "  uint32_t width = 1;",
        "  constexpr uint32_t mask() const { return (UINT32_MAX >> (32 - width)) << low; }",
        "  constexpr uint32_t of(uint32_t word) const { return (word & mask()) >> low; }",
        "  constexpr uint32_t put(uint32_t value) const { return (value << low) & mask(); }",
        *("};", "", "// Addresses, in bytes."),
    ]
    for register in top.registers():
        lines.append(f"inline constexpr uint32_t k{camel(register.inst_name)} = 0x{register.address_offset:02X};")
    lines += [f"inline constexpr uint32_t kBytes = 0x{top.size:02X};  ///< of all of them", ""]
    for register in top.registers():
        if is_whole(register):
            continue
        lines.append(f"namespace {register.inst_name} {{")
        for field in register.fields():
            place = f"{{{field.low}, {field.width}}}"
            lines.append(f"inline constexpr Field k{camel(field.inst_name)}{place};")
        lines += [f"}}  // namespace {register.inst_name}", ""]
    for value in (field for register in top.registers() for field in register.fields()):
        if value.get_property("reset") and value.get_property("sw").name == "r":
            name = f"k{camel(value.parent.inst_name)}{camel(value.inst_name)}"
            lines.append(f"inline constexpr uint32_t {name} = 0x{value.get_property('reset'):X};")
    for encoding in encodings(top):
        name = camel(encoding.type_name.removesuffix("_e"))
        lines += ["", f"enum class {name} : uint32_t {{"]
        lines += [f"  k{camel(member.name)} = {member.value},  ///< {member.rdl_desc}" for member in encoding]
        lines.append("};")
    return "\n".join([*lines, "", "}  // namespace covenant::registers", ""])


def access_of(field: FieldNode) -> str:
    """As a host sees it."""
    if field.get_property("singlepulse"):
        return "write 1"
    clears = field.get_property("onwrite")
    return {"r": "read"}.get(field.get_property("sw").name, "read, write 1 to clear" if clears else "read, write")


def bits_of(field: FieldNode) -> str:
    """Its place in the register."""
    return str(field.low) if field.width == 1 else f"{field.high}:{field.low}"


def section_of(register: RegNode) -> list[str]:
    """Section of the page about one register."""
    lines = [f"## 0x{register.address_offset:02X} {register.inst_name}: {register.get_property('name').lower()}", ""]
    lines += [register.get_property("desc"), "", "| bits | field | access | reset | |", "|---|---|---|---|---|"]
    for field in register.fields():
        reset = field.get_property("reset")
        start = "" if reset is None else f"0x{reset:X}" if reset > 9 else str(reset)
        what = field.get_property("desc")
        if encoding := field.get_property("encode"):
            what += " " + "; ".join(f"{member.value} `{member.name}`: {member.rdl_desc}" for member in encoding) + "."
        lines.append(f"| {bits_of(field)} | `{field.inst_name}` | {access_of(field)} | {start} | {what} |")
    return [*lines, ""]


def page_of(top: AddrmapNode) -> str:
    """docs/reference/registers.md."""
    lines = [f"<!-- {MARK} -->", f"# {top.get_property('name')}", "", top.get_property("desc"), ""]
    core = "What they mean of a machine that issues packets: [vliw_core](units/vliw_core.md#as-a-device)."
    lines += [f"How a host uses them: [rtl](rtl.md#registers). {core}", ""]
    for register in top.registers():
        lines += section_of(register)
    return "\n".join(lines).rstrip() + "\n"


def generated() -> dict[str, str]:
    """All files, by their paths from the root of the repository."""
    top = compiled()
    headers = {
        "rtl/registers/covenant_registers.h": c_header_of(top),
        "acg/registers/registers.h": constants_of(top),
    }
    return {
        **rtl_of(top),
        **{name: formatted(text, name) for name, text in headers.items()},
        "docs/reference/registers.md": page_of(top),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="./dev registers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name what would change")
    arguments = parser.parse_args(argv)
    files = generated()
    changed = [name for name, text in files.items() if not (ROOT / name).is_file() or (ROOT / name).read_text() != text]
    for name in changed:
        print(name)
        if not arguments.check:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(files[name])
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
