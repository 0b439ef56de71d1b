"""`covenant compile --explain-schedule`: schedules considered for a layer, and their estimated costs."""

from __future__ import annotations

from typing import Any

from covenant import _core
from covenant.cli.compile_request import CompileRequest
from covenant.cli.output import Output
from covenant.compiler.model_parts import with_parts
from covenant.compiler.schedule_file import schedule_text
from covenant.machine import Machine

SHOWN = 8
"""Schedules of each conv lowering in the table; `--json` has all that were simulated."""

ELSEWHERE = "*"
"""Marks a lowering for which tensors would have to lie otherwise than they do."""

COLUMNS = ("lowering", "tiles", "order", "cycles", "limited by", "work", "control", "stall")


def explain(output: Output, machine: Machine, request: CompileRequest) -> int:
    """Prints the alternatives for one layer, the one that is taken first; of one that is pinned, what is left open.

    Args:
        output: where to.
        machine: to compile for.
        request: to `covenant compile`, with `explain_schedule`: all that decides what is compiled counts.

    Raises:
        CovenantError: the model has no such layer (GEN0041), there is no such benchmark layer (GEN0040), the model
            cannot be compiled, or the schedule does not suit it (CLI0009, SCHnnnn).
    """
    schedule = schedule_text(request.schedule)
    without = request.optimisations.left_out()
    if request.layer:
        content = _core.explain_benchmark(request.layer, machine._core, without=without, **schedule)
    else:
        options = {"library": request.library or "", "fusion": request.fusion, "without": without, **schedule}
        content = with_parts(
            request.model,
            lambda parts: _core.explain(
                request.model, machine._core, request.explain_schedule, content=parts.content, **options
            ),
            machine,
        )
    if output.json:
        output.object({"machine": machine.name, **content})
        return 0
    rows = [row for alternative in content["alternatives"] for row in _rows(alternative)]
    output.table(f"{content['layer']} on {machine.name}", COLUMNS, rows)
    if not all(alternative["as_stored"] for alternative in content["alternatives"]):
        output.line(f"{ELSEWHERE} its tensors would lie otherwise, at the cost of the layers around it")
    for alternative in content["alternatives"]:
        output.line(_search(alternative))
    for fusion in content["fusions"]:
        output.line(_fusion(fusion))
    output.text("\n" + content["schedule"])
    return 0


def _lowering(alternative: dict[str, Any]) -> str:
    return alternative["lowering"] if alternative["as_stored"] else f"{alternative['lowering']} {ELSEWHERE}"


def _rows(alternative: dict[str, Any]) -> list[tuple[Any, ...]]:
    trips = {loop["name"]: loop["trips"] for loop in alternative.get("loops", [])}
    return [
        (_lowering(alternative), _tiles(trips, schedule), _order(schedule), schedule["cycles"],
         schedule["limited_by"], *_busiest(schedule))
        for schedule in alternative.get("schedules", [])[:SHOWN]
    ]  # fmt: skip


def _tiles(trips: dict[str, int], schedule: dict[str, Any]) -> str:
    """Loops that are split, as `oh 16/56`; of a split layer one list for each part, headed by its range."""
    split = schedule["split"]
    if split is None:
        return _tiles_of(trips, schedule["tiles"])
    loop, at = split["loop"], split["at"]
    first = _tiles_of({**trips, loop: at}, schedule["tiles"])
    second = _tiles_of({**trips, loop: trips[loop] - at}, split["tiles"])
    nodes = f" on {', '.join(dict.fromkeys(split['nodes']))}" if split["nodes"] else ""
    return f"{loop} 0..{at}: {first}; {loop} {at}..{trips[loop]}{nodes}: {second}"


def _tiles_of(trips: dict[str, int], tiles: dict[str, int]) -> str:
    split = {name: size for name, size in tiles.items() if size < trips[name]}
    return " ".join(f"{name} {size}/{trips[name]}" for name, size in split.items()) or "one tile"


def _order(schedule: dict[str, Any]) -> str:
    orders = [schedule["order"]] if schedule["split"] is None else [schedule["order"], schedule["split"]["order"]]
    return "; ".join(" ".join(order) for order in orders)


def _busiest(schedule: dict[str, Any]) -> tuple[int, int, int]:
    for engine in schedule["engines"]:
        if engine["name"] == schedule["limited_by"]:
            return engine["work"], engine["control"], engine["stall"]
    return 0, 0, 0


def _search(alternative: dict[str, Any]) -> str:
    if not alternative["possible"]:
        return f"{alternative['lowering']}: not possible on this machine"
    return (
        f"{alternative['lowering']} ({alternative['codelet']}): {alternative['candidates']:,} candidates, "
        f"{alternative['valid']:,} valid tilings, {len(alternative['schedules'])} simulated; "
        f"search: {alternative['stop']}"
    )


def _fusion(fusion: dict[str, Any]) -> str:
    pair = f"{fusion['producer']} and {fusion['consumer']}"
    apart, together = fusion["cycles_apart"], fusion["cycles_together"]
    cycles = f" ({together:,} cycles together, {apart:,} apart)" if apart and together else ""
    return f"fused: {pair}{cycles}" if fusion["fused"] else f"not fused: {pair}{cycles}: {fusion['reason']}"
