"""Arguments shared by commands that run something: a model or a program, and its inputs."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from covenant.bench.layers import compile_layer
from covenant.cli.arguments import add_fusion, add_machine_settings, add_schedule, machine_of, optimisations_of
from covenant.cli.output import Output
from covenant.compiler import compile as compile_model
from covenant.compiler.optimisations import Optimisations
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


@dataclass(frozen=True)
class SourceRequest:
    """A model or program, a machine and an input as the user named them; no file is read yet."""

    model: str | None
    layer: str | None
    """Layer of the benchmark table that is run instead of a model."""
    machine: str | None
    preset: str | None
    settings: tuple[str, ...]
    schedule: str | None
    fusion: bool
    optimisations: Optimisations
    input: str | None
    images: int | None
    seed: int

    @property
    def seed_of_input(self) -> int | None:
        """The seed, where the input is random."""
        return None if self.input else self.seed


def source_of(arguments: argparse.Namespace) -> SourceRequest:
    """Values of the options of `add_source`."""
    return SourceRequest(
        model=arguments.model,
        layer=getattr(arguments, "layer", None),
        machine=arguments.machine,
        preset=arguments.preset,
        settings=tuple(arguments.settings),
        schedule=arguments.schedule,
        fusion=arguments.fusion,
        optimisations=optimisations_of(arguments),
        input=arguments.input,
        images=arguments.images,
        seed=arguments.seed,
    )


def program_of(source: SourceRequest) -> Program:
    """Compiled, or read.

    Raises:
        CovenantError: CLI0008, the arguments contradict each other; and as compiling and reading do.
    """
    if source.layer and source.model:
        raise mistake("both a model and --layer are given", "leave out one of them")
    if not source.layer and is_program_file(source.model):
        if not source.fusion:
            raise mistake("the layers of a program are as they are", "give --no-fusion with the .onnx model")
        if left_out := source.optimisations.left_out():
            raise mistake("the code of a program is as it is", f"give --no-{left_out[0]} with the .onnx model")
        if source.machine or source.preset or source.settings:
            raise mistake(
                "a program has its machine inside; it cannot run on another", "leave out -m, --preset and --set"
            )
        if source.schedule:
            raise mistake("a program is tiled already", "give --schedule with the .onnx model")
        return Program.load(source.model)
    if not source.machine:
        raise mistake("a model needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    machine = machine_of(source.machine, source)
    if source.layer:
        return compile_layer(source.layer, machine, source.schedule)
    return compile_model(
        source.model, machine, schedule=source.schedule, fusion=source.fusion, optimisations=source.optimisations
    )


def feeds_of(source: SourceRequest, program: Program, output: Output, *, together: int = 1) -> list[Feed]:
    """One feed for each image; `together` of them unless it is said how many."""
    if source.input:
        return file_feeds(program, source.input, source.images)
    images = source.images or together
    output.note(f"random input: {images} image(s), seed {source.seed}")
    return random_feeds(program, images, source.seed)


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
