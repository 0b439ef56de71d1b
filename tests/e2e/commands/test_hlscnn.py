"""HLSCNN from its text: convolutions beside a model in numpy, registers, scratchpads, faults."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hlscnn import BASE, SPAD0, SPAD1, Formats, Layer, configured, drawn_layer, register, stream_of, writes

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.commands import HostCommand

ROOT = Path(__file__).resolve().parents[3]
SEED = int(os.environ.get("COVENANT_SEED", "1"))
LAYERS = 2000 if os.environ.get("COVENANT_FULL") else 40
TRIGGER = register(17, 1)
COMPILED = (
    Formats(),
    Formats(weight_bits=8),
    Formats(16, 8, 15, 1, "DOWN", "WRAP"),
    Formats(16, 1, 1, 15, "NEAREST", "SATURATE"),
    Formats(8, 3, 12, 4, "NEAREST", "WRAP"),
    Formats(8, 8, 4, 13, "DOWN", "SATURATE"),
)


def filled(layer: Layer) -> CommandDevice:
    """A machine with a layer's memories and registers, before its trigger."""
    device = CommandDevice("hlscnn", **layer.formats.settings())
    commands = stream_of(layer).commands
    replay(CommandStream(commands[: commands.index(TRIGGER)]), device)
    return device


def small_layer(**more: object) -> Layer:
    """2 filters of 3 x 2 on 9 channels of 6 x 7, with strides 2 and 1."""
    draw = np.random.default_rng(7)
    acts, weights = draw.integers(-300, 300, (9, 6, 7)), draw.integers(-9999, 9999, (2, 9, 3, 2))
    return Layer(**({"formats": Formats(), "acts": acts, "weights": weights, "strides": (2, 1)} | more))


def test_drawn_layers_equal_the_model() -> None:
    draw = np.random.default_rng(SEED)
    outputs = 0
    for number in range(LAYERS):
        layer = drawn_layer(draw)
        done = replay(stream_of(layer), CommandDevice("hlscnn", **layer.formats.settings()))
        assert done.differing == 0, f"layer {number} of seed {SEED}: {layer}"
        # The wait begins with the trigger, which takes a cycle more: its start goes through a queue.
        assert done.waited == (layer.cycles + 1,), f"layer {number} of seed {SEED}: {layer}"
        outputs += int(np.prod(layer.output_shape))
    assert outputs > 20 * LAYERS


@pytest.mark.parametrize("formats", COMPILED, ids=lambda formats: "_".join(map(str, formats.settings().values())))
def test_the_compiled_machine_equals_the_model(formats: Formats) -> None:
    """Many layers in each of a few formats: a machine is compiled for its formats."""
    draw = np.random.default_rng(SEED)
    for number in range(LAYERS // len(COMPILED) + 1):
        drawn = drawn_layer(draw)
        weights = drawn.weights >> max(drawn.formats.weight_bits - formats.weight_bits, 0)
        layer = Layer(**(vars(drawn) | {"formats": formats, "weights": weights}))
        done = replay(stream_of(layer), CommandDevice("hlscnn", engine="native", **formats.settings()))
        assert done.differing == 0, f"layer {number} of seed {SEED}: {layer}"
        assert done.waited == (layer.cycles + 1,), f"layer {number} of seed {SEED}: {layer}"


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("is_first and taken[7][18:18] == 0 ?", "is_first ?"),
        ("is_first and taken[7][18:18] == 0 ?", "taken[7][18:18] == 0 ?"),
        ("is_last and taken[7][17:17] == 1 ?", "taken[7][17:17] == 1 ?"),
        ("max(biased, 0)", "biased"),
        ("bias << weight_int_bits", "bias"),
        ("is_last ? output_int_bits", "is_first ? output_int_bits"),
        ("int_bits, rounding.NEAREST)", "int_bits, false)"),
        ("rounding.NEAREST), overflow.WRAP)", "rounding.NEAREST), rounding.NEAREST)"),
        ("overflow.WRAP ? wrap(i32, exact)", "rounding.NEAREST ? wrap(i32, exact)"),
        (">> max(16 - weight_int_bits - act_int_bits, 0)", ">> max(15 - weight_int_bits - act_int_bits, 0)"),
        ("spad0[at + lane] << 8", "spad0[at + lane]"),
        ("2 * (filter % 8)", "2 * (filter % 4)"),
        ("row / r_stride - i) * out_cols", "row / c_stride - i) * out_cols"),
        ("let k_col = col % c_stride + j * c_stride;", "let k_col = min(col % c_stride + j, k_cols - 1);"),
        ("taken[7][15:0]", "taken[7][14:0]"),
    ],
)
def test_a_wrong_machine_is_found(said: str, instead: str, tmp_path: Path) -> None:
    text = (ROOT / "acg/machines/hlscnn.acg").read_text()
    assert said in text
    (tmp_path / "fixed_point.acg").write_text((ROOT / "acg/machines/fixed_point.acg").read_text())
    machine = tmp_path / "wrong.acg"
    machine.write_text(text.replace(said, instead))
    draw = np.random.default_rng(SEED)
    for _ in range(400):
        layer = drawn_layer(draw)
        try:
            is_found = replay(stream_of(layer), CommandDevice(str(machine), **layer.formats.settings())).differing > 0
        except CovenantError as error:
            is_found = error.diagnostic.code in ("BEH0032", "BEH0036")
        if is_found:
            return
    pytest.fail("400 layers do not tell it from the right one")


@pytest.mark.parametrize(
    ("formats", "act", "weight", "raw"),
    [
        # 1 / 128 * 1 / 16384 is 2^-21: less than the lowest bit of a sum, 2^-16.
        (Formats(), 1, 1, 0),
        (Formats(), -1, 1, -1),
        (Formats(rounding="NEAREST"), -1, 1, 0),
        # 1 * 0.5, and 255.99 * -2, which is out of -256 to 255.99.
        (Formats(), 128, 8192, 64),
        (Formats(), 32767, -32768, -32768),
        (Formats(overflow="WRAP"), 32767, -32768, 2),
        # 1.5 / 128 in Q9.7: down, and to the nearest.
        (Formats(), 3, 8192, 1),
        (Formats(rounding="NEAREST"), 3, 8192, 2),
        # 0.5 as a byte of Q2.6, and a result with 12 bits above the point.
        (Formats(weight_bits=8), 128, 32, 64),
        (Formats(output_int_bits=12), 128, 8192, 8),
        (Formats(weight_bits=8, weight_int_bits=3), 128, 32, 128),
        (Formats(act_int_bits=12, output_int_bits=12), 16, 8192, 8),
    ],
)
def test_one_product_by_hand(formats: Formats, act: int, weight: int, raw: int) -> None:
    layer = Layer(formats, np.array([[[act]]]), np.array([[[[weight]]]]), (1, 1))
    device = filled(layer)
    replay(CommandStream((TRIGGER, HostCommand("Q"))), device)
    assert int.from_bytes(device.read(BASE + SPAD1)[:2], "little", signed=True) == raw


def test_sums_are_cut_for_each_place_of_the_kernel() -> None:
    """Two halves of the lowest bit make one within 8 channels, and none from two places of the kernel or blocks."""
    half = 64 << 7  # 1/2 in Q2.14; an activation of 1 is 1/128
    together = Layer(Formats(), np.ones((2, 1, 1), int), np.full((1, 2, 1, 1), half), (1, 1))
    apart = Layer(Formats(), np.ones((1, 1, 2), int), np.full((1, 1, 1, 2), half), (1, 1))
    blocks = Layer(Formats(), np.ones((9, 1, 1), int), np.array([half] + 7 * [0] + [half]).reshape(1, 9, 1, 1), (1, 1))
    for layer, raw in ((together, 1), (apart, 0), (blocks, 0)):
        device = filled(layer)
        replay(CommandStream((TRIGGER, HostCommand("Q"))), device)
        assert device.read(BASE + SPAD1)[0] == raw
        assert layer.result().item() == raw


def test_registers_hold_what_is_written() -> None:
    device = CommandDevice("hlscnn")
    for number in range(30):
        lane = 4 * (number % 4)
        if number not in (12, 17, 25):
            device.write(BASE + 4 * number, bytes(lane) + (0x1234_5600 + number).to_bytes(4, "little"))
            other = bytes([7]) * lane + bytes(4) + bytes([7]) * (12 - lane)
            assert device.read(BASE + 4 * number) != other
    for number in range(30):
        lane = 4 * (number % 4)
        value = 0 if number in (12, 17, 25) else 0x1234_5600 + number
        assert device.read(BASE + 4 * number) == (value << 8 * lane).to_bytes(16, "little")


def test_the_trigger_tells_whether_a_convolution_runs() -> None:
    device = filled(small_layer())
    device.write(BASE + 4 * 17, bytes(8))
    assert device.read(BASE + 4 * 17)[4] == 1
    device.write(BASE + 4 * 24, bytes(16))  # it has taken its registers
    device.wait()
    assert device.read(BASE + 4 * 17)[4] == 0
    expected = small_layer().result()
    vector = np.frombuffer(device.read(BASE + SPAD1), "<i2")
    assert vector[:2].tolist() == expected[:, 0, 0].tolist()


def test_scratchpads_are_filled_from_memory_and_by_the_host() -> None:
    device = CommandDevice("hlscnn", dram_bytes="4K", spad_vectors=64)
    data = bytes(range(64))
    spad1 = SPAD0 + 16 * 64
    replay(CommandStream((*writes(0x100, data), register(4, 0x100), register(5, 4))), device)
    before = device.cycles
    device.write(BASE + SPAD0 + 32, b"")
    assert device.cycles - before == 5
    device.write(BASE + spad1 + 960, b"")
    assert b"".join(device.read(BASE + SPAD0 + 32 + i) for i in range(0, 64, 16)) == data
    assert b"".join(device.read(BASE + spad1 + 960 + i) for i in range(0, 64, 16)) == data
    device.write(BASE + 4 * 5, bytes(16))
    before = device.cycles
    replay(CommandStream(tuple(writes(BASE + SPAD0, data[::-1]))), device)
    assert device.cycles - before == 8
    assert device.read(BASE + SPAD0 + 16) == data[::-1][16:32]


def with_register(number: int, value: int) -> list[HostCommand]:
    """A small layer's registers, one of them changed."""
    return [
        *(one for one in configured(small_layer()) if one.address != BASE + 4 * number),
        register(number, value),
        TRIGGER,
    ]


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (with_register(21, 7 | 6 << 10), "no rows, columns or channels: conv_input_size"),
        (with_register(21, 7 | 9 << 20), "no rows, columns or channels: conv_input_size"),
        (with_register(22, 3), "without outputs: conv_output_size"),
        (with_register(23, 2 | 3 << 8 | 1 << 16), "stride of size 0: conv_kernel"),
        (with_register(23, 3 << 8 | 1 << 16 | 2 << 19), "stride of size 0: conv_kernel"),
        (with_register(24, 0), "without filters: conv_channel"),
        (with_register(22, 7 | 2 << 10), "windows reach past the input"),
        (with_register(22, 6 | 3 << 10), "windows reach past the input"),
        (with_register(18, 8), "a base that is no multiple of 16"),
        (with_register(18, (16 << 20) - 16), "activations past the end of off-chip memory"),
        (with_register(19, 0), "weights outside of scratchpad 0"),
        (with_register(19, SPAD1 - 16 * 23), "weights outside of scratchpad 0"),
        (with_register(20, SPAD0), "outputs outside of scratchpad 1"),
        (with_register(20, SPAD1 + 0x2_0000 - 16 * 11), "outputs outside of scratchpad 1"),
        ([*with_register(5, 0), TRIGGER], "triggered while one runs"),
        ([register(12, 1)], "fully connected layers"),
        ([register(25, 1)], "reductions"),
        ([register(5, 2), register(4, (16 << 20) - 16), HostCommand("W", BASE + SPAD0)], "rd_wr_length"),
        ([register(5, 2), register(4, 0), HostCommand("W", BASE + SPAD1 - 16)], "past its end: rd_wr_length"),
    ],
)
def test_what_it_cannot_do_is_told(commands: list[HostCommand], said: str) -> None:
    device = filled(small_layer())
    with pytest.raises(CovenantError) as raised:
        replay(CommandStream(tuple(commands)), device)
    told = raised.value.diagnostic
    assert told.code == "BEH0035"
    assert said in str(told)


@pytest.mark.parametrize(
    ("number", "value"), [(18, (16 << 20) - 16 * 84), (19, SPAD1 - 16 * 24), (20, SPAD1 + 0x2_0000 - 16 * 12)]
)
def test_the_last_places_of_memories_are_used(number: int, value: int) -> None:
    device = filled(small_layer())
    zeros = [*writes((16 << 20) - 16 * 84, bytes(16 * 84)), register(5, 0)]
    zeros += writes(BASE + SPAD1 - 16 * 24, bytes(16 * 24))
    replay(CommandStream((*zeros, *with_register(number, value), HostCommand("Q"))), device)


@pytest.mark.parametrize("address", [BASE + 2, BASE + 4 * 30, BASE + SPAD0 + 8, BASE + 0x4_4000, 8, 16 << 20])
def test_other_addresses_are_refused(address: int) -> None:
    device = CommandDevice("hlscnn")
    for mode in ("W", "R"):
        with pytest.raises(CovenantError, match="BEH0030"):
            replay(CommandStream((HostCommand(mode, address),)), device)  # type: ignore[arg-type]


def test_memory_that_nobody_filled_is_told() -> None:
    device = CommandDevice("hlscnn")
    with pytest.raises(CovenantError) as raised:
        replay(CommandStream((*configured(small_layer()), TRIGGER, HostCommand("Q"))), device)
    assert raised.value.diagnostic.code == "BEH0033"
    assert raised.value.diagnostic.subject.endswith("dram")


def test_drawn_registers_are_refused_or_run() -> None:
    """Random bits in the registers of a convolution, some of them near those of a layer that runs."""
    draw = np.random.default_rng(SEED)
    ends: dict[str, int] = {}
    for number in range(400):
        commands = []
        for one in configured(small_layer()):
            bits = 32 if draw.random() < 0.1 else int(draw.integers(0, 32))
            changed = one.data ^ (int(draw.integers(0, 1 << bits)) << 32 * (one.address // 4 % 4))
            commands.append(HostCommand("W", one.address, changed if draw.random() < 0.3 else one.data))
        device = filled(small_layer())
        try:
            replay(CommandStream((*commands, TRIGGER, HostCommand("Q"))), device, most_cycles=100_000)
            end = "finished"
        except CovenantError as error:
            end = error.diagnostic.code
        assert end in ("finished", "BEH0033", "BEH0035", "BEH0037"), f"draw {number} of seed {SEED}"
        ends[end] = ends.get(end, 0) + 1
    assert {"finished", "BEH0033", "BEH0035"} <= set(ends), ends
