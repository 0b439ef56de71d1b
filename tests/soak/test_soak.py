"""A soak of few points, and witnesses that notice a wrong byte."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
import witnesses
from comparing import Outcome
from onnx import TensorProto, helper, numpy_helper
from plans import POINTS_OF_A_MODEL, STYLES, MachinePlan, Plan, drawn
from shrinking import shrunk
from spelling import spelled_out
from workers import Worker

HERE = Path(__file__).resolve().parent
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
POINTS = [POINTS_OF_A_MODEL * model + model % POINTS_OF_A_MODEL for model in range(len(STYLES))]
"""One of each style, on machines of each kind."""
SEED = 8


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


@pytest.mark.parametrize(("seed", "number"), [(1, 10913), (1, 10929), (91177, 1486)])
def test_points_that_once_failed_hold(seed: int, number: int, worker: Worker) -> None:
    """Sums in fixed point with zeros, and of tensors that nearly cancel; groups that ended before the pixel did."""
    assert worker.run(drawn(seed, number)).verdict in ("equal", "explained")


def layers() -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """Two quantised layers, and an input."""
    random = np.random.default_rng(5)
    constants = {
        "s": np.float32(0.05), "z": np.int8(3), "w": random.integers(-127, 128, (6, 8)).astype(np.int8),
        "ws": np.float32(0.01), "wz": np.int8(0), "one": np.float32(1),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "s", "z"], ["xr"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wr"]),
        helper.make_node("MatMul", ["xr", "wr"], ["m"]),
        helper.make_node("QuantizeLinear", ["m", "s", "z"], ["mq"]),
        helper.make_node("DequantizeLinear", ["mq", "s", "z"], ["mr"]),
        helper.make_node("Add", ["mr", "mr"], ["a"]),
        helper.make_node("QuantizeLinear", ["a", "s", "z"], ["aq"]),
        helper.make_node("DequantizeLinear", ["aq", "s", "z"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 8])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {"x": random.normal(0, 1, (2, 6)).astype(np.float32)}


def stored(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Tensors that ONNX Runtime stores on the way."""
    seen = onnx.ModelProto()
    seen.CopyFrom(model)
    seen.graph.output.extend(
        helper.make_tensor_value_info(name, kind, None) for name, kind in witnesses.stored_types(model).items()
    )
    return witnesses.outputs_of(seen, inputs, fused=False)


def test_few_points_hold(tmp_path: Path) -> None:
    words = [sys.executable, str(HERE / "soak.py"), "--seed", str(SEED), "--json", "--folder", str(tmp_path)]
    words += [word for number in POINTS for word in ("--only", str(number))]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    summary = json.loads(done.stdout)
    assert summary["written"] == []
    assert done.returncode == 0
    assert summary["equal"] + summary["explained"] > len(POINTS) / 2
    kept = (tmp_path / "points.jsonl").read_text().splitlines()
    assert len(kept) == len(POINTS)
    assert Plan.from_json(json.dumps(json.loads(kept[7])["plan"])) == drawn(SEED, POINTS[7])


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    words = [sys.executable, "-X", "faulthandler", str(HERE / "soak.py")]
    words += ["--points", "100000", "--folder", str(tmp_path)]
    kept, said = tmp_path / "points.jsonl", tmp_path / "said"
    with said.open("w") as to, subprocess.Popen(
        words, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=to, start_new_session=True
    ) as running:  # fmt: skip
        while running.poll() is None and not (kept.exists() and kept.read_text()):
            time.sleep(0.2)
        os.killpg(running.pid, signal.SIGINT)
        try:
            running.wait(timeout=100)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGABRT)  # it says where it hangs
    assert running.returncode == 0, said.read_text()
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["points"] + summary["void"] == len(kept.read_text().splitlines()) > 0


def test_styles_come_in_turn() -> None:
    assert [drawn(1, 4 * model).style for model in range(len(STYLES))] == list(STYLES)


@pytest.mark.parametrize("off", [0, 1, 2])
def test_a_layer_may_be_one_step_away(off: int) -> None:
    model, inputs = layers()
    tensors = stored(model, inputs)
    tensors["mq"] = (tensors["mq"] + np.int8(off)).astype(np.int8)
    at = {"xq": tensors["xq"], "mq": tensors["mq"]}
    outputs = witnesses.outputs_of(_starting_at(model, "mq", tensors["mq"]), {}, fused=False)
    found, compared, steps = witnesses.gaps(model, inputs, at, outputs)
    assert ([gap.tensor for gap in found], compared, steps) == (["mq"] if off > 1 else [], 2, off)


def test_an_output_beside_its_layer_is_seen() -> None:
    model, inputs = layers()
    tensors = stored(model, inputs)
    outputs = {"y": tensors["y"] + np.float32(0.05)}
    assert not witnesses.same(outputs, {"y": tensors["y"]})
    found, _, _ = witnesses.gaps(model, inputs, {name: tensors[name] for name in ("xq", "mq", "aq")}, outputs)
    assert [gap.tensor for gap in found] == ["y"]


def test_stored_integers_are_written_out_in_float() -> None:
    constants = {
        "s": np.float32(0.02), "z": np.uint8(120), "w": np.array([[[[50]], [[-90]]]], np.int8), "ws": np.float32(0.01),
        "wz": np.int8(0), "ys": np.float32(0.05), "yz": np.uint8(100), "b": np.array([700], np.int32),
    }  # fmt: skip
    node = helper.make_node("QLinearConv", ["x", "s", "z", "w", "ws", "wz", "ys", "yz", "b"], ["y"])
    graph = helper.make_graph(
        [node],
        "stored",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 2, 1, 3])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 1, 1, 3])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    x = np.array([[[[0, 120, 255]], [[100, 7, 130]]]], np.uint8)
    sums = (x.astype(int) - 120)[0, 0] * 50 - (x.astype(int) - 120)[0, 1] * 90 + 700
    wanted = np.clip(np.rint(sums * 0.02 * 0.01 / 0.05) + 100, 0, 255)
    assert np.array_equal(witnesses.outputs_of(spelled_out(model), {"x": x}, fused=False)["y"][0, 0], wanted)


def test_failures_are_made_smaller() -> None:
    layer_seeds = tuple((kind, number) for number, kind in enumerate(["conv", "pad", "gemm", "relu", "concat"]))
    plan = Plan(
        3, "brevitas", 17, (1, 8, 6, 6), layer_seeds, 1, "softmax", "scaled", MachinePlan("genesys:07"), "systemc"
    )

    def run(one: Plan) -> Outcome:
        return Outcome("wrong" if any(kind == "pad" for kind, _ in one.layers) else "equal")

    small, _ = shrunk(plan, run(plan), run)
    assert small.layers == (("pad", 1),)
    assert (small.end, small.start, small.shape, small.machine.spec) == ("", "", (1, 1, 1, 1), "genesys")


def test_a_process_that_dies_is_a_failure(worker: Worker) -> None:
    plan = drawn(SEED, 0)
    assert worker.run(plan).verdict in ("equal", "explained")
    worker._process.kill()
    worker._process.join()
    assert worker.run(plan).verdict == "crash"
    assert worker.run(plan).verdict in ("equal", "explained")


def _starting_at(model: onnx.ModelProto, name: str, array: np.ndarray) -> onnx.ModelProto:
    """The model with a stored tensor given."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    maker = next(node for node in made.graph.node if name in node.output)
    maker.output[0] = f"{name} before"
    made.graph.initializer.append(numpy_helper.from_array(array, name))
    del made.graph.input[:]
    kept = [node for node in made.graph.node if not {"x", "xq", "xr", "m"} & set(node.input)]
    del made.graph.node[:]
    made.graph.node.extend(kept)
    return made
