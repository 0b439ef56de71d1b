"""Options that several commands share: a model or a program with its inputs, and how RTL is built."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from covenant.cli.arguments import (
    MachineRequest,
    add_fusion,
    add_library,
    add_machine_settings,
    add_schedule,
    machine_request,
    not_negative,
    optimisations_of,
    positive,
)
from covenant.runtime.build import Build

if TYPE_CHECKING:  # `--help` does not pay
    from covenant.compiler.optimisations import Optimisations


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
    add_library(parser)
    add_schedule(parser)
    add_fusion(parser)
    parser.add_argument("--input", metavar="FILE", help=".npz or .npy with the input; without it, random input")
    parser.add_argument("--images", type=positive, metavar="N", help="images to run (default: all of --input, or 1)")
    parser.add_argument("--seed", type=not_negative, default=0, metavar="N", help="of the random input (default: 0)")


@dataclass(frozen=True)
class SourceRequest:
    """A model or program, a machine and an input as the user named them; no file is read yet."""

    model: str | None
    layer: str | None
    """Layer of the benchmark table that is run instead of a model."""
    machine: MachineRequest
    library: str | None
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


def source_request(arguments: argparse.Namespace) -> SourceRequest:
    """Values of the options of `add_source`."""
    return SourceRequest(
        model=arguments.model,
        layer=getattr(arguments, "layer", None),
        machine=machine_request(arguments),
        library=arguments.library,
        schedule=arguments.schedule,
        fusion=arguments.fusion,
        optimisations=optimisations_of(arguments),
        input=arguments.input,
        images=arguments.images,
        seed=arguments.seed,
    )


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


def build_words(build: Build) -> list[str]:
    """The options that ask for this build."""
    words = ["--rtl-cache", str(build.cache)] if build.cache else []
    words += ["--rtl-quick"] if build.quick else []
    return [*words, *(["--rtl-checked"] if build.checked else [])]
