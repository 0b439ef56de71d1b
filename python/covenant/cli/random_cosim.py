"""`covenant cosim --random-machines`: lock step on random machines and layers."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.cosim_request import DrawnRequest
from covenant.cli.output import Output
from covenant.cli.source_request import build_words
from covenant.errors import CovenantError, Diagnostic, InternalError
from covenant.files import check_writable
from covenant.machine.memory_models import FIXED_MEMORY, memories, memory_model
from covenant.verify.random_cosim import Failure, run_machine

ALL_MEMORIES = "all"
"""Each layer with each model of off-chip memory."""
AROUND_CYCLES = 200
BAR = "▇"
FULL_BAR = 2
"""Machines that one piece of a bar stands for."""

Part = dict[str, Any]
"""`runs` and `failures` of some machines, as in the JSON."""


def execute_random(request: DrawnRequest, output: Output) -> int:
    """Runs them all; 1 if any machine has a difference."""
    if request.names_what_is_drawn:
        raise mistake(
            "random machines draw their own layers and inputs", "leave out model, machine, schedule, input and wave"
        )
    for memory in _memories(request):
        memory_model(memory)  # says what is wrong before the work
    check_writable(Path(request.output) / "x")
    start = time.perf_counter()
    count = request.machines
    output.note(f"{count} random machine(s) with {request.layers} layers each, seed {request.seed}")
    indices = range(request.first_machine, request.first_machine + count)
    parts: list[Part] = []
    with output.activity(f"seed {request.seed}") as tell:
        tell("machines", 0, count)
        for part in [_run_here(request)] if count == 1 else _run_processes(request, indices):
            parts.append(part)
            tell("machines", len(parts), count)
            for failure in part["failures"]:
                output.note(f"machine {failure['machine']}, layer {failure['layer']}: a difference")
    report = _merge(request, parts) | {"seconds": time.perf_counter() - start}
    if output.json:
        output.object(report)
    else:
        _show(report, output)
    return 0 if report["identical"] else 1


def _memories(request: DrawnRequest) -> tuple[str, ...]:
    return memories() if request.memory == ALL_MEMORIES else (request.memory,)


def _run_here(request: DrawnRequest) -> Part:
    build = replace(request.build, jobs=request.jobs or 0)
    done = run_machine(
        request.seed, request.first_machine, request.layers, build, request.output,
        memories=_memories(request),
    )  # fmt: skip
    row = {name: value for name, value in vars(done).items() if name != "failures"}
    return {"runs": [row], "failures": [_failure(failure, request) for failure in done.failures]}


def _run_processes(request: DrawnRequest, indices: Iterable[int]) -> Iterator[Part]:
    """Runs one command for each machine; yields results in the order in which they are done."""
    with ThreadPoolExecutor(request.jobs or os.cpu_count() or 1) as pool:
        waiting = [pool.submit(_run_process, request, index) for index in indices]
        try:
            for future in as_completed(waiting):
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def _run_process(request: DrawnRequest, index: int) -> Part:
    words = [sys.executable, "-m", "covenant", "cosim", "--random-machines", "1", "--first-machine", str(index)]
    words += ["--random-layers", str(request.layers), "--seed", str(request.seed)]
    words += ["--memory", request.memory]
    words += ["--jobs", "1", "--output", request.output, "--json"]
    words += build_words(request.build)
    places = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode in (0, 1) and done.stdout:  # 1 without a word: Python itself has failed
        return json.loads(done.stdout)
    if done.returncode == 2:
        error = json.loads(done.stdout)["error"]
        raise CovenantError(
            Diagnostic(
                error["code"], error["message"], error["where"], subject=error["subject"],
                offending=error["offending"], allowed=tuple(error["allowed"]), fix=error["fix"],
            )
        )  # fmt: skip
    raise InternalError(f"machine {index} of seed {request.seed}: exit code {done.returncode}\n{done.stderr}")


def _merge(request: DrawnRequest, parts: list[Part]) -> dict[str, Any]:
    runs = sorted((row for part in parts for row in part["runs"]), key=lambda row: row["machine"])
    failures = sorted((row for part in parts for row in part["failures"]), key=lambda row: row["machine"])
    counted = ["layers", "on_both", "refused", "instructions", "cycles"]
    timed = ["build_seconds", "systemc_seconds", "rtl_seconds"]
    sums = {name: sum(row[name] for row in runs) for name in counted + timed}
    refusals: Counter[str] = Counter()
    for row in runs:
        refusals.update(row["refusals"])
    return {
        "seed": request.seed,
        "machines": len(runs),
        "memories": list(_memories(request)),
        "features": _by_feature(runs),
        "refusals": dict(sorted(refusals.items())),
        "pairs": sum(bool(row["pair"]) for row in runs),
        "first_machine": request.first_machine,
        "identical": not failures,
        "differences": len(failures),
        **sums,
        "failures": failures,
        "runs": runs,
    }


def _by_feature(runs: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Machines that have each feature, with layers that were compared and that were refused on them."""
    found: dict[str, dict[str, int]] = {}
    for row in runs:
        for feature in row["features"]:
            sums = found.setdefault(feature, {"machines": 0, "layers": 0, "refused": 0})
            sums["machines"] += 1
            sums["layers"] += row["layers"]
            sums["refused"] += row["refused"]
    return dict(sorted(found.items()))


def _failure(failure: Failure, request: DrawnRequest) -> dict[str, Any]:
    return {
        "machine": failure.machine,
        "layer": failure.layer,
        "name": failure.name,
        "memory": failure.memory,
        "text": failure.text,
        "first": failure.difference.to_dict() if failure.difference else None,
        "files": list(failure.files),
        "reproduce": _reproduce(failure, request),
    }


def _reproduce(failure: Failure, request: DrawnRequest) -> str:
    _, program, inputs = failure.files
    words = ["covenant", "cosim", program, "--input", inputs]
    words += [] if failure.memory == FIXED_MEMORY else ["--memory", failure.memory]
    words += build_words(request.build)
    if failure.difference:
        cycle = failure.difference.cycle
        words += ["--wave", "difference.fst", "--from", str(max(0, cycle - AROUND_CYCLES))]
        words += ["--to", str(cycle + AROUND_CYCLES)]
    return shlex.join(words)


def _show(report: dict[str, Any], output: Output) -> None:
    for failure in report["failures"]:
        output.line(
            f"machine {failure['machine']}, layer {failure['layer']} ({failure['name']}), memory {failure['memory']}: "
            f"{failure['text']}"
        )
        output.line(f"waves of it: {failure['reproduce']}")
        output.line(f"the machine: {failure['files'][0]}")
    rows = [
        (feature, sums["machines"], sums["layers"], sums["refused"], BAR * round(sums["machines"] / FULL_BAR))
        for feature, sums in report["features"].items()
    ]
    output.table("machines by feature", ("feature", "machines", "layers", "refused", ""), rows)
    for code, count in report["refusals"].items():
        output.line(f"{code}: {count:,} layers refused")
    each = f", each with {', '.join(report['memories'])}" if report["memories"] != [FIXED_MEMORY] else ""
    output.line(
        f"{report['machines']} machines ({report['pairs']} with two arrays of a unit), {report['layers']:,} layers "
        f"({report['on_both']:,} on both, {report['refused']:,} others refused by the compiler){each}, "
        f"{report['instructions']:,} instructions, {report['cycles']:,} cycles, {report['differences']:,} differences; "
        f"seed {report['seed']}, {report['seconds']:.0f} s"
    )
