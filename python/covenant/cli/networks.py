"""Work of `covenant bench networks`: measures each network on each machine, in a process of its own."""

from __future__ import annotations

import hashlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from covenant import zoo
from covenant.bench.networks import measure
from covenant.cli.arguments import MachineRequest, machine_of
from covenant.cli.figures_file import FiguresFile
from covenant.cli.output import Output
from covenant.errors import CovenantError

_COLUMNS = ["model", "machine", "cycles", "bound", "ratio", "outputs", "compile s", "simulate s", "of ONNX Runtime"]
_MISSING = "ZOO0002"


def measure_all(
    requests: dict[str, MachineRequest], models: list[str] | None, path: Path | None, output: Output
) -> int:
    """Prints one row for each network on each machine; exit code 1 if outputs are not what they should be."""
    machines = {spec: machine_of(request) for spec, request in requests.items()}
    kept = FiguresFile(
        path, {"machines": {spec: machine.to_json() for spec, machine in machines.items()}},
        "model", "machine", "digest",
    )  # fmt: skip
    pairs = [(*model, spec) for model in _models(models, output) for spec in machines]
    rows = [_row(pair, requests[pair[-1]], kept) for pair in output.progress(pairs, "networks")]
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    mean = geometric_mean(ratios) if ratios else None
    is_right = all(row["identical"] or row["within_a_step"] for row in rows)
    if output.json:
        output.object({"rows": rows, "geometric_mean": mean, "right": is_right})
    else:
        output.table("networks", _COLUMNS, [_cells(row) for row in rows])
        output.line(f"geometric mean of cycles / bound: {mean:.3f}" if mean else "no bound is known")
    return 0 if is_right else 1


def _models(chosen: list[str] | None, output: Output) -> list[tuple[str, Path]]:
    """Names and paths; of all of the zoo those whose packages are here."""
    found = []
    for name in chosen or [f"{zoo.PREFIX}{entry}" for entry in zoo.ENTRIES]:
        if not name.startswith(zoo.PREFIX):
            found.append((Path(name).stem, Path(name)))
            continue
        entry = name.removeprefix(zoo.PREFIX)
        try:
            with output.activity(name) as tell:
                found.append((entry, zoo.get(entry, progress=tell)))
        except CovenantError as error:
            if chosen or error.code != _MISSING:
                raise
            output.note(f"left out: {error.diagnostic.subject}: {error.message}: {error.diagnostic.offending}")
    return found


def _row(pair: tuple[str, Path, str], request: MachineRequest, kept: FiguresFile) -> dict[str, Any]:
    model, path, spec = pair
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""
    return kept.get(model, spec, digest) or kept.add(
        {"model": model, "machine": spec, "digest": digest, **_in_its_own_process(path, request)}
    )


def _in_its_own_process(path: Path, request: MachineRequest) -> dict[str, Any]:
    """Measures a network in a separate process, whose memory is that of compiling this network alone."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_figures, path, request).result()


def _figures(path: Path, request: MachineRequest) -> dict[str, Any]:
    figures = measure(path, machine_of(request))
    ratios = {name: getattr(figures, name) for name in ("ratio_to_onnxruntime", "timing_ratio_to_onnxruntime")}
    return asdict(figures) | ratios


def _cells(row: dict[str, Any]) -> list[Any]:
    apart = "within a step" if row["within_a_step"] else "DIFFERENT"
    cycles = (f"{row[key]:,}" if row[key] else "" for key in ("cycles", "bound"))
    seconds = (row[key] for key in ("compile_seconds", "simulate_seconds", "ratio_to_onnxruntime"))
    outputs = "identical" if row["identical"] else apart
    return [row["model"], row["machine"], *cycles, row["ratio"] or "", outputs, *seconds]
