"""`covenant run --energy`: the energy of the first image, as a proxy, split by component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covenant.cli.arguments import mistake
from covenant.cli.output import Output
from covenant.cli.run_request import RunRequest
from covenant.runtime.result import Result

if TYPE_CHECKING:  # only who asks for energy pays
    from covenant.energy import EnergyTable


def check_energy(request: RunRequest) -> None:
    """Raises CLI0008 for arguments that do not go together; before any work."""
    if request.energy_table and not request.energy:
        raise mistake("a table of energies is for --energy", "add --energy")
    if request.energy and not request.is_systemc:
        raise mistake(
            "only the SystemC model counts what energy is made of",
            "leave out --backend, --rtl and --rtl-window, or --energy",
        )


def energy_table_of(request: RunRequest) -> EnergyTable | None:
    """The table that was asked for; read before the work."""
    if not request.energy_table:
        return None
    from covenant.energy import read_reference_table

    return read_reference_table(request.energy_table)


def energy_report(request: RunRequest, result: Result, table: EnergyTable | None) -> dict[str, Any]:
    """The key `energy` of `--json`; null unless asked for."""
    if not request.energy:
        return {"energy": None}
    from covenant.energy import energy_of

    return {"energy": energy_of(result, table).to_dict()}


def show_energy(request: RunRequest, result: Result, table: EnergyTable | None, output: Output) -> None:
    """The split as a table, if it was asked for."""
    if not request.energy:
        return
    from covenant.energy import energy_of

    energy = energy_of(result, table)
    total = energy.picojoules or 1.0
    rows = [
        (part.component, part.event, part.count, part.picojoules_each, part.picojoules / 1e6,
         f"{part.picojoules / total:.1%}", part.source)
        for part in energy.parts
    ]  # fmt: skip
    output.table("energy proxy", ("component", "event", "count", "pJ each", "uJ", "share", "from"), rows)
    output.line(f"energy proxy {energy.picojoules / 1e6:,.3f} uJ an image ({energy.sources['process']})")
