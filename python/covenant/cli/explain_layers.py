"""Work of `covenant explain`: a table of all layers, or all that is known of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from covenant.cli.arguments import MachineRequest, machine_of
from covenant.cli.embedding_options import RulesRequest
from covenant.cli.embeddings import embedding_lines
from covenant.cli.output import Output
from covenant.compiler.layer_uses import LayerUse, layer_uses

COLUMNS = ("layer", "codelet", "lowering", "cycles", "steps", "used", "fewest steps", "and needs")
INCOMPLETE = "the search for embeddings of {} was given up: there may be some of fewer steps (--most-nodes)"


@dataclass(frozen=True)
class ExplainRequest:
    """Options of `covenant explain`, as they were given."""

    model: str
    machine: MachineRequest
    library: str | None
    schedule: str | None
    layer: str | None
    rules: RulesRequest


def explain_layers(request: ExplainRequest, output: Output) -> int:
    """Prints how layers use the machine's instructions.

    Raises:
        CovenantError: EMB0013, there is no such relaxation; and as `covenant.compiler.layer_uses`.
    """
    machine = machine_of(request.machine)
    rules = request.rules.rules()
    with output.activity(f"{request.model} on {machine.name}") as tell:
        tell("searching for schedules and embeddings", 0, 0)
        uses = layer_uses(request.model, machine, request.library, request.schedule, rules=rules, layer=request.layer)
    if output.json:
        output.object({
            "model": request.model, "machine": machine.name, "preset": machine.preset,
            "parameters": machine.parameters, "relaxations": list(rules.relaxations), "most_nodes": rules.most_nodes,
            "layers": [asdict(use) for use in uses],
        })  # fmt: skip
        return 0
    if request.layer:
        for line in _layer_lines(uses[0]):
            output.line(line)
    else:
        output.table(f"{request.model} on {machine.name}", COLUMNS, map(_row, uses))
        for line in _summary(uses):
            output.line(line)
    given_up = [use.layer for use in uses if not use.complete]
    if given_up:
        output.line(INCOMPLETE.format(", ".join(given_up)))
    return 0


def _row(use: LayerUse) -> tuple[str, ...]:
    steps = f"{use.taken.steps:,}" if use.taken else ""
    used = f"{100 * use.taken.utilisation:.1f} %" if use.taken else ""
    fewest = f"{use.fewest.steps:,}" if use.fewest else ""
    needs = ", ".join(use.fewest.relaxations) if use.fewest else ""
    return use.layer, use.codelet, use.lowering, f"{use.cycles:,}", steps, used, fewest, needs


def _summary(uses: tuple[LayerUse, ...]) -> Iterator[str]:
    """Obstacles to better embeddings, those of most steps first."""
    lost: dict[str, int] = {}
    for use in uses:
        for obstacle in use.obstacles:
            lost[obstacle] = lost.get(obstacle, 0) + use.steps_lost
    for obstacle, steps in sorted(lost.items(), key=lambda one: -one[1]):
        yield f"in the way of {steps:,} fewer steps: {obstacle}"
    yield "--layer NAME says where an embedding wants the data of a layer"


def _layer_lines(use: LayerUse) -> Iterator[str]:
    yield f"{use.layer}: {use.codelet}, lowering {use.lowering}, {use.cycles:,} cycles by itself"
    if use.workload:
        yield f"  {use.workload}"
    if use.taken:
        yield f"  {use.compute}: {use.instruction}"
        yield from embedding_lines("taken", use.taken)
    if use.next:
        elsewhere = "" if use.next.as_stored else ", its tensors lying otherwise"
        text = f": {use.next.embedding}" if use.next.embedding else ""
        yield f"    next: {use.next.lowering}, {use.next.cycles:,} cycles{elsewhere}{text}"
    if use.fewest:
        yield from embedding_lines("fewest steps", use.fewest)
        for obstacle in use.obstacles:
            yield f"       not on this machine: {obstacle}"
    elif use.taken and use.complete:
        yield "    no embedding takes fewer steps"
