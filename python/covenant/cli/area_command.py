"""`covenant area`: area and cycle time of a machine as proxies, split by module and memory."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of, machine_request
from covenant.cli.output import Output

EXAMPLES = """  covenant area -m genesys:8x8                 # the first time minutes, then a second
  covenant area -m genesys --set M=32 --set N=32 --json
  covenant area -m my_machine.acg --library cells.lib --bit-area 0.3"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "area", EXAMPLES)
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument(
        "--library", metavar="FILE",
        help="standard cells, a Liberty file (default: $COVENANT_LIBERTY, or osu018 of Debian)",
    )  # fmt: skip
    parser.add_argument(
        "--bit-area", type=_area, metavar="UM2", help="um2 of a bit of memory (default: 5.59, a cell of 180 nm)"
    )
    parser.add_argument("--cache", metavar="DIR", help="folder of results (default: $COVENANT_AREA_CACHE)")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Synthesises the modules that have no result yet, and shows the sum."""
    from covenant.area import BIT_AREA, area_of

    machine = machine_of(machine_request(arguments))
    with output.activity(f"area of {machine.name}") as tell:
        tell("synthesising what is not known yet", 0, 0)
        area = area_of(
            machine, library=arguments.library, cache=arguments.cache,
            bit_area=BIT_AREA if arguments.bit_area is None else arguments.bit_area,
        )  # fmt: skip
    if output.json:
        output.object(
            {"machine": machine.name, "parameters": machine.parameters} | area.to_dict()
            | {"synthesised": area.synthesised}
        )  # fmt: skip
        return 0
    blocks = [(one.module, one.instances, one.um2, one.delay_ps / 1000) for one in area.logic]
    output.table(f"{machine.name}: logic", ("module", "instances", "um2", "longest path, ns"), blocks)
    output.table("memories", ("memory", "bits", "um2"), [(one.name, one.bits, one.um2) for one in area.memories])
    output.line(
        f"area proxy {area.um2:,.0f} um2: logic {area.logic_um2:,.0f}, memories {area.memory_um2:,.0f}; "
        f"longest path proxy {area.critical_path_ns:.2f} ns ({area.library})"
    )
    return 0


def _area(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("not below 0")
    return value
