"""`covenant bench multitarget`: several machines against this computer's processor, on layers of published networks.

Figure 13 of Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning Accelerators".
"""

from __future__ import annotations

import argparse
from typing import Any

from covenant.choices import BASELINES
from covenant.cli.arguments import add_json, add_subcommand, positive
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant bench multitarget
  covenant bench multitarget --picture speedup.svg
  covenant bench multitarget -m dnnweaver -m genesys:07 --threads 2 --json
  covenant bench multitarget -m my.acg --layer ResNet50/CONV2 --baseline onnxruntime-f32"""

MACHINES = ("dnnweaver", "genesys:03", "genesys:07", "genesys:09", "genesys:14")


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "multitarget", "compare machines with this computer's processor on these layers", EXAMPLES
    )
    parser.add_argument(
        "-m", "--machine", action="append", metavar="MACHINE",
        help=f"machine, MACHINE:PRESET, or path of an .acg file; repeatable (default: {', '.join(MACHINES)})",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", choices=tuple(BASELINES), default="onnxruntime",
        help="what computes the layers on the processor (default: onnxruntime, in int8)",
    )  # fmt: skip
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="of the baseline (default: 1)")
    parser.add_argument(
        "--repeats", type=positive, default=11, metavar="N",
        help="timed calls for each layer, of which the median counts (default: 11)",
    )  # fmt: skip
    parser.add_argument("--picture", type=WrittenPath, metavar="FILE", help="draw the figure: .svg or .png")
    add_json(parser)
    parser.add_argument("--layer", action="append", metavar="NAME", help="only this layer; repeatable")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Times each layer on the processor, and simulates it on each machine."""
    from covenant.cli.multitarget import MultitargetRequest, measure

    request = MultitargetRequest(
        machines=tuple(arguments.machine or MACHINES),
        layers=tuple(arguments.layer or ()),
        baseline=arguments.baseline,
        threads=arguments.threads,
        repeats=arguments.repeats,
        picture=arguments.picture,
    )
    return measure(request, output)
