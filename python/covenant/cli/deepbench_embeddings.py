"""`covenant bench deepbench --embeddings`: DeepBench's convolutions and the instructions of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output
from covenant.machine import Machine

if TYPE_CHECKING:
    from covenant.compiler.embeddings import EmbeddingRules

__all__ = ["show_embeddings"]

_COLUMNS = ["layer", "instruction", "strict", "found", "complete", "nodes", "ms", "steps", "weights", "best"]
_YES = {True: "yes", False: "no"}


def show_embeddings(machine: Machine, patterns: Sequence[str] | None, rules: EmbeddingRules, output: Output) -> int:
    """Prints one row for each convolution of these names and each instruction, then sums for each instruction."""
    from covenant.bench.deepbench import convolutions, embed, sums_of

    some = output.progress(chosen_layers(convolutions(), patterns), f"embeddings on {machine.name}")
    rows = [row for layer in some for row in embed(layer, machine, rules)]
    sums = sums_of(rows)
    if output.json:
        output.object(
            {"machine": machine.name, "preset": machine.preset, "parameters": machine.parameters,
             "relaxations": list(rules.relaxations), "most_nodes": rules.most_nodes,
             "rows": [asdict(row) for row in rows], "sums": [asdict(one) for one in sums]}
        )  # fmt: skip
        return 0
    output.table(
        f"embeddings on {machine.name}", _COLUMNS,
        [[row.layer, f"{row.compute}: {row.instruction}", _YES[row.strict], f"{row.embeddings:,}", _YES[row.complete],
          f"{row.nodes:,}", f"{row.milliseconds:.1f}", f"{row.steps:,}", _ratio(row.weights_ratio),
          row.embedding or "none"] for row in rows],
    )  # fmt: skip
    for one in sums:
        output.line(
            f"{one.compute}: {one.instruction}: {one.embedded} of {one.layers} embedded, {one.strict} under strict "
            f"rules{'' if one.complete else ' (searches given up)'}; {one.nodes:,} nodes, {one.milliseconds:,.0f} ms, "
            f"{one.steps:,} steps; weights of the others over padded channels: {_ratio(one.weights_ratio) or 'none'}"
        )
    return 0


def _ratio(value: Any) -> str:
    return "" if value is None else f"{value:.3f}"
