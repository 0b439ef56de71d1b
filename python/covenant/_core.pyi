"""The C++ core, as the package uses it; tests/repo checks that these are its names."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

version: str

class Machine:
    name: str
    preset: str
    parameters: dict[str, int]
    engines: list[str]
    offchip_memories: dict[str, int]
    requant: Literal["fp32", "fixed", "fixed_tflite"]
    accumulator_bits: int
    saturates: bool
    issues_packets: bool
    clock_hertz: float
    def to_json(self) -> str: ...
    def print(self) -> str: ...
    def isa_manual(self) -> str: ...

class BlockResult:
    block: int
    name: str
    dtype: str
    shape: list[int]

class Program:
    model: str
    machine: Machine
    memory_bytes: int
    inputs: list[dict[str, Any]]
    outputs: list[dict[str, Any]]
    state: list[tuple[str, str]]
    blocks: list[dict[str, Any]]
    bindings: list[dict[str, str]]
    segments: list[dict[str, Any]]
    words: list[int]
    word_bits: int
    host_start: bytes
    host_end: bytes
    def with_host(self, start: bytes, end: bytes) -> Program: ...
    def disassemble(self) -> str: ...
    def to_bytes(self) -> bytes: ...

class ProgramParts:
    model: str
    parts: list[tuple[str, Program]]
    links: list[tuple[int, str, int, str]]
    inputs: list[dict[str, Any]]
    outputs: list[dict[str, Any]]
    state: list[tuple[str, str]]
    host_start: bytes
    host_end: bytes
    def with_host(self, start: bytes, end: bytes) -> ProgramParts: ...
    def to_bytes(self) -> bytes: ...

def is_parts_file(data: bytes) -> bool: ...
def read_parts(data: bytes, file_name: str) -> ProgramParts: ...
def compile_parts(
    model: str,
    machine: Machine,
    parts: Sequence[tuple[str, Machine]],
    library: str = "",
    without: list[str] = ...,
    fusion: bool = True,
    content: bytes = b"",
    threads: int = 0,
    state: list[tuple[str, str]] = ...,
) -> tuple[ProgramParts, list[list[BlockResult]]]: ...
def builtin_machines() -> list[str]: ...
def builtin_presets(machine: str) -> list[str]: ...
def builtin_command_machines() -> list[str]: ...
def load_machine(spec: str, settings: dict[str, str]) -> Machine: ...
def machine_parameters(spec: str) -> dict[str, int]: ...
def machine_from_json(text: str) -> Machine: ...
def read_program(data: bytes, file_name: str) -> Program: ...
def compile(  # noqa: A001 (the verb of the field)
    model: str,
    machine: Machine,
    library: str = "",
    schedule: str = "",
    schedule_file: str = "",
    without: list[str] = ...,
    fusion: bool = True,
    content: bytes = b"",
    threads: int = 0,
    state: list[tuple[str, str]] = ...,
) -> tuple[Program, str, list[BlockResult]]: ...
def emit(
    model: str,
    machine: Machine,
    after: str,
    library: str = "",
    schedule: str = "",
    schedule_file: str = "",
    without: list[str] = ...,
    fusion: bool = True,
    layer: str = "",
    content: bytes = b"",
) -> str: ...
def stage_names() -> list[str]: ...
def benchmark_layers() -> list[dict[str, Any]]: ...
def benchmark_bound(layer: str, machine: Machine, words: int) -> dict[str, Any]: ...
def cropped_layer(layer: str, crop: dict[str, int]) -> dict[str, Any]: ...
def benchmark_weights(layer: str) -> bytes: ...
def buffer_use(program: Program, block: int) -> dict[str, int]: ...
def block_bound(program: Program, block: int) -> dict[str, Any] | None: ...
def compile_layer(
    layer: str,
    machine: Machine,
    schedule: str = "",
    schedule_file: str = "",
    without: list[str] = ...,
    crop: dict[str, int] = ...,
) -> tuple[Program, str, list[BlockResult]]: ...
def elf_of(program: Program) -> bytes: ...
def is_elf(data: bytes) -> bool: ...
def execute(
    machine: Machine,
    file: bytes,
    name: str,
    cycles: bool,
    profile: bool,
    max_packets: int,
    input: bytes,  # noqa: A002 (the core's keyword)
    trace: bool,
    packets: tuple[int, int],
) -> dict[str, Any]: ...
def execute_together(
    machine: Machine,
    files: Sequence[tuple[bytes, str]],
    cycles: bool,
    profile: bool,
    max_packets: int,
    input: bytes,  # noqa: A002 (the core's keyword)
    trace: bool,
    packets: tuple[int, int],
) -> dict[str, Any]: ...
def loop_numbers(machine: Machine, packets: Sequence[tuple[int, str]]) -> list[str]: ...
def disassemble_executable(machine: Machine, file: bytes, name: str) -> str: ...
def explain(
    model: str,
    machine: Machine,
    layer: str,
    library: str = "",
    schedule: str = "",
    schedule_file: str = "",
    without: list[str] = ...,
    fusion: bool = True,
    content: bytes = b"",
) -> dict[str, Any]: ...
def embed(
    model: str,
    machine: Machine,
    relaxations: list[str] | None = None,
    most_nodes: int = 4_000_000,
    content: bytes = b"",
) -> list[dict[str, Any]]: ...
def embeddings(
    model: str,
    machine: Machine,
    relaxations: list[str] | None = None,
    most_nodes: int = 4_000_000,
    layer: str = "",
    shown: int | None = None,
    texts: list[str] = ...,
    library: str = "",
    content: bytes = b"",
) -> list[dict[str, Any]]: ...
def benchmark_embeddings(
    name: str,
    machine: Machine,
    relaxations: list[str] | None = None,
    most_nodes: int = 4_000_000,
    shown: int | None = None,
    texts: list[str] = ...,
) -> list[dict[str, Any]]: ...
def explain_network(
    model: str,
    machine: Machine,
    relaxations: list[str] | None = None,
    most_nodes: int = 4_000_000,
    layer: str = "",
    library: str = "",
    schedule: str = "",
    schedule_file: str = "",
    content: bytes = b"",
) -> list[dict[str, Any]]: ...
def relaxation_names() -> list[str]: ...

MOST_EMBEDDING_NODES: int

def explain_benchmark(
    layer: str, machine: Machine, schedule: str = "", schedule_file: str = "", without: list[str] = ...
) -> dict[str, Any]: ...
def search_convolution(
    channels: int,
    pixels: int,
    taps: int,
    layout: str,
    strategy: str,
    sums_are_instances: bool,
    most_nodes: int,
) -> dict[str, Any]: ...
def emit_layer(
    layer: str, machine: Machine, after: str, schedule: str = "", schedule_file: str = "", without: list[str] = ...
) -> str: ...
def backend_names() -> list[str]: ...
def memory_names() -> list[str]: ...
def memory_parameters(memory: str) -> dict[str, Any] | None: ...
def evaluate_reference(
    model: str,
    inputs: dict[str, np.ndarray],
    content: bytes = b"",
    all: bool = False,  # noqa: A002 (the core's keyword)
    requant: Literal["fp32", "fixed", "fixed_tflite"] = "fp32",
    alone: bool = False,
    accumulators: Machine | None = None,
) -> dict[str, np.ndarray]: ...

class Statistics:
    def to_json(self) -> str: ...

class Device:
    def load(self, program: Program, inputs: dict[str, np.ndarray]) -> None: ...
    def start(self, program: Program) -> None: ...
    def start_at(self, entry: int) -> None: ...
    def wait(self, timeout: int) -> dict[str, int]: ...
    def outputs(self, program: Program) -> dict[str, np.ndarray]: ...
    def abort(self) -> None: ...
    def clear(self) -> None: ...
    def status(self) -> dict[str, Any]: ...
    def counters(self) -> dict[str, int]: ...
    def interrupt(self) -> bool: ...
    def wait_interrupt(self, timeout: int) -> bool: ...
    def read32(self, address: int) -> int: ...
    def write32(self, address: int, value: int) -> None: ...
    def read_memory(self, memory: int, address: int, length: int) -> bytes: ...
    def write_memory(self, memory: int, address: int, bytes: np.ndarray) -> None: ...  # noqa: A002 (as in the core)

def open_systemc_device(machine: Machine, memory_bytes: int, memory: str) -> Device: ...
def simd_names() -> list[str]: ...

class ValuesPlan:
    inputs: list[dict[str, Any]]
    outputs: list[dict[str, Any]]
    made: list[dict[str, Any]]
    exact_nodes: list[str]
    def __init__(
        self,
        model: str,
        content: bytes = b"",
        requant: Literal["fp32", "fixed", "fixed_tflite"] = "fp32",
        simd: str = "",
        exact: bool = False,
        accumulators: Machine | None = None,
    ) -> None: ...
    def run(
        self, images: int, given: dict[str, np.ndarray], names: list[str], threads: int
    ) -> dict[str, np.ndarray]: ...

def open_rtl_device(machine: Machine, memory_bytes: int, memory: str, build: dict[str, Any]) -> Device: ...

class Session:
    def __init__(self, program: Program, backend: str, rtl: dict[str, Any]) -> None: ...
    def run(
        self,
        inputs: dict[str, np.ndarray],
        values: bool,
        trace: bool,
        records: bool,
        wave: str,
        profile: bool,
        packets: tuple[int, int],
        memory: str,
    ) -> dict[str, Any]: ...
    def run_together(
        self,
        inputs: Sequence[dict[str, np.ndarray]],
        trace: bool,
        records: bool,
        profile: bool,
        packets: tuple[int, int],
        memory: str,
    ) -> dict[str, Any]: ...
    def initial_state(self) -> dict[str, np.ndarray]: ...
    def run_blocks(
        self, inputs: dict[str, np.ndarray], results: Sequence[BlockResult], expected: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]: ...

class PartsSession:
    def __init__(self, parts: ProgramParts, backend: str, rtl: dict[str, Any]) -> None: ...
    def run(
        self, inputs: dict[str, np.ndarray], values: bool, trace: bool, records: bool, memory: str
    ) -> dict[str, Any]: ...
    def initial_state(self) -> dict[str, np.ndarray]: ...

class RtlModel:
    folder: str
    build_seconds: float
    has_wave: bool
    def __init__(self, machine: Machine, build: dict[str, Any]) -> None: ...

def default_rtl_cache() -> str: ...
def cosim(
    model: RtlModel,
    program: Program,
    inputs: dict[str, np.ndarray],
    wave: str,
    wave_cycles: tuple[int, int],
    memory: str,
    progress: Callable[[int, int], None] | None,
) -> dict[str, Any]: ...
def choose_blocks(program: Program, layers: list[str], words: tuple[int, int] | None) -> list[bool]: ...
def rtl_files(
    machine: Machine, program: Program | None, inputs: dict[str, np.ndarray], axi: str | None = None
) -> dict[str, str]: ...
def broken_machine(seed: int, index: int) -> tuple[str, bytes]: ...
def breaking_rules() -> list[str]: ...
def refusal_of(text: bytes) -> tuple[str, str, str]: ...
def random_machine(seed: int, index: int) -> tuple[str, Machine]: ...
def random_program(machine: Machine, seed: int, index: int) -> tuple[str, Program, dict[str, np.ndarray]]: ...
def run_mixed(
    model: RtlModel,
    program: Program,
    inputs: dict[str, np.ndarray],
    on_rtl: list[bool],
    progress: Callable[[int, int], None] | None,
) -> dict[str, Any]: ...
def has_machine_compiler() -> bool: ...
def rule_texts() -> dict[str, str]: ...

class MatchGraph:
    def __init__(self, nodes: list[tuple[str, list[int]]], shapes: dict[str, list[int]]) -> None: ...
    def saturate(
        self, texts: list[tuple[str, str, int, int]], without: set[str], iterations: int, nodes: int
    ) -> dict[str, Any]: ...
    def extract(
        self, roots: list[int], costs: dict[str, int], otherwise: int, most_steps: int
    ) -> tuple[list[tuple[int, str, list[int], list[int] | None]], int, int]: ...
    @property
    def fault(self) -> str | None: ...
    def classes(self) -> list[tuple[int, list[int] | None, list[tuple[str, list[int]]]]]: ...

class CommandMachine:
    def __init__(self, spec: str, settings: dict[str, str], engine: str) -> None: ...
    @property
    def engine(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def cycles(self) -> int: ...
    def command(self, port: str, writes: bool, address: int, data: bytes, most_cycles: int) -> bytes: ...
    def commands(
        self, port: str, writes: bytes, addresses: bytes, data: bytes, most_cycles: int
    ) -> tuple[int, bytes, int]: ...
    def use_memory(self, name: str, memory: np.ndarray) -> None: ...
    def wait(self, most_cycles: int) -> None: ...
    def counts(self) -> dict[str, Any]: ...
    def trace(self) -> str: ...
    def call(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.int64]: ...
    def describe(self) -> dict[str, Any]: ...
