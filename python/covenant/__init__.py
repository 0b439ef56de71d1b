"""Covenant: compilers and cycle-accurate models of deep-learning accelerators, from one description of the machine.

Example:
    >>> import covenant
    >>> machine = covenant.Machine("genesys", preset="8x8")
    >>> machine.parameters["M"]
    8
"""

from covenant._core import version as __version__

try:
    from covenant.build import Build
    from covenant.compiler import compile, emit, passes  # noqa: A004 (the verb of the field)
    from covenant.device import DEVICE_BACKENDS, Device, DeviceRun, DeviceStatus, RunReport
    from covenant.difference import Difference
    from covenant.errors import CovenantError, Diagnostic, InternalError
    from covenant.evaluation import AccuracyResult, SensitivityResult, accuracy, sensitivity
    from covenant.executable import ExecutableRun, ExecutablesRun, run_executable, run_executables
    from covenant.lockstep import CosimResult, cosim
    from covenant.machine import Machine, machines
    from covenant.memory_models import FIXED_MEMORY, MemoryModel, memories, memory_model
    from covenant.memory_statistics import MemoryStatistics
    from covenant.mixed import MixedLayer, MixedResult, run_mixed
    from covenant.optimisations import Optimisations
    from covenant.packet_profile import PacketProfile, RunProfile
    from covenant.program import Block, Program
    from covenant.pytorch import TorchExport, from_torch
    from covenant.quantization import QuantizationReport, quantize
    from covenant.result import Layer, LayerTensor, Result, TogetherResult
    from covenant.rtl_folder import rtl_files
    from covenant.session import BACKENDS, Session
    from covenant.simulate import run
    from covenant.tensor import Tensor
    from covenant.values import Values
    from covenant.verilated import VerilatedModel
except ModuleNotFoundError as error:  # a package that we need: `covenant doctor` must still be able to say so
    if (error.name or "").partition(".")[0] in ("", "covenant"):
        raise
    _missing = error

    def __getattr__(name: str) -> object:
        raise AttributeError(f"covenant.{name} needs the package {_missing.name}: pip install {_missing.name}")


__all__ = [
    "BACKENDS",
    "DEVICE_BACKENDS",
    "FIXED_MEMORY",
    "AccuracyResult",
    "Block",
    "Build",
    "CosimResult",
    "CovenantError",
    "Device",
    "DeviceRun",
    "DeviceStatus",
    "Diagnostic",
    "Difference",
    "ExecutableRun",
    "ExecutablesRun",
    "InternalError",
    "Layer",
    "LayerTensor",
    "Machine",
    "MemoryModel",
    "MemoryStatistics",
    "MixedLayer",
    "MixedResult",
    "Optimisations",
    "PacketProfile",
    "Program",
    "QuantizationReport",
    "Result",
    "RunProfile",
    "RunReport",
    "SensitivityResult",
    "Session",
    "Tensor",
    "TogetherResult",
    "TorchExport",
    "Values",
    "VerilatedModel",
    "__version__",
    "accuracy",
    "compile",
    "cosim",
    "emit",
    "from_torch",
    "machines",
    "memories",
    "memory_model",
    "passes",
    "quantize",
    "rtl_files",
    "run",
    "run_executable",
    "run_executables",
    "run_mixed",
    "sensitivity",
]
