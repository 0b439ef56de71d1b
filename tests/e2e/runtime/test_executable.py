"""Executable files: assembled and linked by LLVM, run by `covenant` as QEMU runs them, shown, refused by code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from digits import model_of
from onnx import TensorProto, helper, numpy_helper
from test_bad_input import refused

import covenant
from covenant.runtime.executable import disassemble_executable

# Adds four vectors of words in a loop, says so, and ends with a word of the sum.
SUM = """
_start:
  { r1 = ##vectors; r3 = ##result }
  { r2 = #4 }
  { loop0(.Lsum,r2); v0 = vxor(v0,v0); v1 = vmem(r1++#1) }
.Lsum:
  { v0.w = vadd(v0.w,v1.w); v1 = vmem(r1++#1) }:endloop0
finish:
  { vmem(r3+#0) = v0 }
  { r6 = #64; r0 = #1 }
  { r1 = ##hello; r2 = #6 }
  { trap0(#1) }
  { r6 = #64; r0 = #2 }
  { r1 = ##hello; r2 = #3 }
  { trap0(#1) }
  { r3 = ##result }
  { r0 = memw(r3+#4); r6 = #94 }
  { trap0(#1) }
  .word 0xffffffff
  .data
  .balign 128
vectors:
  .rept 160
  .word STEP
  .endr
result:
  .space 128
hello: .ascii "hello\\n"
"""
QDQ = model_of("qdq")
END = "{ r6 = #94; r0 = #0 }\n{ trap0(#1) }\n"
CONSTANT = ".section .rodata\nconstant: .word 1\n.text\n"


def assembled(text: str, folder: Path) -> Path:
    """The executable of a program; without a label it begins at the top."""
    source, code, file = (folder / f"program.{suffix}" for suffix in ("s", "o", "elf"))
    source.write_text(f".globl _start\n{text if '_start:' in text else '_start:' + text}\n")
    machine = ["-triple=hexagon", "-mcpu=hexagonv66", "-mattr=+hvxv66,+hvx-length128b"]
    words = ["--mno-pairing", "--mno-compound"]  # hvx has no words of two instructions
    subprocess.run(["llvm-mc-14", *machine, *words, "-filetype=obj", source, "-o", code], check=True)
    subprocess.run(["ld.lld-14", "-static", code, "-o", file], check=True)
    return file


@pytest.fixture
def program(tmp_path) -> Path:
    """A sum of 0, so that it ends well."""
    return assembled(SUM.replace("STEP", "0"), tmp_path)


@pytest.mark.parametrize("step", [0, 3])
def test_as_qemu(step, tmp_path):
    file = assembled(SUM.replace("STEP", str(step)), tmp_path)
    theirs = subprocess.run(["qemu-hexagon", "-cpu", "v67", file], capture_output=True, check=False)
    ours = covenant.run_executable(file, "hvx")
    assert (ours.exit_code, ours.output, ours.errors) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert (ours.exit_code, ours.output, ours.errors) == (4 * step, b"hello\n", b"hel")


def test_what_a_run_says(program):
    run = covenant.run_executable(program, covenant.Machine("hvx"), profile=True)
    assert run.packets == 17
    assert run.cycles >= 2 * run.packets
    assert run.events["COMMITTED_PKT_ANY"] == run.packets
    assert sum(packet.executed for packet in run.profile) == run.packets
    assert [packet.address for packet in run.profile] == sorted({packet.address for packet in run.profile})
    loop = run.profile[3]
    assert loop.text == "{ v0.w = vadd(v0.w,v1.w); v1 = vmem(r1++#1) }:endloop0"
    assert loop.executed == 4
    assert sum(packet.waited for packet in run.profile) > 0
    assert covenant.run_executable(program, "hvx", profile=True) == run


def test_without_cycles(program):
    run = covenant.run_executable(program, "hvx", cycles=False, profile=True)
    assert (run.exit_code, run.output, run.packets) == (0, b"hello\n", 17)
    assert (run.cycles, run.events) == (0, {})
    assert run.profile[3].executed == 4
    assert covenant.run_executable(program, "hvx").profile == ()


def test_for_people(program, covenant_command):
    done = covenant_command("run", program, "-m", "hvx")
    assert done.code == 0
    assert done.out.startswith("hello\n")
    assert "cycles per packet" in done.out
    assert "COMMITTED_PKT_ANY" in done.out
    assert "endloop0" not in done.out
    assert done.error == "hel\n"


def test_the_listing_of_a_profile(program, covenant_command):
    out = covenant_command("run", program, "-m", "hvx", "--profile").out
    (heading,) = re.findall(r"^address .*$", out, re.MULTILINE)
    profile = covenant.run_executable(program, "hvx", profile=True).profile
    columns = ["vector_loads"]  # nothing waits for anything else
    assert heading.split() == ["address", "loop", "executed", "cycles", *columns, "packet"]
    for packet, line in zip(profile, out[out.index(heading) :].splitlines()[1:], strict=False):
        cells = [packet.executed, packet.cycles, *(packet.stalls[column] for column in columns)]
        loop = ["1"] if packet.text.endswith(":endloop0") else []
        shown = [f"{packet.address:08x}", *loop, *(str(cell) if cell else "." for cell in cells)]
        assert line.split(maxsplit=len(shown)) == [*shown, packet.text]


def test_json(program, covenant_command):
    done = covenant_command("run", program, "-m", "hvx", "--json")
    run = covenant.run_executable(program, "hvx", profile=True)
    seconds = done.object["seconds"]
    assert seconds > 0
    assert done.object == {
        "file": str(program), "machine": "hvx", "exit_code": 0, "output": "hello\n", "errors": "hel",
        "packets": run.packets, "cycles": run.cycles, "events": run.events, "traced_packets": None, "seconds": seconds,
    }  # fmt: skip
    profile = covenant_command("run", program, "-m", "hvx", "--json", "--profile").object["profile"]
    assert profile == [vars(packet) for packet in run.profile]
    assert list(profile[0]) == ["address", "text", "executed", "waited", "cycles", "stalls"]


def test_another_code_than_0(tmp_path, covenant_command):
    text = "{ r6 = #64; r0 = #1 }\n{ r1 = ##byte; r2 = #1 }\n{ trap0(#1) }\n{ r6 = #93; r0 = #-1 }\n{ trap0(#1) }\n"
    file = assembled(text + ".data\nbyte: .byte 0xff\n", tmp_path)
    done = covenant_command("run", file, "-m", "hvx", "--json")
    assert done.code == 1
    assert done.object["exit_code"] == -1
    assert done.object["output"] == "\N{REPLACEMENT CHARACTER}"
    assert covenant_command("run", file, "-m", "hvx").code == 1


def test_settings_of_the_machine(program, covenant_command):
    def cycles(*options: str) -> int:
        return covenant_command("run", program, "-m", "hvx", *options, "--json").object["cycles"]

    assert cycles("--set", "l2_latency=64") > cycles()


def test_disassembled(program, covenant_command):
    text = covenant_command("disasm", program, "-m", "hvx").out
    assert text == disassemble_executable(program, "hvx")
    labels = re.findall(r"^(\w+):\n([0-9a-f]{8})  (.*)$", text, re.MULTILINE)
    assert [(name, packet) for name, _, packet in labels] == [
        ("_start", labels[0][2]),
        ("finish", "{ vmem(r3+#0) = v0 }"),
    ]
    assert text.endswith("  .word 0xffffffff\n")
    profile = covenant.run_executable(program, "hvx", profile=True).profile
    assert all(f"{packet.address:08x}  {packet.text}\n" in text for packet in profile)
    listed = covenant_command("disasm", program, "-m", "hvx", "--json").object
    assert listed == {"file": str(program), "machine": "hvx", "listing": text.splitlines()}


@pytest.mark.parametrize(
    ("text", "code", "offending"),
    [
        ("{ r1 = ##_start+1 }\n{ r0 = memw(r1+#0) }", "SIM0082", "0x[0-9a-f]+5"),
        ("{ r1 = ##_start+2 }\n{ jumpr r1 }", "SIM0082", "0x[0-9a-f]+6"),
        ("{ r1 = #64 }\n{ r0 = memw(r1+#0) }", "SIM0081", "0x40"),
        ("{ jumpr r31 }", "SIM0081", "0x0"),
        ("{ r1 = ##_start }\n{ memw(r1+#0) = r0 }", "SIM0084", "0x[0-9a-f]+4"),
        (
            "{ jump over }\nkept: { nop }\nover: { r1 = ##kept }\n{ memw(r1+#0) = r0 }",
            "SIM0088",
            "4 bytes at 0x[0-9a-f]+",
        ),
        (f"{CONSTANT}{{ r1 = ##constant }}\n{{ memb(r1+#3) = r0 }}", "SIM0088", "1 bytes at 0x[0-9a-f]+"),
        (".word 0xffffffff", "SIM0001", "word 0xffffffff"),
        # Both stores of the packet need the one slot for stores of vectors.
        (".word 0x28234000, 0x2823c000", "SIM0083", re.escape("{ vmem(r3+#0) = v0; vmem(r3+#0) = v0 }")),
        ("{ r6 = #1 }\n{ trap0(#1) }", "SIM0085", "r6 = 1"),
        ("{ r6 = #64; r0 = #3 }\n{ trap0(#1) }", "SIM0085", "r0 = 3"),
        ("{ trap0(#2) }", "SIM0085", re.escape("trap0(#2)")),
    ],
)
def test_faults(text, code, offending, tmp_path, covenant_command):
    file = assembled(f"{text}\n{END}", tmp_path)
    error = refused(covenant_command("run", file, "-m", "hvx", "--json"), "SIM")
    assert error["code"] == code
    assert re.fullmatch(offending, error["offending"])
    if "trap0(#" not in text:
        assert error["subject"].startswith("packet at 0x"), "it says where"


def test_input_is_not_read_into_constants(tmp_path):
    read = "{ r6 = #63; r0 = #0 }\n{ r1 = ##constant; r2 = #4 }\n{ trap0(#1) }\n"
    file = assembled(f"{CONSTANT}{read}{END}", tmp_path)
    assert covenant.run_executable(file, "hvx", standard_input=b"").exit_code == 0, "nothing is stored"
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.run_executable(file, "hvx", standard_input=b"1")
    assert caught.value.code == "SIM0088"
    assert re.fullmatch("1 bytes at 0x[0-9a-f]+", caught.value.diagnostic.offending)


def test_a_program_that_does_not_end(tmp_path, covenant_command):
    file = assembled("{ jump _start }", tmp_path)
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.run_executable(file, "hvx", max_packets=1000)
    assert caught.value.code == "SIM0060"
    assert caught.value.diagnostic.offending == "1000 packets"
    refused(covenant_command("run", file, "-m", "hvx", "--max-packets", 1000, "--json"), "SIM0060")
    refused(covenant_command("run", file, file, "-m", "hvx", "--max-packets", 1000, "--json"), "SIM0060")
    refused(covenant_command("run", QDQ, "-m", "hvx", "--max-packets", 1000, "--json"), "CLI0008")


def test_machines_without_packets(program, covenant_command):
    error = refused(covenant_command("run", program, "-m", "genesys", "--json"), "SIM0061")
    assert error["offending"] == "genesys"
    assert "hvx" in error["fix"]
    assert "hvx" in refused(covenant_command("disasm", program, "-m", "genesys", "--json"), "ISA0022")["fix"]


@pytest.mark.parametrize("command", ["run", "disasm"])
def test_no_machine(command, program, covenant_command):
    error = refused(covenant_command(command, program, "--json"), "CLI0008")
    assert "-m MACHINE" in error["fix"]


def test_missing_files(tmp_path, covenant_command):
    missing = tmp_path / "no.elf"
    refused(covenant_command("run", missing, "-m", "hvx", "--json"), "ONX0001")
    refused(covenant_command("disasm", missing, "--json"), "CLI0009")
    with pytest.raises(covenant.CovenantError, match="CLI0009"):
        covenant.run_executable(missing, "hvx")


@pytest.mark.parametrize("command", ["run", "disasm"])
def test_files_that_are_cut_off(command, program, covenant_command):
    program.write_bytes(program.read_bytes()[:100])
    error = refused(covenant_command(command, program, "-m", "hvx", "--json"), "ISA0021")
    assert error["where"] == str(program)


@pytest.mark.parametrize(
    "option",
    [
        "--compare=reference", "--layers", "--backend=systemc", "--report=r", "--wave=w.fst",
        "--rtl=conv1", "--rtl=", "--rtl-window=0:0", "--rtl-cache=c", "--rtl-quick", "--rtl-checked", "--input=x.npz",
        "--images=1", "--seed=1", "--output=y.npz", "--schedule=s.txt", "--no-fusion", "--memory=hbm2",
    ],
)  # fmt: skip
def test_options_of_models(option, program, covenant_command):
    error = refused(covenant_command("run", program, "-m", "hvx", option, "--json"), "CLI0008")
    assert error["message"].endswith(f" {option.partition('=')[0]}")
    assert error["fix"].startswith("leave it out: ")
    assert sorted(path.name for path in program.parent.iterdir()) == ["program.elf", "program.o", "program.s"]


def test_options_of_executables(root, tmp_path, covenant_command):
    model = root / "examples/01_digits/digits_qdq.onnx"
    refused(covenant_command("run", model, "-m", "genesys", "--profile", "--json"), "CLI0008")
    target = tmp_path / "digits.cprog"
    covenant.compile(model, "genesys").save(target)
    refused(covenant_command("disasm", target, "-m", "genesys", "--json"), "CLI0008")


def product(path: Path, rows: int) -> np.ndarray:
    """A product whose tensors lie in memory without gaps; its input."""
    numbers = np.random.default_rng(0)
    constants = {
        "s": np.float32(0.04), "large": np.float32(4.0), "z": np.int8(0),
        "w": numbers.integers(-128, 128, (512, 128)).astype(np.int8),
    }  # fmt: skip
    node = helper.make_node("QLinearMatMul", ["x", "s", "z", "w", "s", "z", "large", "z"], ["y"], name="product")
    entries = [helper.make_tensor_value_info(*entry) for entry in
               (("x", TensorProto.INT8, [rows, 512]), ("y", TensorProto.INT8, [rows, 128]))]  # fmt: skip
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph([node], "g", entries[:1], entries[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return numbers.integers(-128, 128, (rows, 512)).astype(np.int8)


def test_a_pipe_gives_an_executable_all_of_its_input(tmp_path, covenant_command):
    x = product(tmp_path / "product.onnx", 200)
    assert x.nbytes > 2**16, "Linux gives a pipe in parts of at most 64 KiB"
    file = tmp_path / "product.elf"
    assert covenant_command("compile", tmp_path / "product.onnx", "-m", "hvx", "-o", file).code == 0
    command = ["qemu-hexagon", "-cpu", "v67", str(file)]
    through_pipe = subprocess.run(command, input=x.tobytes(), capture_output=True, check=True).stdout
    session = covenant.Session(covenant.compile(tmp_path / "product.onnx", "hvx"))
    (y,) = session.run(x).outputs.values()
    assert through_pipe == y.tobytes()
    assert covenant.run_executable(file, "hvx", standard_input=x.tobytes()).output == y.tobytes()


@pytest.mark.parametrize("missing", [1, 1000, 200 * 512])
def test_an_input_that_ends_too_soon_is_an_error(tmp_path, covenant_command, missing):
    x = product(tmp_path / "product.onnx", 200).tobytes()[:-missing]
    file = tmp_path / "product.elf"
    assert covenant_command("compile", tmp_path / "product.onnx", "-m", "hvx", "-o", file).code == 0
    theirs = subprocess.run(["qemu-hexagon", "-cpu", "v67", str(file)], input=x, capture_output=True, check=False)
    ours = covenant.run_executable(file, "hvx", standard_input=x)
    assert (theirs.returncode, theirs.stdout) == (ours.exit_code, ours.output) == (74, b"")
