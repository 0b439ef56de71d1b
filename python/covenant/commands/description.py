"""Descriptions of machines that a host drives, with their decodes as text."""

from __future__ import annotations

from typing import Any


def described(core: dict[str, Any]) -> dict[str, Any]:
    """The description that the core gives, with the decode of each instruction as text and as `tests` of bits."""
    ports = {port["name"]: port for port in core["ports"]}
    instructions = [
        instruction | {"decode": _decode(instruction, ports[instruction["port"]]), "tests": instruction["decode"]}
        for instruction in core["instructions"]
    ]
    return core | {"instructions": instructions}


def manual(description: dict[str, Any]) -> str:
    """Manual in Markdown: commands with their fields and what they do; processes, functions, intrinsics."""
    lines = [f"# Commands of {description['name']}", ""]
    for port in description["ports"]:
        kind = "stream" if port["is_stream"] else f"port, {port['address_bits']} address bits"
        lines += [f"## {port['name']} ({kind}, {port['data_bits']} data bits)", ""]
        for instruction in description["instructions"]:
            if instruction["port"] != port["name"]:
                continue
            lines += [f"### {instruction['name']}", "", f"`{instruction['decode']}`", ""]
            if instruction["fields"]:
                lines += ["| field | type | bits |", "|---|---|---|"]
                lines += [f"| {name} | {kind} | {bits} |" for name, kind, bits in _fields(instruction, port)]
                lines.append("")
            lines += _block(instruction["update"])
    for title, known in (("Processes", description["processes"]), ("Functions", description["functions"])):
        if known:
            lines += [f"## {title}", ""]
        for one in known:
            arguments = ", ".join(f"{name} : {kind}" for name, kind in one.get("arguments", ()))
            lines += [f"### {one['name']}" + (f"({arguments}) : {one['type']}" if "type" in one else ""), ""]
            lines += _block(one["code"])
    if description["intrinsics"]:
        lines += ["## Intrinsics", "", "| name | values | computes | where |", "|---|---|---|---|"]
        lines += [
            f"| {one['name']} | {'exact' if one['is_exact'] else 'near'} | `{one['computes']}` | "
            f"{'`' + one['where'] + '`' if one['where'] else ''} |"
            for one in description["intrinsics"]
        ]
        lines.append("")
    return "\n".join(lines)


def instruction_tree(description: dict[str, Any]) -> str:
    """Tree of instructions and processes with their loops over steps (child instructions), and ranges of counters."""
    lines = []
    for one in [*description["instructions"], *description["processes"]]:
        lines.append(one["name"])
        lines += _branches(_loops(one["update"] if "update" in one else one["code"]), "")
    return "\n".join(lines) + "\n"


def _loops(statements: list[Any]) -> list[Any]:
    """The loops of a block with the loops inside, whatever branches they stand in; those of a step take no time."""
    found: list[Any] = []
    for text, counter, inside in statements:
        if text.partition(" ")[0] == "step":
            continue
        inner = _loops(inside)
        found += [(text, counter, inner)] if counter is not None else inner
    return found


def _branches(loops: list[Any], margin: str) -> list[str]:
    lines = []
    for number, (text, (low, high), inside) in enumerate(loops, 1):
        is_last = number == len(loops)
        lines.append(f"{margin}{'└─' if is_last else '├─'} {text}   ({low}..{high})")
        lines += _branches(inside, margin + ("   " if is_last else "│  "))
    return lines


def _block(statements: list[Any]) -> list[str]:
    return ["```", *_indented(statements, ""), "```", ""] if statements else []


def _indented(statements: list[Any], margin: str) -> list[str]:
    lines = []
    for text, _, inside in statements:
        lines.append(margin + text)
        lines += _indented(inside, margin + "  ")
    return lines


def fields_text(instruction: dict[str, Any], port: dict[str, Any]) -> str:
    """`op u3 [2:0]`, one after the other; bits of the address as `address[15:4]`."""
    return ", ".join(" ".join(field) for field in _fields(instruction, port))


def _fields(instruction: dict[str, Any], port: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (field["name"], field["type"], _bits(field["at"], _bits_of(field["type"]), port))
        for field in instruction["fields"]
    ]


def _bits_of(kind: str) -> int:
    base, *sizes = kind[1:].replace("]", "").split("[")
    bits = int(base)
    for size in sizes:
        bits *= int(size)
    return bits


def _bits(at: int, bits: int, port: dict[str, Any]) -> str:
    place, low = ("", at) if at < port["data_bits"] else ("address", at - port["data_bits"])
    return f"{place}[{low + bits - 1}:{low}]"


def _decode(instruction: dict[str, Any], port: dict[str, Any]) -> str:
    names = {(field["at"], _bits_of(field["type"])): field["name"] for field in instruction["fields"]}
    names[port["data_bits"], port["address_bits"]] = "address"
    top = port["data_bits"] + port["address_bits"]
    texts = []
    for at, bits, low, high in instruction["decode"]:
        if at == top:
            texts.append("write" if low else "read")
        else:
            name = names.get((at, bits)) or _bits(at, bits, port)
            shown = (f"{low:#x}", f"{high:#x}") if name == "address" else (str(low), str(high))
            texts.append(f"{name} == {shown[0]}" if low == high else f"{name} in {shown[0]}..{shown[1]}")
    return " and ".join(texts)
