"""Work of `covenant compile --emit embeddings`: finds embeddings of layers, or checks those of the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.compile_request import CompileRequest
from covenant.compiler.embeddings import (
    Embedding,
    InstructionEmbeddings,
    LayerEmbeddings,
    OperandLayout,
    benchmark_embeddings,
    embeddings,
)
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine

__all__ = ["SHOWN", "EmbeddingsView", "check_embeddings", "embeddings_of"]

SHOWN = 3
"""Embeddings of each instruction that are shown without `--all`."""


@dataclass(frozen=True)
class EmbeddingsView:
    """Embeddings as text, and as the keys that `--json` has beside it."""

    text: str
    known: dict[str, Any]


def check_embeddings(request: CompileRequest) -> None:
    """Raises CLI0008 for options about embeddings that contradict others."""
    asked = request.embeddings
    if not request.shows_embeddings:
        if asked.is_given:
            raise mistake(
                "--embedding, --relaxations, --most-nodes and --all are about embeddings", "add --emit embeddings"
            )
        return
    if asked.texts and (asked.rules.is_given or asked.all):
        raise mistake(
            "an embedding of your own is checked, and none is searched for",
            "leave out --embedding, or --relaxations, --most-nodes and --all",
        )
    if request.schedule and not (request.output or request.save_schedule):
        raise mistake("a schedule changes no embedding", "leave out --schedule")


def embeddings_of(request: CompileRequest, machine: Machine) -> EmbeddingsView:
    """Embeddings of the model's layers, or of a layer of the table.

    Raises:
        CovenantError: EMB0001, EMB0002, no layer is a workload; EMB0011, no instruction takes a text as an embedding;
            EMB0013, there is no such relaxation; CLI0008, a text is to be checked and the model has several layers; and
            as `covenant.compiler.embeddings`.
    """
    asked = request.embeddings
    rules = asked.rules.rules()
    shown = None if asked.all else SHOWN
    if request.model:
        layers = embeddings(
            request.model, machine, request.library, rules=rules, layer=request.layer, shown=shown, texts=asked.texts
        )
    else:
        layers = benchmark_embeddings(request.layer or "", machine, rules=rules, shown=shown, texts=asked.texts)
    _check_workloads(layers)
    if asked.texts and request.model and len(layers) > 1:
        raise mistake(
            f"an embedding is one of a layer, and the model has {len(layers)}",
            "name one with --layer: " + ", ".join(layer.layer for layer in layers),
        )
    _check_texts(layers, asked.texts)
    lines = [line for layer in layers for line in _layer_lines(layer, machine)]
    return EmbeddingsView(
        "\n".join(lines),
        {
            "machine": machine.name, "preset": machine.preset, "parameters": machine.parameters,
            "relaxations": list(rules.relaxations), "most_nodes": rules.most_nodes,
            "layers": [_layer_object(layer) for layer in layers],
        },
    )  # fmt: skip


def _check_workloads(layers: Sequence[LayerEmbeddings]) -> None:
    """Raises why the first layer is no workload, if none is."""
    reasons = [layer.diagnostic for layer in layers]
    if reasons and all(reasons) and reasons[0]:
        raise CovenantError(reasons[0])


def _check_texts(layers: Sequence[LayerEmbeddings], texts: Sequence[str]) -> None:
    """Raises what is wrong with the first text that no instruction takes."""
    for index, text in enumerate(texts):
        tried = [(one, one.checked[index]) for layer in layers for one in layer.instructions]
        if any(checked.embedding for _, checked in tried):
            continue
        # The instruction that the text is most likely about: the one of which it names most axes.
        refused = sorted(tried, key=lambda pair: -sum(f"{name}:" in text for name in pair[0].instruction.split()))
        for _, checked in refused:
            if checked.diagnostic:
                raise CovenantError(checked.diagnostic)


def _layer_lines(layer: LayerEmbeddings, machine: Machine) -> Iterator[str]:
    if layer.diagnostic:
        yield f"{layer.layer}: no workload that could be embedded"
        yield from _indented(str(layer.diagnostic))
        return
    yield f"{layer.layer}: {layer.workload}, {layer.types}"
    apart = ", ".join(f"{axis.name} {axis.extent:,}" for axis in layer.axes if not axis.reduction)
    summed = ", ".join(f"{axis.name} {axis.extent:,}" for axis in layer.axes if axis.reduction)
    axes = "; ".join(filter(None, (apart, f"summed over {summed}" if summed else "")))
    yield f"  {axes}; {layer.instances:,} instances"
    if not layer.instructions:
        yield f"  no instruction of {machine.name} computes this function on these types"
    for one in layer.instructions:
        yield from _instruction_lines(one)


def _instruction_lines(one: InstructionEmbeddings) -> Iterator[str]:
    yield f"  {one.compute}: {one.instruction}, {one.types}, {one.instances:,} instances a step"
    for checked in one.checked:
        if checked.embedding:
            yield from embedding_lines("ok", checked.embedding)
        elif checked.diagnostic:
            yield f"    no embedding: {checked.text}"
            yield from _indented(str(checked.diagnostic))
    if one.checked:
        return
    count = f"{one.found:,} embedding{'' if one.found == 1 else 's'}" if one.found else "no embedding"
    others = ", there may be others" if not one.complete else ", and no others" if one.found else ""
    yield f"    {count}{others}; {one.nodes:,} nodes"
    if one.diagnostic:
        yield from _indented(str(one.diagnostic))
    for index, embedding in enumerate(one.embeddings, 1):
        yield from embedding_lines(str(index), embedding)
    if len(one.embeddings) < one.found:
        yield f"    {len(one.embeddings):,} of {one.found:,} shown; --all shows all"


def embedding_lines(mark: str, embedding: Embedding) -> Iterator[str]:
    yield f"    {mark}: {embedding.text}"
    needs = ", ".join(embedding.relaxations) or "no relaxation"
    yield f"       {embedding.steps:,} steps, {100 * embedding.utilisation:.1f} % used, needs {needs}"
    for operand in embedding.operands:
        yield f"       {_layout(operand)}"


def _layout(operand: OperandLayout) -> str:
    name = operand.tensor or "a number"
    if not operand.axes:
        return f"{name}: one element a step"
    block = " by ".join(f"{axis.factors} ({axis.axis})" for axis in operand.axes)
    if operand.packed_elements is not None:
        return f"{name}: packed as {block}, {operand.packed_elements:,} elements for {operand.elements:,}"
    return f"{name}: {'vectors' if len(operand.axes) == 1 else 'blocks'} of {block}"


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {line}"


def _layer_object(layer: LayerEmbeddings) -> dict[str, Any]:
    return asdict(layer) | {
        "diagnostic": _object(layer.diagnostic),
        "instructions": [
            asdict(one)
            | {
                "diagnostic": _object(one.diagnostic),
                "checked": [asdict(checked) | {"diagnostic": _object(checked.diagnostic)} for checked in one.checked],
            }
            for one in layer.instructions
        ],
    }


def _object(diagnostic: Diagnostic | None) -> dict[str, Any] | None:
    return None if diagnostic is None else diagnostic.to_dict()
