"""Programs and inputs that `run` and `cosim` are asked for: compiled, read or drawn."""

from __future__ import annotations

from covenant.bench.layers import compile_layer
from covenant.cli.arguments import machine_of, mistake
from covenant.cli.output import Output
from covenant.cli.source_request import SourceRequest
from covenant.compiler import compile as compile_model
from covenant.program import Program, is_program_file
from covenant.program.inputs import Feed, file_feeds, random_feeds


def program_of(source: SourceRequest) -> Program:
    """Compiled, or read.

    Raises:
        CovenantError: CLI0008, the arguments contradict each other; and as compiling and reading do.
    """
    if source.layer and source.model:
        raise mistake("both a model and --layer are given", "leave out one of them")
    if not source.layer and is_program_file(source.model):
        _check_options_of_program(source)
        return Program.load(source.model)
    if not source.machine.spec:
        raise mistake("a model needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    machine = machine_of(source.machine)
    if source.layer:
        if source.library:
            raise mistake("a layer of the table has no operators of yours", "give --library with a model")
        return compile_layer(source.layer, machine, source.schedule)
    return compile_model(
        source.model, machine, source.library, source.schedule, fusion=source.fusion,
        optimisations=source.optimisations,
    )  # fmt: skip


def _check_options_of_program(source: SourceRequest) -> None:
    """Raises CLI0008 for an option that compiling takes."""
    left_out = source.optimisations.left_out()
    refusals = (
        (not source.fusion, "the layers of a program are as they are", "give --no-fusion with the .onnx model"),
        (left_out, "the code of a program is as it is", f"give --no-{''.join(left_out[:1])} with the .onnx model"),
        (
            source.machine.is_given, "a program has its machine inside; it cannot run on another",
            "leave out -m, --preset and --set",
        ),
        (source.schedule, "a program is tiled already", "give --schedule with the .onnx model"),
        (source.library, "a program has its operators inside", "give --library with the .onnx model"),
    )  # fmt: skip
    for is_given, message, fix in refusals:
        if is_given:
            raise mistake(message, fix)


def feeds_of(source: SourceRequest, program: Program, output: Output, *, together: int = 1) -> list[Feed]:
    """One feed for each image; `together` of them unless it is said how many."""
    if source.input:
        return file_feeds(program, source.input, source.images)
    images = source.images or together
    output.note(f"random input: {images} image(s), seed {source.seed}")
    return random_feeds(program, images, source.seed)
