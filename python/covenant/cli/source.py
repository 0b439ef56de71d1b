"""Arguments that several commands run: a model or a program, and its inputs."""

from __future__ import annotations

import argparse

from covenant.bench.layers import compile_layer
from covenant.cli.arguments import add_fusion, add_machine_settings, add_schedule, machine_of, optimisations_of
from covenant.cli.output import Output
from covenant.compiler import compile as compile_model
from covenant.errors import CovenantError, Diagnostic
from covenant.program import Program, is_program_file
from covenant.program.inputs import Feed, file_feeds, random_feeds
from covenant.runtime.build import Build


def add_source(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """MODEL|PROGRAM, its machine and its inputs."""
    parser.add_argument(
        "model", metavar="MODEL|PROGRAM", nargs="?" if optional else None,
        help="an .onnx model (compiled first) or a .cprog program",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--machine", help="machine, MACHINE:PRESET, or path of an .acg file; a program has its own"
    )
    add_machine_settings(parser)
    add_schedule(parser)
    add_fusion(parser)
    parser.add_argument("--input", metavar="FILE", help=".npz or .npy with the input; without it, random input")
    parser.add_argument("--images", type=positive, metavar="N", help="images to run (default: all of --input, or 1)")
    parser.add_argument("--seed", type=not_negative, default=0, metavar="N", help="of the random input (default: 0)")


def add_build(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how the Verilated model is built."""
    parser.add_argument(
        "--rtl-cache", metavar="DIR", help="folder of built Verilated models (default: $COVENANT_RTL_CACHE)"
    )
    parser.add_argument(
        "--rtl-quick", action="store_true",
        help="build the Verilated model in a third of the time; it runs at half the speed",
    )  # fmt: skip
    parser.add_argument(
        "--rtl-checked", action="store_true",
        help="build the Verilated model with assertions, started from random registers and scratchpads; slower",
    )  # fmt: skip


def build_of(arguments: argparse.Namespace) -> Build:
    """Build that `add_build` has read."""
    return Build(cache=arguments.rtl_cache, quick=arguments.rtl_quick, checked=arguments.rtl_checked)


def program_of(arguments: argparse.Namespace) -> Program:
    """Compiled, or read.

    Raises:
        CovenantError: CLI0008, the arguments contradict each other; and as compiling and reading do.
    """
    layer = getattr(arguments, "layer", None)
    if layer and arguments.model:
        raise mistake("both a model and --layer are given", "leave out one of them")
    if not layer and is_program_file(arguments.model):
        if not arguments.fusion:
            raise mistake("the layers of a program are as they are", "give --no-fusion with the .onnx model")
        if left_out := optimisations_of(arguments).left_out():
            raise mistake("the code of a program is as it is", f"give --no-{left_out[0]} with the .onnx model")
        if arguments.machine or arguments.preset or arguments.settings:
            raise mistake(
                "a program has its machine inside; it cannot run on another", "leave out -m, --preset and --set"
            )
        if arguments.schedule:
            raise mistake("a program is tiled already", "give --schedule with the .onnx model")
        return Program.load(arguments.model)
    if not arguments.machine:
        raise mistake("a model needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    machine = machine_of(arguments.machine, arguments)
    if layer:
        return compile_layer(layer, machine, arguments.schedule)
    return compile_model(
        arguments.model, machine, schedule=arguments.schedule, fusion=arguments.fusion,
        optimisations=optimisations_of(arguments),
    )  # fmt: skip


def feeds_of(arguments: argparse.Namespace, program: Program, output: Output) -> list[Feed]:
    """One feed for each image."""
    if arguments.input:
        return file_feeds(program, arguments.input, arguments.images)
    images = arguments.images or getattr(arguments, "contexts", None) or 1
    output.note(f"random input: {images} image(s), seed {arguments.seed}")
    return random_feeds(program, images, arguments.seed)


def mistake(message: str, fix: str) -> CovenantError:
    """Arguments that do not go together."""
    return CovenantError(Diagnostic("CLI0008", message, "command line", fix=fix))


def positive(text: str) -> int:
    """A number above 0, for argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def not_negative(text: str) -> int:
    """A number from 0 on, for argparse."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("at least 0")
    return value
