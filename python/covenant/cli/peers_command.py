"""`covenant bench peers`: compares code of other compilers for a few important kernels with that of our compiler."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from covenant.cli.arguments import add_json, add_machine_settings, add_subcommand, machine_of, machine_request, mistake
from covenant.cli.output import Output

EXAMPLES = """  covenant bench peers -m hvx
  covenant bench peers -m hvx --kernel gemm --kernel pool --json"""
_COLUMNS = ("kernel", "peer", "form", "prefetch", "packets", "cycles", "exact", "our packets", "our cycles")
_KEYS = ("kernel", "peer", "form", "prefetch", "packets", "cycles", "identical", "ours_packets", "ours_cycles")


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "peers", "run other compilers' code for a few kernels on the core, beside our compiler's", EXAMPLES
    )
    parser.add_argument(
        "-m", "--machine", required=True, help="machine that issues packets: hvx, or path of an .acg file"
    )
    add_machine_settings(parser)
    parser.add_argument(
        "--kernel",
        action="append",
        metavar="NAME",
        help="gemm, conv, conv_i8, requantise, pool, depthwise, pointwise, gemv, average_pool or add; repeatable "
        "(default: all)",
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints rows for each kernel, peer and form; exit code 1 if a byte or a count of packets is wrong."""
    from covenant.bench.peers import KERNELS, TVM_MISSING, measure, toolchains, tvm_of

    machine = machine_of(machine_request(arguments))
    names = [kernel.name for kernel in KERNELS]
    for name in arguments.kernel or ():
        if name not in names:
            raise mistake(f"no such kernel: {name}", f"use one of {', '.join(names)}")
    chosen = [kernel for kernel in KERNELS if kernel.name in (arguments.kernel or names)]
    chains = toolchains()
    tvm = tvm_of(chains[0])
    peers = [*chains] if tvm is None else [*chains, tvm]
    missing = [TVM_MISSING] if tvm is None else []
    rows = [row for kernel in output.progress(chosen, "peers") for row in measure(kernel, peers, machine)]
    is_right = all(row.identical and row.ours_identical and row.emulated_packets in (None, row.packets) for row in rows)
    if output.json:
        report = {"machine": machine.name, "rows": [asdict(row) for row in rows], "missing": missing, "right": is_right}
        output.object(report)
    else:
        cells = [[asdict(row)[key] for key in _KEYS] for row in rows]
        output.table(f"peers on {machine.name}", _COLUMNS, cells)
        for line in missing:
            output.line(line)
    return 0 if is_right else 1
