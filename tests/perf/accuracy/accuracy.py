"""Images per second of whole test sets: values planned once for a model, beside ONNX Runtime and every other way here.

./dev bench accuracy              # measures, and prints the tables
./dev bench accuracy --write      # into docs/reference/accuracy-speed.md

ONNX Runtime runs the same int8 model on the same cores, with as many threads, and the batch that is fastest. Its runs
and ours take turns in one process, several times; the fastest of each counts, and their ratio. `--study` measures
points of a study instead: compiled and timed, without values, on one process and on as many as there are cores.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from marks import write_between

import covenant
from covenant import zoo
from covenant.bench.baseline import processor_name
from covenant.runtime.values import Values, images_of
from covenant.study import Study, StudyMachine, StudyModel

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/accuracy-speed.md"
VALUES, STUDY = "<!-- ./dev bench accuracy --write -->", "<!-- ./dev bench accuracy --study --write -->"
DIGITS = ROOT / "examples/01_digits"
MACHINE = "genesys:8x8"
ROUNDS = 5
SECONDS = 1.5
"""Shortest time of one measurement."""
BATCHES = (1, 4, 16)
STACK_BYTES = 64 * 1024**2
"""Bytes of the images that are run again and again."""
MODELS = (str(DIGITS / "digits_qdq.onnx"), str(DIGITS / "digits_qoperator.onnx"), "zoo:resnet18")
SPANS = {"M": (16, 32, 64), "N": (16, 32, 64), "axi": (128, 256, 512)}
"""Parameters of the GeneSys machines to measure: 27 in all."""


def path_of(model: str) -> tuple[str, Path]:
    """Name and file of a model."""
    if not model.startswith(zoo.PREFIX):
        return Path(model).name, Path(model)
    return model, zoo.get(model.removeprefix(zoo.PREFIX))


def rate(run: Callable[[int], None], seconds: float = SECONDS) -> Callable[[], float]:
    """Images per second of a function that runs so many of them: a measurement that takes about `seconds`."""
    run(1)
    count = 1
    while True:
        start = time.perf_counter()
        run(count)
        taken = time.perf_counter() - start
        if taken > seconds / 8:
            break
        count *= 2
    count = max(1, int(count * seconds / taken))

    def measured() -> float:
        begin = time.perf_counter()
        run(count)
        return count / (time.perf_counter() - begin)

    return measured


def onnxruntime_rates(model: Path, threads: int) -> dict[int, Callable[[], float]]:
    """Functions that run ONNX Runtime, by batch, for the batches that the model takes."""
    found = {}
    for batch in BATCHES:
        proto = onnx.load(str(model))
        for entry in (*proto.graph.input, *proto.graph.output):
            entry.type.tensor_type.shape.dim[0].dim_value = batch
        del proto.graph.value_info[:]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])
            shapes = {entry.name: entry.shape for entry in session.get_inputs()}
            feed = {name: np.random.default_rng(0).random(shape, np.float32) for name, shape in shapes.items()}
            session.run(None, feed)
        except Exception as error:  # noqa: BLE001 (its exceptions have no base of their own)
            print(f"batch {batch}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue

        def run(count: int, session: Any = session, feed: Any = feed, batch: int = batch) -> None:
            for _ in range(-(-count // batch)):
                session.run(None, feed)

        found[batch] = rate(run)
    return found


def figures(model: str, threads: int) -> dict[str, Any]:
    """One row: all ways to compute values of one model."""
    name, path = path_of(model)
    values = Values(path, threads=threads)
    random = np.random.default_rng(0)

    def stacks(count: int) -> dict[str, np.ndarray]:
        return {one.name: random.random((count, *one.shape), np.float32).astype(one.dtype) for one in values.inputs}

    size = sum(array.nbytes for array in stacks(1).values())
    most = min(8192, max(16, STACK_BYTES // size))
    known = stacks(most)

    def by(engine: Values) -> Callable[[int], None]:
        def run(count: int) -> None:
            for first in range(0, count, most):
                engine.run({key: array[: min(most, count - first)] for key, array in known.items()})

        return run

    ours, theirs = rate(by(values)), onnxruntime_rates(path, threads)
    turns = [(ours(), {batch: measure() for batch, measure in theirs.items()}) for _ in range(ROUNDS)]
    best = {batch: max(turn[1][batch] for turn in turns) for batch in theirs}
    batch = max(best, key=best.__getitem__)
    alone = rate(by(Values(path, threads=1)))
    exact = rate(by(Values(path, threads=threads, exact=True)), 0.1)
    session = covenant.Session(covenant.compile(path, MACHINE))

    def simulate(count: int) -> None:
        for feed in images_of({key: array[:count] for key, array in known.items()}):
            session.run(feed)

    simulated = rate(lambda count: simulate(min(count, most)), 0.2)
    row = {
        "model": name,
        "threads": threads,
        "values": max(turn[0] for turn in turns),
        "values_one_thread": max(alone() for _ in range(3)),
        "reference": exact(),
        "systemc": simulated(),
        "onnxruntime": best[batch],
        "onnxruntime_batch": batch,
    }
    return row | {"ratio": row["values"] / row["onnxruntime"]}


def points(jobs: int, model: Path) -> dict[str, Any]:
    """Points of a study of ResNet-18 that are compiled and timed, and how many a minute."""
    study = Study("speed", (StudyModel(model),), (StudyMachine("genesys", SPANS),))
    with tempfile.TemporaryDirectory() as folder:
        result = study.run(Path(folder) / "speed.sqlite", jobs=jobs)
    failed = [row.text for row in result.rows if row.cycles is None]
    return {
        "model": model.name,
        "processes": jobs,
        "points": len(result.rows),
        "failed": len(failed),
        "seconds": result.run_seconds,
        "points_per_minute": result.points_per_minute,
    }


def values_table(rows: Sequence[dict[str, Any]]) -> str:
    """Table in Markdown."""
    lines = [
        f"Measured on {processor_name()}, {os.cpu_count()} cores; images per second.",
        "",
        "| model | values | on one core | ONNX Runtime (batch) | ratio | reference operators | SystemC with values |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['model']} | {row['values']:,.0f} | {row['values_one_thread']:,.0f} | {row['onnxruntime']:,.0f} "
        f"({row['onnxruntime_batch']}) | {row['ratio']:.2f} | {row['reference']:,.1f} | {row['systemc']:,.1f} |"
        for row in rows
    ]
    return "\n".join(lines)


def study_table(rows: Sequence[dict[str, Any]]) -> str:
    """Table in Markdown."""
    base = rows[0]["points_per_minute"]
    lines = [
        f"Measured on {processor_name()}, {os.cpu_count()} cores.",
        "",
        "| model | processes | points | seconds | points a minute | to one process |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['model']} | {row['processes']} | {row['points']} | {row['seconds']:.1f} | "
        f"{row['points_per_minute']:.0f} | {row['points_per_minute'] / base:.2f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 1 if a point of a study has failed."""
    parser = argparse.ArgumentParser(
        prog="./dev bench accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="append", help=f"repeatable (default: {', '.join(MODELS)})")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: one for each core")
    parser.add_argument("--study", action="store_true", help="points of a study a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    if arguments.study:
        _, model = path_of((arguments.model or MODELS[-1:])[0])
        rows = [points(jobs, model) for jobs in (1, arguments.threads)]
        table, mark = study_table(rows), STUDY
    else:
        rows = [figures(model, arguments.threads) for model in arguments.model or MODELS]
        table, mark = values_table(rows), VALUES
    print(json.dumps({"processor": processor_name(), "rows": rows}, indent=2) if arguments.json else table)
    if arguments.write:
        write_between(PAGE, {mark: table})
    return int(any(row.get("failed") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
