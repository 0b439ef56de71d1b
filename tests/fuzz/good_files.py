"""Good files of every kind that `covenant` reads: those of the repository, and those that it makes of them."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from covenant.cli import main

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples/01_digits"
PEBBLE = ROOT / "examples/02_your_machine/pebble.acg"
"""A machine of few words: its programs are short."""
ALL_WORDS = Path(__file__).with_name("all_words.acg")
COMMANDED = [*(ROOT / "acg/machines" / f"{name}.acg" for name in ("flexasr", "hlscnn", "vta")),
             ROOT / "examples/10_commands/dot.acg", ALL_WORDS]  # fmt: skip
"""Machines that a host drives."""

ENERGY = {
    "ERT": {
        "version": 0.4,
        "tables": [
            {
                "name": "system.IBUF[0..15]",
                "actions": [{"name": "read", "energy": 1.5}, {"name": "write", "energy": 2.5}],
            },
            {"name": "DRAM", "actions": {"read": [{"arguments": {}, "energy": 100}]}},
        ],
    }
}
HARDWARE = {
    "ARRAY_N": 16, "ARRAY_M": 16, "WGT_DATA_WIDTH": 8, "ACT_DATA_WIDTH": 8, "BIAS_WIDTH": 32, "ACC_WIDTH": 32,
    "IBUF_CAPACITY_BITS": 262144, "WBUF_CAPACITY_BITS": 262144, "OBUF_CAPACITY_BITS": 524288,
    "BBUF_CAPACITY_BITS": 16384, "SIMD_VMEM_CAPACITY_BITS": 524288, "INST_MEM_CAPACITY_BITS": 8192,
    "INST_MEM_AXI_DATA_WIDTH": 64, "IBUF_AXI_DATA_WIDTH": 128, "PARAMBUF_AXI_DATA_WIDTH": 64,
    "OBUF_AXI_DATA_WIDTH": 128, "SIMD_INST_MEM_ADDR_WIDTH": 8, "SIMD_AXI_DATA_WIDTH": 128,
}  # fmt: skip
STUDY = """name = "few"
memory = ["fixed", "ddr4_2400"]
[[models]]
model = "{model}"
data = "{data}"
metric = "top1"
images = 2
[[machines]]
machine = "genesys"
parameters = {{ M = [4, 8], N = "M", axi = [64, 256] }}
[objectives]
cycles = "min"
accuracy = "max"
"""
COMMANDS = """W 0x80000000 0x0102030405060708090A0B0C0D0E0F10
W 0x80000040 0
W 0x80000100 0x1000100010000000000000140
W 0x80000110 0xB
W 0x8 2
W 0xC 0x100
W 0x0 1
Q
R 0x80000040
"""
"""A load of a vector for VTA, its end, and a read."""
ASSEMBLY = """write_dram offset=0x100 bytes=0x1234
set_insn_base value=0x100
set_insn_count value=0x1 # words
start value=0x1
.wait
read_dram offset=0x100 .expect=0x1234
.raw W 0x4 0x4d
.raw R 4 .expect=0
"""
WORDS = """load_inp pop_next=1 push_prev=1 sram=0x1234 base=-0 x_stride=25699 y_pad0=5 .raw=0x3400000000000000
gemm
finish
alu use_imm=1 imm=-3 # a comment
"""
CODELET = """cdlt total implements "Sum" {
  P=param(); C=param(); LOWEST=param(); HIGHEST=param(); ZERO=param();
  a=inp([P,C],null,null);
  b=inp([P,C],null,null);
  y=out([P,C],null,null);
  first=local([P,C],f32,null);
  second=local([P,C],f32,null);
  both=local([P,C],f32,null);
  loop p(P) {
    loop c(C) {
      first[p,c]=compute(null,"DEQUANTIZE",a[p,c],f32(1.0),ZERO);
      second[p,c]=compute(null,"DEQUANTIZE",b[p,c],f32(1.0),ZERO);
      both[p,c]=compute(null,"ADD",first[p,c],second[p,c]);
      y[p,c]=compute(null,"QUANTIZE",both[p,c],f32(1.0),f32(0),zero_point=ZERO,lowest=LOWEST,highest=HIGHEST);
    }
  }
}
"""


def make_good_files(folder: Path) -> None:
    """Writes them into a folder for each reader; `kit` has what their commands take beside them."""
    shutil.rmtree(folder, ignore_errors=True)
    kit = folder / "kit"
    kit.mkdir(parents=True)
    onnx.save(_layers("Conv"), kit / "small.onnx")
    onnx.save(_layers("Sum"), kit / "sum.onnx")
    images = np.load(DIGITS / "digits_test.npz")
    some = {name: images[name][:3] for name in images.files}
    np.savez(kit / "calibration.npz", **{name: some[name] for name in some if name != "labels"})
    (kit / "stdin.bin").write_bytes(bytes(range(256)) * 40)
    _put(folder, "onnx", kit / "small.onnx", kit / "sum.onnx", *DIGITS.glob("digits_q*.onnx"))
    _put(folder, "float", DIGITS / "digits_float.onnx")
    _put(folder, "machine", *(ROOT / "acg/machines").glob("*.acg"), *(ROOT / "examples/02_your_machine").glob("*.acg"))
    _put(folder, "behaviour", *COMMANDED, ALL_WORDS)
    _write(folder / "assembly/some.asm", ASSEMBLY)
    _write(folder / "word-assembly/some.asm", WORDS)
    _place(folder / "words/some.bin").write_bytes(bytes(range(11, 256, 5))[:48])
    _streams(folder / "listed")
    _write(kit / "commands.txt", COMMANDS)
    _streams(folder / "commands")
    _put(folder, "memory", *(ROOT / "offchip/parameters").glob("*.json"))
    _write(folder / "energy/table.yaml", json.dumps(ENERGY))
    _write(folder / "energy/lines.yaml", "ERT: &a\n  version: 0.4\n  tables:\n    - name: DRAM\n      actions: {}\n")
    _write(folder / "simdit/hardware.json", json.dumps(HARDWARE))
    _write(folder / "study/few.toml", STUDY.format(model=DIGITS / "digits_qdq.onnx", data=DIGITS / "digits_test.npz"))
    _write(folder / "library/total.cdlt", CODELET)
    np.savez(_place(folder / "input/several.npz"), x=np.zeros((2, 4, 6, 6), np.float32))
    np.save(_place(folder / "input/one.npy"), np.linspace(-1, 1, 144, dtype=np.float32).reshape(1, 4, 6, 6))
    np.savez(_place(folder / "labels/labels.npz"), **some)
    _make(folder, kit)
    _command_lines(folder, kit)


def _streams(folder: Path) -> None:
    """A stream of commands in each form."""
    _write(folder / "some.txt", COMMANDS)
    _write(folder / "some.csv", "mode,address,data\nW,0x80000000,0x1234\nR,0x80000000,\n")
    rows = [line.split() for line in COMMANDS.splitlines()]
    _write(folder / "some.json", json.dumps({"commands": rows, "reads": [["0x80000040", 0]]}))


def _layers(operator: str) -> onnx.ModelProto:
    """A quantised layer or two: a convolution and its pooling, or the sum of two inputs."""
    scale = {"s": np.float32(0.05), "z": np.int8(3)}
    shape, names = ([1, 4, 6, 6], ["x"]) if operator == "Conv" else ([2, 6], ["a", "b"])
    random = np.random.default_rng(5)
    nodes = []
    for name in names:
        nodes.append(helper.make_node("QuantizeLinear", [name, "s", "z"], [f"{name}q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}q", "s", "z"], [f"{name}r"]))
    if operator == "Conv":
        weights = random.integers(-127, 128, (8, 4, 3, 3)).astype(np.int8)
        scale |= {"w": weights, "ws": np.full(8, 0.01, np.float32), "wz": np.zeros(8, np.int8)}
        scale |= {"b": np.arange(8, dtype=np.int32), "bs": np.full(8, 0.0005, np.float32), "bz": np.zeros(8, np.int32)}
        nodes.append(helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wr"], axis=0))
        nodes.append(helper.make_node("DequantizeLinear", ["b", "bs", "bz"], ["br"], axis=0))
        nodes.append(helper.make_node("Conv", ["xr", "wr", "br"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("QuantizeLinear", ["c", "s", "z"], ["cq"]))
        nodes.append(helper.make_node("DequantizeLinear", ["cq", "s", "z"], ["cr"]))
        nodes.append(helper.make_node("MaxPool", ["cr"], ["yr"], kernel_shape=[2, 2], strides=[2, 2]))
    else:
        nodes.append(helper.make_node("Sum", ["ar", "br"], ["yr"]))
    nodes.append(helper.make_node("QuantizeLinear", ["yr", "s", "z"], ["yq"]))
    nodes.append(helper.make_node("DequantizeLinear", ["yq", "s", "z"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in names],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in scale.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _make(folder: Path, kit: Path) -> None:
    """Makes what the compiler writes."""
    small, digits = str(kit / "small.onnx"), str(DIGITS / "digits_qdq.onnx")
    for name in ("program", "parts", "executable", "schedule", "profile", "network", "machine-json"):
        (folder / name).mkdir()
    _run("compile", small, "-m", "genesys:8x8", "-o", folder / "program/small.cprog",
         "--save-schedule", folder / "schedule/small.schedule")  # fmt: skip
    _run("compile", digits, "-m", "genesys:8x8", "-o", folder / "program/digits.cprog")
    _run("compile", small, "-m", PEBBLE, "-o", folder / "program/pebble.cprog")
    _run("compile", small, "-m", "hvx", "-o", folder / "program/packets.cprog")
    _run("compile", digits, "-m", "genesys:8x8", "--part", "pool=genesys", "-o", folder / "parts/digits.cprog")
    _run("compile", small, "-m", PEBBLE, "--part", f"c={PEBBLE}", "-o", folder / "parts/pebbles.cprog")
    _run("compile", small, "-m", "hvx", "-o", folder / "executable/small.elf")
    _run("run", small, "-m", "hvx", "--save-profile", folder / "profile/small.profile")
    for name, model in (("small", small), ("digits", digits)):
        text = _run("compile", model, "-m", "genesys:8x8", "--emit", "network")
        _write(folder / f"network/{name}.network", text)
    _write(folder / "machine-json/genesys.json", _run("show", "genesys:8x8", "--json"))


COMMAND_LINES = """
machines --json
memories
show genesys:8x8 --set M=16 --set N=12 --json
show hvx --isa
show pebble --acg
compile {small} -m genesys --preset 8x8 --set axi=256 -o o.cprog --save-schedule o.schedule --threads 1
compile {small} -m genesys:8x8 --emit network --no-fusion --json
compile {small} -m hvx --emit asm --no-unroll --no-pack
compile {small} -m genesys --explain-schedule --stop-after codelets
compile --layer list
run {small} -m genesys:8x8 --images 2 --seed 7 --compare reference --layers
run {small} -m genesys --set M=20 --set N=12 --memory ddr4_2400 --energy --backend interpret --output o.npz
run {small} -m hvx --contexts 2 --profile --trace o.json --trace-packets 5:99
run {small} -m genesys --part c=genesys:8x8 --json
run {executable} -m hvx --stdin {stdin} --max-packets 20000
disasm {program} --json
quantize {float} -o o.onnx --calibrate {calibration} --bits 8 --activations u8 --calibration percentile --layers
"""


def _command_lines(folder: Path, kit: Path) -> None:
    named = {"small": kit / "small.onnx", "stdin": kit / "stdin.bin", "calibration": kit / "calibration.npz",
             "executable": folder / "executable/small.elf", "program": folder / "program/small.cprog",
             "float": DIGITS / "digits_float.onnx"}  # fmt: skip
    for number, line in enumerate(COMMAND_LINES.strip().splitlines()):
        words = [Path(named[word[1:-1]]).as_posix() if word[0] == "{" else word for word in line.split()]
        _write(folder / f"command/{number:02}.words", "\0".join(words))
        if "--set" in words:
            _write(folder / f"settings/{number:02}.words", "\0".join(words))


def _run(*words: object) -> str:
    """Runs a command that has to hold; its standard output."""
    said, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
        code = main([str(word) for word in words])
    if code != 0:
        sys.exit(f"covenant {' '.join(map(str, words))}: exit code {code}\n{errors.getvalue()}")
    return said.getvalue()


def _put(folder: Path, reader: str, *files: Path) -> None:
    for path in sorted(files):
        shutil.copy(path, _place(folder / reader / path.name))


def _write(path: Path, text: str) -> None:
    _place(path).write_text(text, encoding="utf-8")


def _place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
