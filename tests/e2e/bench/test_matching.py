"""Table 1 of Huang, Lyubomirsky et al.: what three machines take of six networks."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from covenant.bench.matching import NETWORKS, network
from covenant.cli import main
from covenant.errors import CovenantError
from covenant.matching import match, match_terms, terms_of

# Exact and flexible: FlexASR, HLSCNN, VTA. The notes of PUBLISHED say where the paper counts otherwise.
TABLE = {
    "efficientnet": ((0, 35), (35, 35), (0, 35)),
    "lstm_language_model": ((1, 2), (0, 0), (36, 36)),
    "mobilenet_v2": ((0, 41), (40, 40), (1, 41)),
    "resmlp": ((0, 38), (0, 0), (38, 38)),
    "resnet_20": ((1, 22), (21, 21), (2, 22)),
    "transformer": ((0, 66), (0, 0), (66, 66)),
}


def test_table_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "matching", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["right"]
    rows = {(row["network"], row["machine"]): row for row in said["rows"]}
    assert len(rows) == len(said["rows"]) == 18
    for name, numbers in TABLE.items():
        for machine, (exact, flexible) in zip(("flexasr", "hlscnn", "vta"), numbers, strict=True):
            row = rows[name, machine]
            assert (row["exact"], row["flexible"]) == (exact, flexible), (name, machine)
            assert row["expected"] == [exact, flexible]
            assert row["stop"] == "saturated"
            assert row["at_least"] <= row["cost"]


def test_the_lstm_is_one_invocation_of_566_operators() -> None:
    found = match(network("lstm_layer"), "flexasr", flexible=False)
    assert found.intrinsics == {"linear": 0, "maxpool": 0, "lstm": 1}
    assert found.cost < 1000  # nothing else is left but movements


def pool(kernel: int, stride: int, size: int) -> onnx.ModelProto:
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[kernel] * 2, strides=[stride] * 2)
    outputs = (size - kernel) // stride + 1
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, one, one]) for name, one in
              (("x", size), ("y", outputs))]  # fmt: skip
    return helper.make_model(helper.make_graph([node], "pool", values[:1], values[1:]), ir_version=8,
                             opset_imports=[helper.make_opsetid("", 17)])  # fmt: skip


@pytest.mark.parametrize(("kernel", "stride", "size", "times"), [(4, 2, 128, 4), (2, 2, 16, 2), (8, 4, 64, 6)])
def test_a_pool_is_stored_and_loaded_once(kernel: int, stride: int, size: int, times: int) -> None:
    """Figure 7: four invocations, which leave what the next one takes, in place of four stores and four loads."""
    found = match(pool(kernel, stride, size), "flexasr")
    assert found.intrinsics == {"linear": 0, "maxpool": times, "lstm": 0}
    assert (found.stores, found.loads) == (1, 1)
    outputs = ((size - kernel) // stride + 1) ** 2
    assert found.moved == outputs * kernel**2 + outputs
    assert match(pool(kernel, stride, size), "flexasr", flexible=False).intrinsics["maxpool"] == 0


def test_a_pool_of_odd_windows_stays_on_the_host() -> None:
    assert match(pool(3, 3, 18), "flexasr").intrinsics == {"linear": 0, "maxpool": 0, "lstm": 0}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_on_each_run(name: str) -> None:
    terms = terms_of(network(name))
    first, second = (match_terms(terms, "vta") for _ in range(2))
    assert (first.intrinsics, first.cost, first.nodes) == (second.intrinsics, second.cost, second.nodes)


def test_a_machine_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """acg mine {
  port bus { address = 8; data = 8; }
  state x : u8 = 0;
  instruction set on bus { fields { v : u8 at 0; } decode = write; update { x = v; } }
  instruction get on bus { decode = read; update { reply = x; } }
  intrinsic act : real { computes = "(relu (add ?a ?b))"; }
}"""
    path = tmp_path / "mine.acg"
    path.write_text(text)
    assert main(["bench", "matching", "-m", str(path), "--only", "resnet_20", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["exact"], row["flexible"], row["expected"]) == (9, 9, None)
    path.write_text(text.replace("(relu (add ?a ?b))", "(relu (add ?a ?b)"))
    assert main(["bench", "matching", "-m", str(path), "--only", "resnet_20"]) == 2
    said = capsys.readouterr().err
    assert "MAT0001" in said
    assert f"{path}:6:13" in said


def test_machines_without_intrinsics_are_refused() -> None:
    with pytest.raises(CovenantError) as error:
        match(network("resnet_20"), "examples/10_commands/dot.acg")
    assert error.value.diagnostic.code == "MAT0010"


def test_other_networks_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "matching", "--only", "resnet"]) == 2
    assert "resnet_20" in capsys.readouterr().err


@pytest.fixture
def mobilenet(tmp_path: Path) -> str:
    path = tmp_path / "mobilenet.onnx"
    onnx.save(network("mobilenet_v2"), str(path))
    return str(path)


def test_explained(mobilenet: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", mobilenet, "-m", "flexasr", "--matching", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["exact"]["intrinsics"]["linear"] == 0
    assert said["flexible"]["intrinsics"]["linear"] == 41
    assert said["needed"]["conv_is_dot"] == {"linear": 40}  # the 41st is a linear layer already
    assert said["needed"]["bias_of_zeros"] == {"linear": 40}
    assert "lstm_cell" not in said["needed"]
    assert said["flexible"]["host"]["conv"] == 17  # of one channel in a group
    assert said["flexible"]["host"]["BatchNormalization"] == 57
    assert main(["explain", mobilenet, "-m", "flexasr", "--matching"]) == 0
    assert "40 linear" in capsys.readouterr().out


def test_a_model_of_no_fixed_shape_is_left_to_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = pool(4, 2, 128)
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "rows"
    path = tmp_path / "pool.onnx"
    onnx.save(model, str(path))
    assert main(["explain", str(path), "-m", "flexasr", "--matching", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["flexible"]
    assert said["intrinsics"]["maxpool"] == 0
    assert said["host"] == {"MaxPool": 1}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-m", "genesys:8x8"], "BEH0014"),
        (["-m", "examples/10_commands/dot.acg"], "MAT0010"),
        (["-m", "flexasr", "--set", "overflow=signed"], "CLI0008"),
    ],
)
def test_mistakes_are_told(mobilenet: str, arguments: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", mobilenet, *arguments, "--matching", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def model_of(
    nodes: list[onnx.NodeProto], shapes: dict[str, list[int]], output: list[int], element: int = TensorProto.FLOAT
) -> onnx.ModelProto:
    """A model whose last node makes `y`."""
    inputs = [helper.make_tensor_value_info(name, element, shape) for name, shape in shapes.items()]
    outputs = [helper.make_tensor_value_info("y", element, output)]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    return helper.make_model(helper.make_graph(nodes, "model", inputs, outputs), ir_version=8, opset_imports=opsets)


GEMM = {"x": [4, 8], "w": [16, 8], "b": [16]}
TURNED = {"x": [2, 3, 8], "t": [16, 8], "b": [16]}
ROWS = {"x": [2, 3, 8], "w": [8, 16], "b": [16]}


@pytest.mark.parametrize(
    ("nodes", "shapes", "output", "counts"),
    [
        (["Gemm x,w,b transB=1"], GEMM, [4, 16], (1, {})),
        (["Gemm x,w,b"], GEMM | {"w": [8, 16]}, [4, 16], (1, {})),
        (["Gemm x,w,b transB=1"], GEMM | {"b": [1]}, [4, 16], (1, {"add": 1})),
        (["Gemm x,w,b transB=1"], GEMM | {"b": [4, 1]}, [4, 16], (1, {"add": 1})),
        (["MatMul x,w"], ROWS, [2, 3, 16], (1, {})),
        (["MatMul x,w>p", "Add p,b"], ROWS, [2, 3, 16], (1, {})),
        (["Transpose t>w perm=1,0", "MatMul x,w>p", "Add b,p"], TURNED, [2, 3, 16], (1, {})),
        (["MatMul x,w"], {"x": [2, 3, 8], "w": [2, 8, 16]}, [2, 3, 16], (0, {"MatMul": 1})),
        (["mine.Unsqueeze x>u", "Relu u"], {"x": [4, 8]}, [4, 8], (0, {"Relu": 1, "Unsqueeze": 1})),
    ],
)  # fmt: skip
def test_ways_to_write_a_linear_layer(
    nodes: list[str], shapes: dict[str, list[int]], output: list[int], counts: tuple[int, dict[str, int]]
) -> None:
    made = []
    for number, text in enumerate(nodes):
        kind, operands, *attributes = text.split()
        names, _, result = operands.partition(">")
        values = {
            name: [int(one) for one in value.split(",")] for name, value in (one.split("=") for one in attributes)
        }
        domain, _, operator = kind.rpartition(".")
        made.append(
            helper.make_node(
                operator, names.split(","), [result or "y"], f"n{number}", domain=domain,
                **{name: value if name == "perm" else value[0] for name, value in values.items()},
            )
        )  # fmt: skip
    found = match(model_of(made, shapes, output), "flexasr")
    assert (found.intrinsics["linear"], found.host) == counts


def test_whole_numbers_are_not_matched() -> None:
    model = model_of([helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)], {"x": [4, 8], "w": [16, 8]}, [4, 16],
                     element=TensorProto.INT32)  # fmt: skip
    assert match(model, "flexasr").intrinsics["linear"] == 0


@pytest.mark.parametrize(
    ("computes", "where", "code"),
    [
        ("(relu ?a)", "is_matrix(?a); rule evil : exact (relu ?x) => ?x", "MAT0001"),
        ("(softmax ?a)", "", "MAT0005"),
        ("(relu ?a ?b)", "", "MAT0005"),
        ("(reshape ?a [?k])", "", "MAT0005"),
        ("(relu ?a)", "is_odd(?a)", "MAT0003"),
        ("(relu ?a)", "is_matrix(?b)", "MAT0002"),
    ],
)
def test_intrinsics_that_are_wrong_are_told(computes: str, where: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.acg"
    path.write_text(f"""acg mine {{
  port bus {{ address = 8; data = 8; }}
  state x : u8 = 0;
  instruction set on bus {{ fields {{ v : u8 at 0; }} decode = write; update {{ x = v; }} }}
  instruction get on bus {{ decode = read; update {{ reply = x; }} }}
  intrinsic act : real {{ computes = "{computes}"; {f'where = "{where}";' if where else ""} }}
}}""")
    with pytest.raises(CovenantError) as error:
        match(pool(2, 2, 8), str(path))
    said = error.value.diagnostic
    assert (said.code, said.where) == (code, f"{path}:6:13")


def test_a_model_whose_operands_do_not_fit_is_refused() -> None:
    conv = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3])
    with pytest.raises(CovenantError) as error:
        match(model_of([conv], {"x": [1, 3, 8, 8], "w": [4, 2, 3, 3]}, [1, 4, 6, 6]), "hlscnn")
    assert error.value.diagnostic.code == "MAT0011"


def test_operations_that_there_are_not_are_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.acg"
    path.write_text((Path(__file__).parents[3] / "examples/10_commands/dot.acg").read_text().rstrip().rstrip("}")
                    + 'intrinsic act : real { computes = "(softmax ?a)"; }\n}\n')  # fmt: skip
    with pytest.raises(CovenantError) as error:
        match(pool(2, 2, 8), str(path))
    assert error.value.diagnostic.code == "MAT0005"
    assert error.value.diagnostic.offending == "softmax"


@pytest.mark.parametrize(("kind", "count"), [("Conv", 1500), ("Gemm", 2000), ("Add", 3000)])
def test_deep_models_are_matched_whole(kind: str, count: int) -> None:
    """Costs of trees that double with each layer, rules found a thousand times in an iteration, chains of thousands."""
    values = ["x", *(f"v{number}" for number in range(count - 1)), "y"]
    weights = {"Conv": [4, 4, 1, 1], "Gemm": [4, 4], "Add": [4, 4]}[kind]
    shape = [1, 4, 2, 2] if kind == "Conv" else [4, 4]
    attributes = {"Conv": {"kernel_shape": [1, 1]}, "Gemm": {"transB": 1}, "Add": {}}[kind]
    nodes = [
        helper.make_node(kind, [before, before if kind == "Add" else "w"], [after], **attributes)
        for before, after in itertools.pairwise(values)
    ]
    shapes = {"x": shape} if kind == "Add" else {"x": shape, "w": weights}
    found = match(model_of(nodes, shapes, shape), "vta")
    assert found.stop == "saturated"
    assert found.intrinsics["dense"] == (0 if kind == "Add" else count)
    assert found.host == ({"add": count} if kind == "Add" else {})
