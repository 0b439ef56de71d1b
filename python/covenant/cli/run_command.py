"""`covenant run`: models, programs and executables on a machine, cycle by cycle, compared with an oracle if asked."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.choices import BACKENDS, Source
from covenant.cli.arguments import (
    LEFT_OUT,
    add_command,
    add_json,
    add_memory,
    add_optimisations,
    mistake,
    positive,
)
from covenant.cli.output import Output
from covenant.cli.packet_views import add_profile, packet_views
from covenant.cli.part_option import add_part
from covenant.cli.run_request import RunRequest
from covenant.cli.source_request import add_build, add_source, build_of, source_request
from covenant.cli.written import WrittenPath
from covenant.machine.memory_models import FIXED_MEMORY

EXAMPLES = """  covenant run model.onnx -m genesys                              # random input from seed 0
  covenant run model.onnx -m genesys:8x8 --input test.npz --images 10 --compare onnxruntime
  covenant run model.onnx -m genesys --set M=20 --set N=12 --compare reference --json
  covenant run model.onnx -m genesys --compare onnxruntime --layers   # which layer differs first
  covenant run model.onnx -m genesys --compare onnxruntime --report report   # open report/index.html
  covenant run model.cprog --input image.npy --trace trace.json   # open it at ui.perfetto.dev
  covenant run model.onnx -m genesys --backend interpret
  covenant run model.onnx -m genesys:8x8 --backend rtl --wave run.fst   # builds the Verilated RTL on first use
  covenant run model.onnx -m genesys --part pool=genesys:8x8 --compare onnxruntime   # cut in parts
  covenant run model.onnx -m genesys --memory ddr4_2400           # rows, banks and refresh of a DRAM
  covenant run model.onnx -m genesys --energy                     # what costs how much, by published figures
  covenant run model.onnx -m genesys --rtl conv3,fc               # these layers on the RTL, compared at the seams
  covenant run program.elf -m hvx --profile                       # a static executable of the Hexagon
  covenant run one.elf other.elf -m hvx                           # each on a hardware context of its own
  covenant run model.onnx -m hvx --contexts 4                     # four images at once
  covenant run model.onnx -m hvx --save-profile model.profile     # what each packet has cost
  covenant run model.onnx -m hvx --trace trace.json --trace-packets 5000:5999"""

_NOT_OF_EXECUTABLES = {
    ("--compare",): "compare what the program writes",
    ("--layers", "--report"): "--profile and --trace say where cycles go",
    ("--energy", "--energy-table"): "packets are not counted by what they move",
    ("--backend",): "an executable runs on the SystemC model",
    ("--wave", "--rtl", "--rtl-window", "--rtl-cache", "--rtl-quick", "--rtl-checked"): "there is no RTL of packets",
    ("--input", "--images", "--seed"): "--stdin gives it bytes",
    ("--memory",): "caches of the machine ask for lines after the latency that it states",
    ("--part",): "the program is compiled already",
    ("--output",): "what the program writes comes on the standard output",
    ("--schedule", "--no-fusion", *(f"--no-{name}" for name in LEFT_OUT)): "the program is compiled already",
}
"""Options that an executable has no use for, and what there is in their place."""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "run", EXAMPLES)
    add_source(parser)
    add_part(parser)
    add_optimisations(parser)
    parser.add_argument("--backend", choices=BACKENDS, help=f"default: {BACKENDS[0]}")
    add_memory(parser)
    sources = [source.value for source in Source]
    what = "compare every output byte with those expected from there; exit code 1 if one differs"
    parser.add_argument("--compare", choices=sources, help=what)
    each = "with --compare: also compare every tensor that a layer writes, and name the first layer that differs"
    parser.add_argument("--layers", action="store_true", help=each)
    parser.add_argument("--trace", type=WrittenPath, metavar="FILE", help="write a Perfetto trace of the first image")
    parser.add_argument(
        "--report",
        type=WrittenPath,
        metavar="DIR",
        help="write a page of charts about the first image, and its figures",
    )
    parser.add_argument("--output", type=WrittenPath, metavar="FILE", help="write the outputs of all images as .npz")
    parser.add_argument(
        "--wave", type=WrittenPath, metavar="FILE", help="write waveforms of the first image (FST; --backend rtl)"
    )
    add_profile(parser)
    parser.add_argument("--stdin", metavar="FILE", help="what an executable reads from the standard input")
    parser.add_argument(
        "--max-packets", type=positive, metavar="N", help="refuse an executable that has not ended after N packets"
    )
    _add_energy(parser)
    _add_contexts(parser)
    _add_mixed(parser)
    add_build(parser)
    add_json(parser)
    parser.set_defaults(execute=execute)


def _add_energy(parser: argparse.ArgumentParser) -> None:
    """`--energy` and `--energy-table`."""
    parser.add_argument("--energy", action="store_true", help="estimate the energy of the first image, by component")
    parser.add_argument(
        "--energy-table", metavar="FILE", help="with --energy: an energy reference table as Accelergy writes it, YAML"
    )


def _add_contexts(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how much runs at once."""
    parser.add_argument(
        "beside", nargs="*", metavar="EXECUTABLE",
        help="executables that run at the same time, each on a hardware context of its own",
    )  # fmt: skip
    parser.add_argument(
        "--contexts", type=positive, metavar="N",
        help="run N images, or one executable N times, at once, each on a hardware context of its own",
    )  # fmt: skip


def _add_mixed(parser: argparse.ArgumentParser) -> None:
    """The options that choose what runs on the RTL."""
    parser.add_argument(
        "--rtl", metavar="LAYERS", help="run these layers, separated by commas, on the RTL and compare them"
    )
    parser.add_argument(
        "--rtl-window", metavar="FIRST:LAST", type=_window,
        help="the same for the layers that these instruction words lie in, numbered as `covenant disasm` does",
    )  # fmt: skip


def _window(text: str) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal()):
        raise argparse.ArgumentTypeError("two numbers with a colon between them, for example 120:340")
    return int(first), int(last)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Runs a model, a program or an executable."""
    from covenant.cli.executable import execute_executable
    from covenant.cli.run_images import run_images
    from covenant.cli.run_parts import is_of_parts, run_parts
    from covenant.runtime.executable import is_executable_file

    if is_executable_file(arguments.model):
        _check_executable(arguments)
        return execute_executable(_request(arguments), output)
    request = _request(arguments)
    return run_parts(request, output) if is_of_parts(request) else run_images(request, output)


def _check_executable(arguments: argparse.Namespace) -> None:
    """Raises CLI0008 for options that an executable has no use for; before any work."""
    for options, instead in _NOT_OF_EXECUTABLES.items():
        for option in options:
            if _is_given(arguments, option):
                raise mistake(f"an executable has no use for {option}", f"leave it out: {instead}")


def _is_given(arguments: argparse.Namespace, option: str) -> bool:
    if option.startswith("--no-"):
        return not getattr(arguments, option.removeprefix("--no-"))
    # Defaults of the options; 0 is that of the seed.
    return getattr(arguments, option[2:].replace("-", "_")) not in (None, False, 0, [], FIXED_MEMORY)


def _request(arguments: argparse.Namespace) -> RunRequest:
    """Request made from the parsed options."""
    return RunRequest(
        source=source_request(arguments),
        packets=packet_views(arguments),
        build=build_of(arguments),
        parts=tuple(arguments.part),
        asked_backend=arguments.backend,
        memory=arguments.memory,
        compare=arguments.compare,
        layers=arguments.layers,
        report=arguments.report,
        output=arguments.output,
        wave=arguments.wave,
        stdin=arguments.stdin,
        max_packets=arguments.max_packets,
        energy=arguments.energy,
        energy_table=arguments.energy_table,
        beside=tuple(arguments.beside),
        contexts=arguments.contexts,
        rtl=arguments.rtl,
        rtl_window=arguments.rtl_window,
    )
