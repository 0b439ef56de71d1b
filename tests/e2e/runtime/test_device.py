"""Devices driven through their registers from Python: the model and the RTL behave alike."""

from __future__ import annotations

import _thread
import json
import signal
import threading

import numpy as np
import pytest
from digits import model_of

import covenant

MACHINE = covenant.Machine("genesys", M=4, N=4)
BUILD = covenant.Build(quick=True, checked=True)
BACKENDS = covenant.DEVICE_BACKENDS
INTERRUPT_ENABLE = 0x20


@pytest.fixture(scope="module")
def program() -> covenant.Program:
    return covenant.compile(str(model_of("qdq")), MACHINE)


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    return np.random.default_rng(1).random((1, 1, 8, 8), dtype=np.float32)


@pytest.fixture
def device(request) -> covenant.Device:
    backend, memory = request.param
    return covenant.Device(MACHINE, backend, memory=memory, build=BUILD)


def on(*memories: str) -> pytest.MarkDecorator:
    cases = [(backend, memory) for backend in BACKENDS for memory in memories]
    return pytest.mark.parametrize("device", cases, indirect=True, ids=["-".join(case) for case in cases])


def refused(code: str) -> pytest.RaisesExc:
    return pytest.raises(covenant.CovenantError, match=code)


@on("fixed", "ddr4_2400", "hbm2")
def test_a_device_computes_what_a_run_computes(device, program, image):
    expected = covenant.run(program, image)
    for _ in range(2):
        done = device.run(program, image)
        assert [name for name, array in done.outputs.items() if not np.array_equal(array, expected.outputs[name])] == []
        assert done.outputs.keys() == expected.outputs.keys()
        assert done.report.blocks == len(program.blocks)
        assert device.status == covenant.DeviceStatus(is_busy=False, is_done=True, stop="none", refusal="none")
        assert device.counters == done.report


@on("fixed")
def test_with_a_fixed_latency_it_takes_the_same_cycles(device, program, image):
    assert device.run(program, image).report.cycles == covenant.run(program, image).cycles


def test_before_a_dram_both_wait(program, image):
    """The RTL's masters take some cycles on top; neither is quicker than the machine's own latency allows."""
    least = covenant.run(program, image).cycles
    for backend in BACKENDS:
        device = covenant.Device(MACHINE, backend, memory="ddr4_2400", build=BUILD)
        assert least < device.run(program, image).report.cycles < 2 * least


@on("fixed")
def test_a_start_while_busy_is_refused_and_changes_nothing(device, program, image):
    device.load(program, {program.inputs[0].name: image})
    device.start(program)
    with refused("DRV0007"):
        device.start(program)
    assert device.status.refusal == "busy"
    assert device.wait().cycles == covenant.run(program, image).cycles


@on("fixed")
def test_a_wait_that_is_over_can_go_on(device, program, image):
    device.load(program, {program.inputs[0].name: image})
    device.start(program)
    with refused("DRV0009"):
        device.wait(1e-6)
    assert device.status.is_busy
    assert device.wait().cycles == covenant.run(program, image).cycles


@on("fixed")
def test_a_run_can_be_aborted(device, program, image):
    device.load(program, {program.inputs[0].name: image})
    device.start(program)
    device.abort()
    assert device.status.stop == "abort"
    with refused("DRV0012"):
        device.wait()
    assert device.run(program, image).report.cycles == covenant.run(program, image).cycles


@on("fixed")
def test_a_start_where_nothing_is(device):
    with refused("DRV0008"):
        device.start(4)
    device.start(1 << 31)
    with refused("DRV0011.*instruction fetch"):
        device.wait()
    assert device.status.stop == "memory"


@on("fixed")
def test_the_line_rises_when_it_is_enabled(device, program, image):
    device.load(program, {program.inputs[0].name: image})
    device.start(program)
    assert not device.wait_interrupt(1e-3), "nothing is enabled"
    device.write32(INTERRUPT_ENABLE, 1)
    assert device.interrupt
    device.clear()
    assert not device.interrupt
    device.start(program)
    assert not device.wait_interrupt(1e-6)
    assert device.wait_interrupt()
    assert device.interrupt
    assert device.wait().cycles == covenant.run(program, image).cycles
    assert not device.interrupt, "the driver has cleared it"


@on("fixed")
def test_registers_and_memory_by_hand(device):
    assert device.read32(0x00).to_bytes(4, "little") == b"COVN"
    device.write_memory(100, np.arange(4, dtype=np.uint32))
    assert device.read_memory(100, 16) == np.arange(4, dtype=np.uint32).tobytes()
    assert device.read_memory(100, 16, "DRAM") == device.read_memory(100, 16)
    device.write_memory(200, b"covenant")
    assert device.read_memory(200, 8) == b"covenant"


@on("fixed")
@pytest.mark.parametrize("address", [2, 0x200, 0x1000, 0xFFFF_FFFC])
def test_accesses_that_no_register_takes(device, address):
    with refused("DRV0004"):
        device.read32(address)
    with refused("DRV0004"):
        device.write32(address, 1)
    assert device.read32(0x00).to_bytes(4, "little") == b"COVN"


def test_what_a_device_refuses(program, image):
    with refused("RUN0005"):
        covenant.Device(MACHINE, "interpret")
    for backend in BACKENDS:
        with refused("MEM0001"):
            covenant.Device(MACHINE, backend, memory="ddr9", build=BUILD)
        with pytest.raises(ValueError, match="memory_bytes"):
            covenant.Device(MACHINE, backend, memory_bytes=-1, build=BUILD)
        small = covenant.Device(MACHINE, backend, memory_bytes=4096, build=BUILD)
        with refused("DRV0005"):
            small.run(program, image)
        with refused("DRV0006"):
            small.run(covenant.compile(str(model_of("qdq")), "genesys:8x8"), image)
        with refused("RUN0003"):
            small.run(program, image[:, :, :4])
        with refused("DRV0013"):
            small.wait()
        with refused("DRV0015"):
            small.read_memory(4090, 7)
        with refused("DRV0015"):
            small.write_memory(4096, b"1")
        with refused("CLI0024.*\n.*VMEM"):
            small.read_memory(0, 1, "VMEM1")


@pytest.fixture
def control_c():
    """Ctrl-C raises KeyboardInterrupt, even where the process that started the tests ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_soon() -> None:
    threading.Timer(0.2, _thread.interrupt_main).start()


@on("fixed")
@pytest.mark.usefixtures("control_c")
def test_waiting_for_nothing_can_be_interrupted(device):
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        device.wait_interrupt(3600)


@pytest.mark.usefixtures("control_c")
def test_a_wait_can_be_interrupted_and_the_run_goes_on(program, image, root, tmp_path):
    """Before a memory that takes a millisecond for each answer the RTL has millions of cycles to go."""
    parameters = json.loads((root / "offchip/parameters/ddr4_2400.json").read_text())
    parameters["controller"]["latency_ps"] = 10**9
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps(parameters))
    device = covenant.Device(MACHINE, "rtl", memory=slow, build=BUILD)
    device.load(program, {program.inputs[0].name: image})
    device.start(program)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        device.wait(3600)
    assert device.status.is_busy
    device.abort()
    assert device.status.stop == "abort"
