"""`covenant compile --emit embeddings`: its texts can be read again, it checks those of the user, and hides nothing."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import model_of
from onnx import TensorProto, helper

import covenant
from covenant import zoo
from covenant.compiler.embeddings import (
    MOST_NODES,
    RELAXATIONS,
    EmbeddingRules,
    benchmark_embeddings,
    embeddings,
)

MODEL = model_of("qdq")
STEM = "ResNet50/CONV1"
ARRAY = "genesys:03"
"""An array of 16 x 16."""


def show(command, *arguments, machine="genesys:03"):
    done = command("compile", "-m", machine, "--emit", "embeddings", *arguments, "--json")
    assert done.code == 0, done.error
    return done.object


def refused(done, code, *words):
    assert done.code == 2, done.out
    error = done.object["error"]
    assert error["code"] == code
    assert error["fix"]
    for word in words:
        assert word in done.error
    return error


def test_a_layer_of_the_table_is_shown(covenant_command):
    found = show(covenant_command, "--layer", STEM)
    assert found["relaxations"] == list(RELAXATIONS)
    assert found["most_nodes"] == MOST_NODES == 4_000_000
    (layer,) = found["layers"]
    assert layer["types"] == "i8, i8 -> i32"
    assert {axis["name"]: axis["extent"] for axis in layer["axes"] if axis["reduction"]} == {"ic": 3, "kh": 7, "kw": 7}
    assert layer["instances"] == 112 * 112 * 64 * 147
    (one,) = layer["instructions"]
    assert (one["compute"], one["instruction"], one["instances"]) == ("SA", "GEMM rows 1 columns 16 inner 16", 256)
    assert one["complete"]
    assert one["nodes"] > 0
    assert one["found"] > len(one["embeddings"]) == 3
    best = one["embeddings"][0]
    assert best["steps"] <= 4 * 112 * 112 * 10
    assert best["utilisation"] == pytest.approx(layer["instances"] / 256 / best["steps"])
    assert [operand["tensor"] for operand in best["operands"][-1:]] == ["y"]
    weights = next(operand for operand in best["operands"] if operand["constant"])
    assert weights["elements"] == 147 * 64
    assert weights["packed_elements"] >= weights["elements"]


def test_how_many_are_shown_is_said(covenant_command):
    command = ("compile", "--layer", STEM, "-m", ARRAY, "--emit", "embeddings")
    some = covenant_command(*command)
    assert some.code == 0
    (one,) = show(covenant_command, "--layer", STEM)["layers"][0]["instructions"]
    assert f"3 of {one['found']:,} shown; --all shows all" in some.out
    whole = covenant_command(*command, "--all").out
    assert "shown" not in whole
    assert whole.count("% used") == one["found"]
    (every,) = show(covenant_command, "--layer", STEM, "--all")["layers"][0]["instructions"]
    assert len(every["embeddings"]) == every["found"] == one["found"]
    assert every["embeddings"][:3] == one["embeddings"]
    steps = [embedding["steps"] for embedding in every["embeddings"]]
    assert steps == sorted(steps)


def test_a_layer_of_a_model_is_shown(covenant_command):
    found = show(covenant_command, MODEL, "--layer", "conv1")
    assert [layer["layer"] for layer in found["layers"]] == ["conv1"]
    every = show(covenant_command, MODEL)
    assert next(layer for layer in every["layers"] if layer["layer"] == "conv1") == found["layers"][0]
    for layer in every["layers"]:
        assert layer["workload"]
        assert layer["diagnostic"] is None
    refused(covenant_command("compile", MODEL, "-m", ARRAY, "--emit", "embeddings", "--layer", "no", "--json"),
            "GEN0041", "conv1")  # fmt: skip


def test_the_text_of_a_network_is_shown_too(covenant_command, tmp_path):
    text = tmp_path / "digits.network"
    text.write_text(covenant_command("compile", MODEL, "-m", ARRAY, "--emit", "network").out)
    assert show(covenant_command, text, "--layer", "conv2")["layers"][0]["instructions"][0]["found"] > 0


def test_it_goes_to_a_file(covenant_command, tmp_path):
    path = tmp_path / "embeddings.txt"
    done = covenant_command("compile", MODEL, "-m", ARRAY, "--stop-after", "embeddings", "-o", path)
    assert done.code == 0
    assert (
        path.read_text().rstrip()
        == covenant_command("compile", MODEL, "-m", ARRAY, "--emit", "embeddings").out.rstrip()
    )
    program = tmp_path / "digits.cprog"
    assert covenant_command("compile", MODEL, "-m", ARRAY, "--emit", "embeddings", "-o", program).code == 0
    assert program.is_file()


def test_strict_rules_that_admit_none_name_the_axis_and_a_relaxation(covenant_command):
    (one,) = show(covenant_command, "--layer", STEM, "--relaxations", "none")["layers"][0]["instructions"]
    assert (one["found"], one["complete"], one["embeddings"]) == (0, True, [])
    assert one["diagnostic"]["code"] == "EMB0010"
    assert one["diagnostic"]["offending"] == "inner 16"
    assert one["diagnostic"]["fix"] == "allow pad"
    done = covenant_command("compile", "--layer", STEM, "-m", ARRAY, "--emit", "embeddings", "--relaxations", "none")
    assert "error[EMB0010]" in done.out
    assert "fix: allow pad" in done.out
    some = show(covenant_command, "--layer", STEM, "--relaxations", "pad, exchange", "--all")
    (one,) = some["layers"][0]["instructions"]
    assert some["relaxations"] == ["pad", "exchange"]
    assert one["found"]
    assert all(set(found["relaxations"]) <= {"pad", "exchange"} for found in one["embeddings"])


def test_a_search_that_is_given_up_says_so(covenant_command):
    (one,) = show(covenant_command, "--layer", STEM, "--most-nodes", "100")["layers"][0]["instructions"]
    assert not one["complete"]
    assert one["nodes"] == 100
    assert one["diagnostic"]["code"] == "EMB0012"
    done = covenant_command("compile", "--layer", STEM, "-m", ARRAY, "--emit", "embeddings", "--most-nodes", "100")
    assert "there may be others" in done.out
    assert "error[EMB0012]" in done.out


def test_a_text_of_the_user_is_checked(covenant_command):
    text = "columns: oc*16 | inner: ic*3 kw*5"
    found = show(covenant_command, "--layer", STEM, "--embedding", text)
    (checked,) = found["layers"][0]["instructions"][0]["checked"]
    assert checked["text"] == checked["embedding"]["text"] == text
    assert checked["embedding"]["relaxations"] == ["pad", "fuse", "unroll"]
    done = covenant_command("compile", "--layer", STEM, "-m", ARRAY, "--emit", "embeddings", "--embedding", text)
    assert f"ok: {text}" in done.out
    # Several at once: one line each.
    several = ("--embedding", "columns: oc*8 | inner: -", "--embedding", "columns: - | inner: kh*7")
    assert len(show(covenant_command, "--layer", STEM, *several)["layers"][0]["instructions"][0]["checked"]) == 2


def test_a_text_that_is_no_embedding_has_a_witness(covenant_command):
    command = ("compile", "--layer", STEM, "-m", ARRAY, "--emit", "embeddings", "--json", "--embedding")
    witness = "instances 0 and 1 of 'columns' must share an element of x, and do not"
    error = refused(covenant_command(*command, "columns: oh*16 | inner: -"), "EMB0011", witness)
    assert error["offending"].startswith("x[")
    assert error["subject"] == "GEMM rows 1 columns 16 inner 16"
    refused(covenant_command(*command, "oc*16 | ic*16"), "EMB0011", "columns:", "inner:")
    refused(covenant_command(*command, "columns: oc*17 | inner: -"), "EMB0011")
    # The first text holds, the second does not.
    refused(covenant_command(*command, "columns: oc*16 | inner: -", "--embedding", ""), "EMB0011")


def test_of_several_instructions_one_may_take_a_text(covenant_command):
    text = "lanes: ow*32 | inner: ic*3"
    *_, layer = show(covenant_command, "--layer", STEM, "--embedding", text, machine="hvx")["layers"]
    taken = {one["instruction"]: one["checked"][0]["embedding"] for one in layer["instructions"]}
    assert [instruction for instruction, embedding in taken.items() if embedding] == ["GEMM lanes 32 inner 4"]
    for one in layer["instructions"]:
        if not taken[one["instruction"]]:
            assert one["checked"][0]["diagnostic"]["code"] == "EMB0011"
    done = covenant_command("compile", "--layer", STEM, "-m", "hvx", "--emit", "embeddings", "--embedding", text)
    assert f"ok: {text}" in done.out
    assert f"no embedding: {text}" in done.out


def test_relaxations_that_there_are_not(covenant_command):
    for command in (
        ("compile", "--layer", STEM, "-m", ARRAY, "--emit", "embeddings"),
        ("bench", "deepbench", "-m", ARRAY, "--embeddings"),
    ):
        error = refused(covenant_command(*command, "--relaxations", "pad,lion", "--json"), "EMB0013")
        assert error["offending"] == "lion"
        assert error["allowed"] == list(RELAXATIONS)
    with pytest.raises(covenant.CovenantError) as wrong:
        EmbeddingRules(("pad", ""))
    assert wrong.value.code == "EMB0013"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--emit", "tile", "--relaxations", "pad"),
        ("--emit", "tile", "--all"),
        ("-o", "x.cprog", "--most-nodes", "5"),
        ("-o", "x.cprog", "--embedding", "columns: oc*16 | inner: ic*16"),
        ("--explain-schedule", "conv1", "--all"),
        ("--emit", "embeddings", "--embedding", "columns: oc*16 | inner: ic*16"),  # of several layers
        ("--emit", "embeddings", "--layer", "conv1", "--embedding", "columns: oc*16 | inner: -", "--all"),
        ("--emit", "embeddings", "--layer", "conv1", "--embedding", "columns: oc*16 | inner: -", "--most-nodes", "5"),
        ("--emit", "embeddings", "--profile", "x"),
        ("--emit", "embeddings", "--schedule", "x"),
    ],
)
def test_options_that_contradict_each_other(covenant_command, arguments):
    refused(covenant_command("compile", MODEL, "-m", ARRAY, *arguments, "--json"), "CLI0008")


def test_bad_numbers_and_words(covenant_command):
    command = ("compile", MODEL, "-m", ARRAY, "--json", "--emit")
    refused(covenant_command(*command, "embeddings", "--most-nodes", "0"), "CLI0001")
    refused(covenant_command("bench", "deepbench", "-m", ARRAY, "--relaxations", "pad", "--json"), "CLI0008")
    # A mistyped pass lists this one, too.
    assert "embeddings" in refused(covenant_command(*command, "embedings"), "GEN0030")["allowed"]


def test_rules_of_the_benchmark(covenant_command):
    name = "server/conv/1x3x224x224-64-7x7-2x2-pad3x3"
    command = ("bench", "deepbench", "-m", ARRAY, "--embeddings", "--layer", name, "--json")
    strict = covenant_command(*command, "--relaxations", "none").object
    assert strict["relaxations"] == []
    assert strict["rows"][0]["embeddings"] == 0
    some = covenant_command(*command, "--relaxations", "pad,fuse").object["rows"][0]
    assert 0 < some["embeddings"] < covenant_command(*command).object["rows"][0]["embeddings"]
    assert not covenant_command(*command, "--most-nodes", "50").object["rows"][0]["complete"]


def test_a_machine_without_the_instruction_says_so(covenant_command):
    done = covenant_command("compile", "--layer", STEM, "-m", "paper_fig8", "--emit", "embeddings")
    assert done.code == 0, done.error
    assert "no instruction of paper_fig8 computes this function on these types" in done.out


# ---- files of the user

MACHINE = """acg mine {{
  memory BUF {{ data_width = 32; banks = 16; depth = 1024; }}
  compute PE {{ unit = described; (i32,{columns}) = GEMM((i8,{inner}),(i8,{inner},{columns}),(i32,{columns})); }}
  edge BUF <-> PE;
}}
"""


def test_a_described_machine_of_the_user(covenant_command, tmp_path):
    """A machine that nothing compiles for yet: its capability is enough."""
    path = tmp_path / "mine.acg"
    path.write_text(MACHINE.format(columns=21, inner=7))
    (one,) = show(covenant_command, "--layer", STEM, machine=path)["layers"][0]["instructions"]
    assert one["instruction"] == "GEMM rows 1 columns 21 inner 7"
    assert one["found"]


def test_a_capability_whose_operands_share_no_axis_is_refused_when_it_is_read(covenant_command, tmp_path):
    path = tmp_path / "mine.acg"
    path.write_text(MACHINE.format(columns=16, inner=16).replace("(i8,16),", "(i8,12),"))
    for command in (("show", path), ("compile", "--layer", STEM, "-m", path, "--emit", "embeddings")):
        error = refused(covenant_command(*command, "--json"), "ACG0067", "mine.acg:3:")
        assert error["offending"] == "(16) = GEMM((12),(16,16),(16))"
        assert error["allowed"]


CODELET = """cdlt total implements "Sum" {{
  P=param(); C=param(); LOWEST=param(); HIGHEST=param(); ZERO=param();
  a=inp([P,C],null,null);
  b=inp([P,C],null,null);
  y=out([P,C],null,null);
  first=local([P,C],f32,null);
  second=local([P,C],f32,null);
  both=local([P,C],f32,null);
  again=local([P,C],f32,null);
  loop p(P) {{
    loop c(C) {{
      first[p,c]=compute(null,"DEQUANTIZE",a[p,c],f32(1.0),ZERO);
      second[p,c]=compute(null,"DEQUANTIZE",b[p,c],f32(1.0),ZERO);
      both[p,c]=compute(null,"ADD",first[p,c],second[p,c]);
      loop k({outer}) {{
        loop l({inner}) {{
          again[p,c]=compute(null,"REDUCE_SUM",both[p,c]);
        }}
      }}
      y[p,c]=compute(null,"QUANTIZE",again[p,c],f32(1.0),f32(0),zero_point=ZERO,lowest=LOWEST,highest=HIGHEST);
    }}
  }}
}}
"""


def sum_model(path, shape):
    """Sum of two quantised tensors."""
    scale = onnx.numpy_helper.from_array(np.array(0.05, np.float32), "scale")
    zero = onnx.numpy_helper.from_array(np.array(0, np.int8), "zero")
    nodes = [helper.make_node("Sum", ["a_real", "b_real"], ["y_real"], name="total")]
    for name in ("a", "b"):
        nodes.insert(0, helper.make_node("DequantizeLinear", [f"{name}_q", "scale", "zero"], [f"{name}_real"]))
        nodes.insert(0, helper.make_node("QuantizeLinear", [name, "scale", "zero"], [f"{name}_q"]))
    nodes.append(helper.make_node("QuantizeLinear", ["y_real", "scale", "zero"], ["y_q"]))
    nodes.append(helper.make_node("DequantizeLinear", ["y_q", "scale", "zero"], ["y"]))
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("a", "b", "y")}
    graph = helper.make_graph(nodes, "total", [values["a"], values["b"]], [values["y"]], [scale, zero])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
    return path


@pytest.fixture
def emit_with(covenant_command, tmp_path):
    """Embeddings of a model with an operator whose codelet is the user's: it sums 64 elements again and again."""

    def emit(outer, inner, *arguments):
        (tmp_path / "codelets").mkdir(exist_ok=True)
        (tmp_path / "codelets/total.cdlt").write_text(CODELET.format(outer=outer, inner=inner))
        model = sum_model(tmp_path / "total.onnx", [1, 4, 16])
        command = ("compile", model, "-m", ARRAY, "--library", tmp_path / "codelets", "--emit", "embeddings", "--json")
        return covenant_command(*command, *arguments)

    return emit


def test_extents_past_31_bits_work(emit_with):
    (layer,) = emit_with(6_000_000_000, 1).object["layers"]
    assert layer["workload"] == "again[p,c] = REDUCE_SUM(both[p,c])"
    extents = {axis["name"]: axis["extent"] for axis in layer["axes"]}
    assert extents == {"p": 4, "c": 16, "k": 6_000_000_000, "l": 1}
    best = layer["instructions"][0]["embeddings"][0]
    assert (best["text"], best["steps"], best["utilisation"]) == ("lanes: c*16", 24_000_000_000, 1)
    checked = emit_with(1 << 39, 1 << 17, "--embedding", "lanes: p*2 c*8").object["layers"][0]["instructions"][0]
    assert checked["checked"][0]["embedding"]["steps"] == 4 << 56


def test_instances_past_62_bits_are_refused(emit_with):
    assert emit_with(1 << 39, 1 << 17).object["layers"][0]["instances"] == 1 << 62
    error = refused(emit_with(1 << 39, 1 << 18), "EMB0002", "total.cdlt:")
    assert error["offending"] == str(1 << 18)
    assert error["allowed"] == ["at most 2^62 in all"]


def test_a_text_for_a_codelet_of_the_user(emit_with):
    refused(emit_with(2, 3, "--embedding", "lanes: k*2"), "EMB0011", "must not share an element of")
    refused(emit_with(2, 3, "--embedding", "lanes: q*2"), "EMB0011", "allowed: p, c, k, l")


# ---- a property of all networks


@pytest.mark.parametrize("machine", ["genesys:03", "genesys:07", "hvx"])
@pytest.mark.parametrize("network", ["squeezenet", "shufflenet", "dlrm_top"])
def test_what_is_found_in_networks_of_the_zoo_can_be_read_again(network, machine):
    path = zoo.get(network)
    seen = set()
    count = 0
    for layer in embeddings(path, machine, shown=300):
        sizes = (layer.workload, *((axis.name, axis.extent) for axis in layer.axes))
        if layer.diagnostic or sizes in seen:
            continue
        seen.add(sizes)
        texts = [embedding.text for one in layer.instructions for embedding in one.embeddings]
        (again,) = embeddings(path, machine, layer=layer.layer, texts=texts)
        for one, same in zip(layer.instructions, again.instructions, strict=True):
            read = {checked.text: checked.embedding for checked in same.checked}
            assert [read[embedding.text] for embedding in one.embeddings] == list(one.embeddings)
            count += len(one.embeddings)
    print(f"{network} on {machine}: {count} embeddings of {len(seen)} workloads")
    assert count > 20


def test_every_embedding_of_a_large_layer_can_be_read_again():
    (layer,) = benchmark_embeddings(STEM, "genesys:07")
    (one,) = layer.instructions
    texts = [embedding.text for embedding in one.embeddings]
    assert len(set(texts)) == one.found
    (again,) = benchmark_embeddings(STEM, "genesys:07", texts=texts)
    assert [checked.embedding for checked in again.instructions[0].checked] == list(one.embeddings)
