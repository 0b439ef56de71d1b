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
        if not source.fusion:
            raise mistake("the layers of a program are as they are", "give --no-fusion with the .onnx model")
        if left_out := source.optimisations.left_out():
            raise mistake("the code of a program is as it is", f"give --no-{left_out[0]} with the .onnx model")
        if source.machine.is_given:
            raise mistake(
                "a program has its machine inside; it cannot run on another", "leave out -m, --preset and --set"
            )
        if source.schedule:
            raise mistake("a program is tiled already", "give --schedule with the .onnx model")
        return Program.load(source.model)
    if not source.machine.spec:
        raise mistake("a model needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    machine = machine_of(source.machine)
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
