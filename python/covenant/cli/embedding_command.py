"""`covenant bench embedding`: searches for embeddings, as Rieber, Acosta and Fröning measured them."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_json, add_subcommand, positive
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant bench embedding --search-nodes
  covenant bench embedding --search-nodes --picture nodes.svg
  covenant bench embedding --search-nodes --channels 16 --channels 64 --layout HWNC --json
  covenant bench embedding --footprints"""
_LAYOUTS = ("NCHW", "NHWC", "HWNC")
_STRATEGIES = ("none", "A", "B", "AB")


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "embedding", "measure what Rieber et al. have: nodes of searches, and memory of embeddings", EXAMPLES
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--search-nodes", action="store_true", help="nodes until GEMM of 1x16x16 is found in convolutions (Figure 8)"
    )
    what.add_argument(
        "--footprints", action="store_true", help="memory of relaxed embeddings, printed and ours (Tables 1 to 3)"
    )
    parser.add_argument(
        "--channels", action="append", type=positive, metavar="N",
        help="channels of the input and of the output; repeatable (default: 16, 32, ..., 512)",
    )  # fmt: skip
    parser.add_argument(
        "--layout", action="append", choices=_LAYOUTS, help=f"repeatable (default: {', '.join(_LAYOUTS)})"
    )
    parser.add_argument(
        "--strategy", action="append", choices=_STRATEGIES, help=f"repeatable (default: {', '.join(_STRATEGIES)})"
    )
    parser.add_argument(
        "--sums", choices=("instances", "elements"), default="instances",
        help="values of variables of sums: the instance set, or elements of the output (default: instances)",
    )  # fmt: skip
    parser.add_argument("--picture", type=WrittenPath, metavar="FILE", help="draw the figure: .svg or .png")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints figures beside those of the paper."""
    if arguments.footprints:
        from covenant.cli.footprints import compare

        return compare(output)
    from covenant.cli.search_nodes import SearchNodesRequest, measure

    request = SearchNodesRequest(
        channels=tuple(arguments.channels or ()),
        layouts=tuple(arguments.layout or _LAYOUTS),
        strategies=tuple(arguments.strategy or _STRATEGIES),
        sums=arguments.sums,
        picture=arguments.picture,
    )
    return measure(request, output)
