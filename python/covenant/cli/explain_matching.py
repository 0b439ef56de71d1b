"""`covenant explain --matching`: what a machine that a host drives takes of a float model, and by which rules."""

from __future__ import annotations

from dataclasses import asdict

from covenant.cli.arguments import MachineRequest, mistake
from covenant.cli.output import Output


def explain_matching(path: str, request: MachineRequest, output: Output) -> int:
    """Prints invocations, the rules that they are owed to, and what stays on the host."""
    from covenant.cli import OK
    from covenant.matching import explain, terms_of
    from covenant.model.loading import loaded_model

    if request.preset or request.settings:
        raise mistake("--set and --preset do not change what a machine computes", "leave them out")
    with output.activity("matching") as progress:
        found = explain(terms_of(loaded_model(path)), str(request.spec), progress)
    if output.json:
        output.object({"machine": request.spec, "model": path, **asdict(found)})
        return OK
    flexible = found.flexible
    output.table(
        f"{path} on {request.spec}: invocations",
        ["intrinsic", "as written", "up to equality"],
        [[name, found.exact.intrinsics[name], count] for name, count in flexible.intrinsics.items()],
    )
    output.table(
        "Rules without which there are fewer",
        ["rule", "fewer"],
        [[rule, ", ".join(f"{count} {name}" for name, count in fewer.items())] for rule, fewer in found.needed.items()],
    )
    output.table("Left to the host", ["operator", "count"], [[name, count] for name, count in flexible.host.items()])
    output.line(
        f"{flexible.stores:,} stores, {flexible.loads:,} loads, {flexible.moved:,} elements; "
        f"{flexible.nodes:,} nodes after {flexible.iterations} iterations: {flexible.stop}"
    )
    return OK
