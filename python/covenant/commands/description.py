"""Descriptions of machines that a host drives, with their decodes as text."""

from __future__ import annotations

from typing import Any


def described(core: dict[str, Any]) -> dict[str, Any]:
    """The description that the core gives, with the decode of each instruction as text."""
    ports = {port["name"]: port for port in core["ports"]}
    instructions = [
        instruction | {"decode": _decode(instruction, ports[instruction["port"]])}
        for instruction in core["instructions"]
    ]
    return core | {"instructions": instructions}


def manual(description: dict[str, Any]) -> str:
    """All instructions as Markdown: which command is which, and where its fields lie."""
    lines = [f"# Commands of {description['name']}", ""]
    for port in description["ports"]:
        kind = "stream" if port["is_stream"] else f"port, {port['address_bits']} address bits"
        lines += [f"## {port['name']} ({kind}, {port['data_bits']} data bits)", ""]
        lines += ["| instruction | decode | fields |", "|---|---|---|"]
        lines += [
            f"| {instruction['name']} | `{instruction['decode']}` | {fields_text(instruction, port)} |"
            for instruction in description["instructions"]
            if instruction["port"] == port["name"]
        ]
        lines.append("")
    return "\n".join(lines)


def fields_text(instruction: dict[str, Any], port: dict[str, Any]) -> str:
    """`op u3 [2:0]`, one after the other; bits of the address as `address[15:4]`."""
    return ", ".join(
        f"{field['name']} {field['type']} {_bits(field['at'], _bits_of(field['type']), port)}"
        for field in instruction["fields"]
    )


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
