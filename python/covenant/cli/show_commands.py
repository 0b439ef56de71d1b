"""`covenant show` of a machine that a host drives by commands."""

from __future__ import annotations

from covenant.cli.arguments import MachineRequest, device_of
from covenant.cli.output import Output
from covenant.commands.description import fields_text, instruction_tree, manual


def show_commands(request: MachineRequest, output: Output, *, as_manual: bool, as_tree: bool) -> int:
    """Prints ports, state, instructions and processes; or the manual of the commands, or their loops."""
    description = device_of(request).describe()
    if output.json:
        output.object(description)
        return 0
    if as_manual:
        output.text(manual(description))
        return 0
    if as_tree:
        output.text(instruction_tree(description))
        return 0
    ports = {port["name"]: port for port in description["ports"]}
    output.line(
        f"{description['name']}, clock {description['clock_hertz'] / 1e9:g} GHz, driven by commands, "
        f"processes: {', '.join(one['name'] for one in description['processes']) or 'none'}"
    )
    output.table(
        "Ports",
        ["name", "kind", "address bits", "data bits"],
        [
            [port["name"], "stream" if port["is_stream"] else "port", port["address_bits"], port["data_bits"]]
            for port in ports.values()
        ],
    )
    output.table(
        "State",
        ["name", "type", "elements"],
        [
            [state["name"], state["type"] + (" off_chip" if state["is_off_chip"] else ""), state["elements"]]
            for state in description["state"]
        ],
    )
    output.table(
        "Instructions",
        ["name", "port", "decode", "fields"],
        [
            [one["name"], one["port"], one["decode"], fields_text(one, ports[one["port"]])]
            for one in description["instructions"]
        ],
    )
    if description["intrinsics"]:
        output.table(
            "Intrinsics",
            ["name", "values", "computes", "where"],
            [
                [one["name"], "exact" if one["is_exact"] else "near", one["computes"], one["where"]]
                for one in description["intrinsics"]
            ],
        )
    return 0
