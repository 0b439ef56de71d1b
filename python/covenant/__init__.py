"""Covenant: compilers and cycle-accurate models of deep-learning accelerators, from one description of the machine.

Example:
    >>> import covenant
    >>> machine = covenant.Machine("genesys", preset="8x8")
    >>> machine.parameters["M"]
    8
"""

from importlib import import_module
from typing import Any

from covenant._core import version as __version__

_NAMES = {
    "choices": ("BACKENDS",),
    "commands": (
        "CommandDevice",
        "CommandStream",
        "replay",
    ),
    "runtime.build": ("Build",),
    "compiler.compile_parts": ("compile_parts",),
    "compiler": (
        "compile",
        "emit",
        "passes",
    ),
    "runtime.device": (
        "DEVICE_BACKENDS",
        "Device",
        "DeviceRun",
        "DeviceStatus",
        "RunReport",
    ),
    "runtime.difference": ("Difference",),
    "errors": (
        "CovenantError",
        "Diagnostic",
        "InternalError",
    ),
    "evaluation": (
        "AccuracyResult",
        "SensitivityResult",
        "accuracy",
        "sensitivity",
    ),
    "runtime.executable": (
        "ExecutableRun",
        "ExecutablesRun",
        "run_executable",
        "run_executables",
    ),
    "verify.lockstep": (
        "CosimResult",
        "cosim",
    ),
    "machine": (
        "Machine",
        "machines",
    ),
    "machine.memory_models": (
        "FIXED_MEMORY",
        "MemoryModel",
        "memories",
        "memory_model",
    ),
    "runtime.memory_statistics": ("MemoryStatistics",),
    "runtime.mixed": (
        "MixedLayer",
        "MixedResult",
        "run_mixed",
    ),
    "compiler.optimisations": ("Optimisations",),
    "runtime.packet_profile": (
        "PacketProfile",
        "RunProfile",
    ),
    "program": (
        "Block",
        "Program",
        "ProgramParts",
    ),
    "model.pytorch": (
        "TorchExport",
        "from_torch",
    ),
    "quantization": (
        "QuantizationReport",
        "quantize",
    ),
    "runtime.parts_session": (
        "PartsResult",
        "PartsSession",
    ),
    "runtime.result": (
        "Layer",
        "LayerTensor",
        "Result",
        "TogetherResult",
    ),
    "program.rtl_folder": ("rtl_files",),
    "runtime.session": ("Session",),
    "runtime.simulate": ("run",),
    "program.tensor": ("Tensor",),
    "runtime.values": ("Values",),
    "runtime.verilated": ("VerilatedModel",),
}
"""Names that the package exports, by the module that has them. A module is imported when a name of it is first used."""

_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]  # noqa: PLE0604  (all of them are strings)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'covenant' has no attribute '{name}'")
    try:
        module = import_module(f"covenant.{_MODULE_OF.get(name, name)}")
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing == f"covenant.{name}":
            raise AttributeError(f"module 'covenant' has no attribute '{name}'") from None
        if missing.partition(".")[0] in ("", "covenant"):
            raise
        raise AttributeError(f"covenant.{name} needs the package {missing}: pip install {missing}") from error
    value = getattr(module, name) if name in _MODULE_OF else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
