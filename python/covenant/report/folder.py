"""The folder of a report: the page, and beside it the same figures in files."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from covenant.folders import check_folder, write_folder
from covenant.machine.families import family_of
from covenant.program import Program, is_program_file
from covenant.report.annotate import annotated
from covenant.report.layers import ReportLayer, bound_of_layers, report_layers
from covenant.report.losses import losses
from covenant.report.page import page, script
from covenant.report.roofs import roofs_of
from covenant.report.scale_sim import scale_sim_reports
from covenant.runtime.result import Result

PAGE = "index.html"
MARK = "layers.json"
"""The file by which a folder of ours is known."""
KIND = "a report"


def check_report_folder(folder: str | os.PathLike[str]) -> None:
    """Checks that a report can be written there.

    Raises:
        CovenantError: CLI0011, CLI0006, as `covenant.folders.check_folder`; CLI0012, vl-convert-python is missing.
    """
    check_folder(folder, MARK, KIND)
    script()


def write_report(
    folder: str | os.PathLike[str], program: Program, result: Result, model: str | os.PathLike[str], run: dict[str, Any]
) -> None:
    """Writes the report of one run, whole or not at all; a report that is there is replaced.

    Args:
        folder: where to; made if it is not there.
        program: what ran.
        result: of a run with time, and with a trace if the machine has engines.
        model: path of the model or program.
        run: what `covenant run --json` says of it.

    Raises:
        CovenantError: as `check_report_folder`.
    """
    layers = report_layers(program, result)
    roofs = roofs_of(program.machine)
    is_traced = family_of(program.machine).has_timeline
    facts = {
        "model": program.model,
        "machine": program.machine.name,
        "preset": program.machine.preset,
        "parameters": program.machine.parameters,
        "backend": result.backend,
        "cycles": result.cycles,
        "bound": bound_of_layers(layers),
        "packets": result.packets,
        "roofs": roofs.to_dict(),
        "images": run["images"],
        "identical": run["identical"],
        "within_a_step": run["within_a_step"],
        "oracle": run["oracle"],
        "compared_layers": run["compared_layers"],
        "host": run["host"]["operators"] if run["host"] else [],
        "memory": run["memory"],
        "memory_bytes": program.memory_bytes,
        "losses": [loss.to_dict() for loss in losses(layers, roofs.units)],
        "layers": [layer.to_dict() for layer in layers],
    }
    files: dict[str, str | bytes] = {
        PAGE: page(facts, result),
        MARK: json.dumps(facts, indent=1) + "\n",
        "layers.csv": layers_csv(layers),
    }
    if is_traced:
        files |= {"trace.json": result.trace_json, **scale_sim_reports(program.machine, layers, result)}
    if not is_program_file(model):
        files["model.onnx"] = annotated(Path(model), layers)
    write_folder(files, folder, MARK, KIND)


def layers_csv(layers: list[ReportLayer]) -> str:
    """One row for each layer; the columns of stalls and of memory are those that any layer has."""
    causes = sorted({cause for layer in layers for cause in layer.stalls})
    kinds = sorted({kind for layer in layers for kind in layer.live_bytes})
    plain = (
        [key for key in layers[0].to_dict() if key not in ("stalls", "live_bytes", "buffer_bytes", "nodes")]
        if layers
        else []
    )
    memories = sorted({memory for layer in layers for memory in layer.buffer_bytes})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    named = {"stall": causes, "live": kinds, "buffer": memories}
    writer.writerow([*plain, *(f"{kind} {name}" for kind, names in named.items() for name in names), "nodes"])
    for layer in layers:
        row = layer.to_dict()
        cells = [*(row[key] for key in plain), *(layer.stalls.get(cause, 0) for cause in causes)]
        cells += [layer.live_bytes.get(kind, 0) for kind in kinds]
        cells += [layer.buffer_bytes.get(memory, 0) for memory in memories]
        writer.writerow([*cells, " ".join(layer.nodes)])
    return text.getvalue()
