"""Kernels by TVM, as assembly: `python tvm_kernels.py FOLDER NAME [prefetch]`, by an interpreter that has `apache-tvm`.

The kernel NAME becomes FOLDER/NAME.s, whose entry is `kernel(first, second, output)` as kernels in C have it; with
`prefetch` it fetches rows into the cache while it goes on, unless TVM schedules it. This module is run, never imported:
the project does not depend on TVM, and TVM's interpreter does not know the project.

Buffers are aligned to a vector: TVM's default is half of one, and then accesses are not aligned.
"""

import re
import sys
from pathlib import Path

import tvm
from tvm.s_tir import Schedule
from tvm.script import tirx as tir
from tvm.tirx import PrimFunc

# The kind `hexagon` wants the vendor's linker; `llvm` with its triple makes the same code.
CORE = {"kind": "llvm", "mtriple": "hexagon", "mcpu": "hexagonv66", "mattr": ["+hvxv66", "+hvx-length128b"]}
LANES, VECTOR = 32, 128
PREFETCH = sys.argv[3:] == ["prefetch"]
PASSED_IN = {"first": "r0", "second": "r1", "output": "r2", "dev_id": "#0"}
"""Registers in which C passes the arguments of an entry, by name; TVM's number of the device does not matter."""


def scheduled_gemm(weights: str, steps: int) -> PrimFunc:
    """Product by the intrinsic that TVM has for these weights: 4 rows x 32, some steps of four terms unrolled."""
    from tvm.s_tir.tensor_intrin import hexagon  # noqa: PLC0415  (import takes seconds; kernels without it do not pay)

    intrinsic = {"uint8": hexagon.VRMPY_u8u8i32_INTRIN, "int8": hexagon.VRMPY_u8i8i32_INTRIN}[weights]

    @tir.prim_func(s_tir=True)
    def gemm(
        first: tir.Buffer((384, 1024), "uint8", align=VECTOR),
        second: tir.Buffer((32, 256, 32, 4), weights, align=VECTOR),
        output: tir.Buffer((384, 1024), "int32", align=VECTOR),
    ) -> None:
        tir.func_attr({"tirx.noalias": True})
        for i, j, k in tir.grid(384, 1024, 1024):
            with tir.sblock("sums"):
                row, column, term = tir.axis.remap("SSR", [i, j, k])
                with tir.init():
                    output[row, column] = 0
                output[row, column] = output[row, column] + tir.cast(first[row, term], "int32") * tir.cast(
                    second[column // 32, term // 4, column % 32, term % 4], "int32"
                )

    schedule = Schedule(tvm.IRModule({"main": gemm}))
    block = schedule.get_sblock("sums")
    i, j, k = schedule.get_loops(block)
    rows, row = schedule.split(i, [None, 4])
    columns, column = schedule.split(j, [None, LANES])
    turns, step, term = schedule.split(k, [None, steps, 4])
    schedule.reorder(rows, columns, turns, step, row, column, term)
    *_, zero_row, zero_column = schedule.get_loops(schedule.decompose_reduction(block, turns))
    schedule.vectorize(zero_column)
    for loop in (zero_row, step, row):
        schedule.unroll(loop)
    schedule.tensorize(column, intrinsic)
    return schedule.mod["main"]


def products(sums, second, first):
    """Sums of 32 columns, each with four more products: `vrmpy` of a vector of bytes by a word of them."""
    return tir.call_llvm_pure_intrin(
        tir.llvm_lookup_intrinsic_id("llvm.hexagon.V6.vrmpyub.acc.128B"),
        sums,
        tir.reinterpret(second, dtype="int32x32"),
        tir.reinterpret(first, dtype="int32"),
        dtype="int32x32",
    )


def fetch(buffer, start, rows, width=VECTOR):
    """Begins to fetch so many rows of bytes, one after the other, from an element of a buffer on."""
    return tir.call_llvm_intrin(
        tir.llvm_lookup_intrinsic_id("llvm.hexagon.Y5.l2fetch"),
        tir.address_of(buffer[start]),
        tir.int64(width << 32 | width << 16 | rows),
        dtype="void",
    )


@tir.prim_func(s_tir=True)
def gemm_local(
    first: tir.Buffer((384 * 1024,), "uint8", align=VECTOR),
    second: tir.Buffer((1024 * 1024,), "uint8", align=VECTOR),
    output: tir.Buffer((384 * 1024,), "int32", align=VECTOR),
) -> None:
    """4 rows x 32, four steps of four terms unrolled, sums in a buffer: they stay in registers.

    A part of the columns meets all rows before the next part: its operands stay in the L2, those of rows in the L1.
    """
    tir.func_attr({"tirx.noalias": True})
    if PREFETCH:
        tir.evaluate(fetch(first, 0, 32))
        tir.evaluate(fetch(second, 0, 2048))
        tir.evaluate(fetch(first, 4096, 3040))
    for part, rows, column in tir.grid(4, 96, 8):
        if PREFETCH and column == 0 and part < 3 and rows < 64:
            tir.evaluate(fetch(second, ((part + 1) * 64 + rows) * 4096, 32))
        sums = tir.alloc_buffer((128,), "int32", scope="local", align=VECTOR)
        for row in tir.unroll(4):
            sums[tir.ramp(row * 32, 1, 32)] = tir.broadcast(0, 32)
        for turn in range(64):
            for step in tir.unroll(4):
                for row in tir.unroll(4):
                    sums[tir.ramp(row * 32, 1, 32)] = products(
                        sums[tir.ramp(row * 32, 1, 32)],
                        second[tir.ramp((((part * 8 + column) * 64 + turn) * 4 + step) * 128, 1, 128)],
                        first[tir.ramp(((rows * 4 + row) * 256 + turn * 4 + step) * 4, 1, 4)],
                    )
        for row in tir.unroll(4):
            output[tir.ramp((rows * 4 + row) * 1024 + (part * 8 + column) * 32, 1, 32)] = sums[
                tir.ramp(row * 32, 1, 32)
            ]


@tir.prim_func(s_tir=True)
def conv_local(
    first: tir.Buffer((58 * 58 * 64,), "uint8", align=VECTOR),
    second: tir.Buffer((64 * 3 * 3 * 64,), "uint8", align=VECTOR),
    output: tir.Buffer((56 * 56 * 64,), "int32", align=VECTOR),
) -> None:
    """4 pixels x 64 channels, over each tap by itself."""
    tir.func_attr({"tirx.noalias": True})
    if PREFETCH:
        tir.evaluate(fetch(second, 0, 288))
        tir.evaluate(fetch(first, 0, 116))
    for y, x in tir.grid(56, 14):
        if PREFETCH and x == 0 and y < 54:
            tir.evaluate(fetch(first, (y + 4) * 3712, 29))
        sums = tir.alloc_buffer((256,), "int32", scope="local", align=VECTOR)
        for part in tir.unroll(8):
            sums[tir.ramp(part * 32, 1, 32)] = tir.broadcast(0, 32)
        for down, right, step in tir.grid(3, 3, 16):
            for pixel in tir.unroll(4):
                for block in tir.unroll(2):
                    sums[tir.ramp((pixel * 2 + block) * 32, 1, 32)] = products(
                        sums[tir.ramp((pixel * 2 + block) * 32, 1, 32)],
                        second[tir.ramp((((block * 3 + down) * 3 + right) * 16 + step) * 128, 1, 128)],
                        first[tir.ramp(((y + down) * 58 + x * 4 + pixel + right) * 64 + step * 4, 1, 4)],
                    )
        for part in tir.unroll(8):
            output[tir.ramp((y * 56 + x * 4) * 64 + part * 32, 1, 32)] = sums[tir.ramp(part * 32, 1, 32)]


@tir.prim_func(s_tir=True)
def conv_rows(
    first: tir.Buffer((58 * 58 * 64,), "uint8", align=VECTOR),
    second: tir.Buffer((64 * 3 * 3 * 64,), "uint8", align=VECTOR),
    output: tir.Buffer((56 * 56 * 64,), "int32", align=VECTOR),
) -> None:
    """4 pixels x 64 channels. The three pixels of a row of taps lie side by side: one loop over all their channels."""
    tir.func_attr({"tirx.noalias": True})
    if PREFETCH:
        tir.evaluate(fetch(second, 0, 288))
        tir.evaluate(fetch(first, 0, 116))
    for y, x in tir.grid(56, 14):
        if PREFETCH and x == 0 and y < 54:
            tir.evaluate(fetch(first, (y + 4) * 3712, 29))
        sums = tir.alloc_buffer((256,), "int32", scope="local", align=VECTOR)
        for part in tir.unroll(8):
            sums[tir.ramp(part * 32, 1, 32)] = tir.broadcast(0, 32)
        for down, turn in tir.grid(3, 24):
            for step in tir.unroll(2):
                for pixel in tir.unroll(4):
                    for block in tir.unroll(2):
                        sums[tir.ramp((pixel * 2 + block) * 32, 1, 32)] = products(
                            sums[tir.ramp((pixel * 2 + block) * 32, 1, 32)],
                            second[tir.ramp(((block * 3 + down) * 48 + turn * 2 + step) * 128, 1, 128)],
                            first[tir.ramp(((y + down) * 58 + x * 4 + pixel) * 64 + (turn * 2 + step) * 4, 1, 4)],
                        )
        for part in tir.unroll(8):
            output[tir.ramp((y * 56 + x * 4) * 64 + part * 32, 1, 32)] = sums[tir.ramp(part * 32, 1, 32)]


@tir.prim_func(s_tir=True)
def requantize_once(
    first: tir.Buffer((56 * 56 * 64,), "int32", align=VECTOR),
    second: tir.Buffer((32,), "int32", align=VECTOR),
    output: tir.Buffer((56 * 56 * 64,), "uint8", align=VECTOR),
) -> None:
    """Scales by a fraction of 36 bits, and rounds once."""
    tir.func_attr({"tirx.noalias": True})
    if PREFETCH:
        tir.evaluate(fetch(first, 0, 6272))
    for turn in range(1568):
        for lane in tir.vectorized(128):
            # In one expression: what has a name of its own becomes memory, one lane of it.
            output[turn * 128 + lane] = tir.cast(
                tir.max(tir.min(tir.q_multiply_shift(first[turn * 128 + lane], 1518500224, 31, -5) + 7, 255), 0),
                "uint8",
            )


def across(left, right):
    """The larger one of two pixels that lie beside each other in a vector, for two vectors: again a vector."""
    lower = [tir.vectorlow("uint8x64", vector) for vector in (left, right)]
    upper = [tir.vectorhigh("uint8x64", vector) for vector in (left, right)]
    return tir.max(tir.vectorcombine(*lower, dtype="uint8x128"), tir.vectorcombine(*upper, dtype="uint8x128"))


@tir.prim_func(s_tir=True)
def pool_pairs(
    first: tir.Buffer((56 * 56 * 64,), "uint8", align=VECTOR),
    second: tir.Buffer((1,), "uint8"),
    output: tir.Buffer((28 * 28 * 64,), "uint8", align=VECTOR),
) -> None:
    """Two pixels of 64 channels lie in a vector, and two more below them."""
    tir.func_attr({"tirx.noalias": True})
    if PREFETCH:
        tir.evaluate(fetch(first, 0, 1568))
    for y, x in tir.grid(28, 14):
        output[tir.ramp((y * 14 + x) * 128, 1, 128)] = across(
            tir.max(
                first[tir.ramp((y * 56 + x * 2) * 128, 1, 128)],
                first[tir.ramp((y * 56 + 28 + x * 2) * 128, 1, 128)],
            ),
            tir.max(
                first[tir.ramp((y * 56 + x * 2 + 1) * 128, 1, 128)],
                first[tir.ramp((y * 56 + 28 + x * 2 + 1) * 128, 1, 128)],
            ),
        )


KERNELS = {
    "gemm_scheduled": lambda: scheduled_gemm("uint8", 4),
    "gemm_signed": lambda: scheduled_gemm("int8", 2),
    "gemm_local": lambda: gemm_local,
    "conv_local": lambda: conv_local,
    "conv_rows": lambda: conv_rows,
    "requantise_once": lambda: requantize_once,
    "pool_pairs": lambda: pool_pairs,
}
"""Kernels by the names of forms; those with a schedule are made on demand."""


def assembly(function: PrimFunc) -> str:
    """The whole of what TVM makes, and an entry beside its own, which wants arguments packed in tensors."""
    core = tvm.target.Target(CORE)
    module = tvm.IRModule({"kernel": function.with_attr("global_symbol", "kernel")})
    built = tvm.tirx.build(module, target=tvm.target.Target(core, host=core))
    # Older assemblers do not know attributes, which say again what their own options say.
    lines = [line for line in built.inspect_source("s").splitlines() if not line.lstrip().startswith(".attribute")]
    return "\n".join([*lines, *entry(built.inspect_source("ll"))]) + "\n"


def entry(code: str) -> list[str]:
    """Moves what C passes to where the body wants it: LLVM drops unused arguments, and work spaces add one."""
    (arguments,) = re.findall(r"^define .*@kernel_compute_\((.*)\)", code, re.MULTILINE)
    names = re.findall(r"%(\w+)(?:,|$)", arguments)
    moves = "; ".join(f"r{register} = {PASSED_IN[name]}" for register, name in enumerate(names))
    return [".text", ".globl kernel", ".p2align 4", "kernel:", f"{{ {moves} }}", "{ jump kernel_compute_ }"]


def main(folder: str, name: str, *_prefetch: str) -> None:
    """One kernel: what the module's text says."""
    Path(folder, f"{name}.s").write_text(assembly(KERNELS[name]()))


if __name__ == "__main__":
    main(*sys.argv[1:])
