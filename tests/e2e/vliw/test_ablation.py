"""Optimisations of code for packets, left out: values stay, code is what it says, and what each gains is measured."""

from __future__ import annotations

import itertools
import re
import subprocess

import numpy as np
import pytest
from test_bad_input import refused
from test_packets import Layers, outputs_in_qemu

import covenant
from covenant.bench import ablation
from covenant.bench.ablation import FACTORS, ablation_of, crop_to
from covenant.bench.layers import benchmark_layers, compile_layer, cropped_layer, emit_layer, exact_sums
from covenant.compiler.optimisations import Optimisations
from covenant.program.inputs import random_feeds
from covenant.verify.expected import Source, expected_outputs

NOTHING = Optimisations(**dict.fromkeys(FACTORS, False))
MOST_OF_CLANG = 1.25

PRODUCT = """
void product(const signed char *restrict x, const signed char *restrict w, int *restrict y) {
  for (int n = 0; n < 384; n++)
    for (int o = 0; o < 1024; o++) {
      int sum = 0;
      for (int k = 0; k < 1024; k++) sum += x[n * 1024 + k] * w[o * 1024 + k];
      y[n * 1024 + o] = sum;
    }
}
"""


def packets(assembly: str) -> list[list[str]]:
    """Instructions of each packet, nops left out; the end of a hardware loop as one more."""
    found = []
    for body, end in re.findall(r"\{([^{}]*)\}\s*(:endloop\d+)?", re.sub(r"//.*", "", assembly)):
        lines = [line.strip() for line in re.split(r"[;\n]", body)]
        found.append([line for line in lines if line not in ("", "nop")] + ([end] if end else []))
    return found


def instructions_for_a_product(assembly: str) -> float:
    """Instructions for one product, in the innermost loop: from where its hardware loop begins to its end."""
    own = assembly[: assembly.index(":endloop0") + len(":endloop0")]
    begin = re.findall(r"loop0\((\S+?),", own)[-1]
    loop = own[own.rindex(f"\n{begin}") :] if begin.startswith(".") else own[own.index(f"\n{begin[2:].zfill(8)}") :]
    instructions = [one for packet in packets(loop) for one in packet if one != ":endloop0"]
    return len(instructions) / sum("mpyi(" in one for one in instructions)


def test_the_baseline_is_as_good_as_the_scalar_code_of_clang(tmp_path):
    source = tmp_path / "product.c"
    source.write_text(PRODUCT)
    command = ["clang-14", "--target=hexagon", "-mcpu=hexagonv66", "-ffreestanding", "-O2", "-S", "-o", "-", source]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    clang = instructions_for_a_product(theirs)
    ours = instructions_for_a_product(emit_layer("BERT-LG/ATN4-GEMM", "hvx", "asm", optimisations=NOTHING))
    print(f"instructions for a product: {ours} here, {clang} by clang")
    assert clang >= 3
    assert ours <= MOST_OF_CLANG * clang
    # Two loads, whose pointers move on, and a multiplication that adds.
    assert ours == 3


@pytest.mark.parametrize("name", ["DLRM/FC3", "MobileNetV3/CONV2", "ResNet50/CONV1"])
def test_a_packet_has_one_instruction(name):
    text = emit_layer(name, "hvx", "asm", optimisations=NOTHING)
    counts = [len([one for one in packet if not one.startswith(":")]) for packet in packets(text)]
    branches = [packet for packet in packets(text) if any(".new)" in one for one in packet)]
    assert sum(count > 1 for count in counts) == len(branches), "but for branches that count and compare at once"


def test_a_loop_that_turns_does_one_product_of_vectors():
    text = emit_layer("ResNet50/CONV2", "hvx", "asm", optimisations=Optimisations(unroll=False))
    loops = re.findall(r"vrmpy[^{}]*\}\s*:endloop0|:endloop0", text)
    assert loops
    inner = text[: text.index(":endloop0")]
    assert inner[inner.rindex("loop0(") :].count("vrmpy") <= 3, "its first trips, and one in the loop"


@pytest.mark.parametrize("choice", list(itertools.product([True, False], repeat=3)))
def test_models_have_the_bytes_of_the_reference(choice, tmp_path):
    layers = Layers(np.random.default_rng(11), "u8", [1, 5, 8, 8])
    layers.convolution(40, 3, 1, (1, 1, 1, 1))
    layers.convolution(130, 1, 2)
    model, image = layers.save(tmp_path / "model.onnx"), layers.image()
    pack, unroll, pipeline = choice
    optimisations = Optimisations(pack=pack, unroll=unroll, pipeline=pipeline)
    program = covenant.compile(model, "hvx", optimisations=optimisations)
    expected = expected_outputs(model, [{"x": image}], Source.REFERENCE, requant="fixed").outputs[0]
    for name, array in covenant.run(program, {"x": image}).outputs.items():
        assert np.array_equal(array, expected[name])
    in_qemu, on_core = outputs_in_qemu(program, image, tmp_path / "model.elf")
    assert in_qemu == on_core


@pytest.mark.parametrize("name", ["BERT-LG/ATN3-GEMM", "InceptionV3/CONV1", "MobileNetV3/CONV2", "ResNet50/CONV2"])
def test_scalar_code_of_the_table(name):
    (layer,) = [one for one in benchmark_layers() if one.name == name]
    crop = crop_to(layer, layer.macs // 60)
    part = cropped_layer(name, crop)
    assert part.macs <= layer.macs // 50
    program = compile_layer(name, "hvx", optimisations=Optimisations(vectorise=False), crop=crop)
    (feed,) = random_feeds(program, images=1, seed=1)
    (y,) = covenant.run(program, feed).outputs.values()
    assert y.tobytes() == exact_sums(part, feed["x"]).tobytes()


def test_what_each_gains(covenant_command):
    done = covenant_command("bench", "ablation", "-m", "hvx", "--layer", "DLRM/FC3", "--layer", "Mobile*1", "--json")
    assert done.code == 0
    report = done.object
    assert list(report["factors"]) == list(FACTORS)
    assert [row["layer"] for row in report["rows"]] == ["DLRM/FC3", "MobileNetV3/CONV1"]
    assert report["identical"] is True
    assert report["product"] == pytest.approx(np.prod(list(report["factors"].values())))
    for row in report["rows"]:
        assert list(row["cycles"]) == list(row["packets"]) == ["none", *FACTORS]
        assert row["product"] == pytest.approx(row["cycles"]["none"] / row["cycles"]["pipeline"])
        assert row["cropped"] == {}
        assert all(row["cycles"][step] > row["packets"][step] > 0 for step in row["cycles"])


def test_long_layers_are_measured_in_part():
    (layer,) = [one for one in benchmark_layers() if one.name == "BERT-LG/ATN1-GEMM"]
    assert crop_to(layer, layer.macs) == {}
    assert crop_to(layer, layer.macs // 4) == {"heads": 4}
    assert crop_to(layer, layer.macs // 64) == {"heads": 1, "m": 96}
    crop = {"heads": 2, "m": 3}
    x = np.ones((2 * 3, 1024), np.int8)
    whole = exact_sums(layer, np.ones((16 * 384, 1024), np.int8)).reshape(16, 384, 64)
    assert np.array_equal(exact_sums(cropped_layer(layer.name, crop), x).reshape(2, 3, 64), whole[:2, :3])


def test_a_part_stands_for_the_whole(monkeypatch):
    (layer,) = [one for one in benchmark_layers() if one.name == "MobileNetV3/CONV1"]
    whole = ablation_of(layer, covenant.Machine("hvx"))
    assert all(step.cropped == {} and step.scale == 1 for step in whole.values())
    monkeypatch.setattr(ablation, "MOST_MACS", layer.macs // 10)
    part = ablation_of(layer, covenant.Machine("hvx"))
    assert part["none"].cropped == {"output_rows": 11}
    assert part["none"].cycles == pytest.approx(whole["none"].cycles, rel=0.02)
    assert part["none"].packets == pytest.approx(whole["none"].packets, rel=0.001)
    assert part | {"none": None} == whole | {"none": None}
    assert all(step.identical for step in part.values())


def test_what_cannot_be_left_out(covenant_command, tmp_path):
    layers = Layers(np.random.default_rng(1), "u8", [1, 16])
    layers.product(16)
    model = layers.save(tmp_path / "m.onnx")
    run = ("run", model, "-m", "hvx", "--json")
    error = refused(covenant_command(*run, "--no-vectorise"), "CDL0040")
    assert "REQUANT" in error["offending"]
    assert covenant_command(*run, "--no-pack", "--no-unroll", "--no-pipeline").code == 0
    error = refused(
        covenant_command("compile", model, "-m", "genesys", "--no-pack", "-o", "m.cprog", "--json"), "GEN0060"
    )
    assert error["offending"] == "pack"
    refused(covenant_command("bench", "ablation", "-m", "genesys", "--layer", "DLRM/FC4", "--json"), "GEN0060")
    for program in ("m.cprog", "m.elf"):
        assert covenant_command("compile", model, "-m", "hvx", "-o", tmp_path / program).code == 0
    refused(covenant_command("run", tmp_path / "m.cprog", "--no-unroll", "--json"), "CLI0008")
    refused(covenant_command("run", tmp_path / "m.elf", "-m", "hvx", "--no-unroll", "--json"), "CLI0008")
