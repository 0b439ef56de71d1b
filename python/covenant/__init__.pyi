"""Types of what `covenant` exports; it imports each module when a name of it is first used."""

from covenant.choices import BACKENDS as BACKENDS
from covenant.commands import CommandDevice as CommandDevice
from covenant.commands import CommandStream as CommandStream
from covenant.commands import replay as replay
from covenant.compiler import compile as compile  # noqa: A004  (the verb of the field)
from covenant.compiler import emit as emit
from covenant.compiler import passes as passes
from covenant.compiler.compile_parts import compile_parts as compile_parts
from covenant.compiler.optimisations import Optimisations as Optimisations
from covenant.errors import CovenantError as CovenantError
from covenant.errors import Diagnostic as Diagnostic
from covenant.errors import InternalError as InternalError
from covenant.evaluation import (
    AccuracyResult as AccuracyResult,
)
from covenant.evaluation import (
    SensitivityResult as SensitivityResult,
)
from covenant.evaluation import (
    accuracy as accuracy,
)
from covenant.evaluation import (
    sensitivity as sensitivity,
)
from covenant.machine import Machine as Machine
from covenant.machine import machines as machines
from covenant.machine.memory_models import (
    FIXED_MEMORY as FIXED_MEMORY,
)
from covenant.machine.memory_models import (
    MemoryModel as MemoryModel,
)
from covenant.machine.memory_models import (
    memories as memories,
)
from covenant.machine.memory_models import (
    memory_model as memory_model,
)
from covenant.model.pytorch import TorchExport as TorchExport
from covenant.model.pytorch import from_torch as from_torch
from covenant.program import Block as Block
from covenant.program import Program as Program
from covenant.program import ProgramParts as ProgramParts
from covenant.program.rtl_folder import rtl_files as rtl_files
from covenant.program.tensor import Tensor as Tensor
from covenant.quantization import QuantizationReport as QuantizationReport
from covenant.quantization import quantize as quantize
from covenant.runtime.build import Build as Build
from covenant.runtime.device import (
    DEVICE_BACKENDS as DEVICE_BACKENDS,
)
from covenant.runtime.device import (
    Device as Device,
)
from covenant.runtime.device import (
    DeviceRun as DeviceRun,
)
from covenant.runtime.device import (
    DeviceStatus as DeviceStatus,
)
from covenant.runtime.device import (
    RunReport as RunReport,
)
from covenant.runtime.difference import Difference as Difference
from covenant.runtime.executable import (
    ExecutableRun as ExecutableRun,
)
from covenant.runtime.executable import (
    ExecutablesRun as ExecutablesRun,
)
from covenant.runtime.executable import (
    run_executable as run_executable,
)
from covenant.runtime.executable import (
    run_executables as run_executables,
)
from covenant.runtime.memory_statistics import MemoryStatistics as MemoryStatistics
from covenant.runtime.mixed import MixedLayer as MixedLayer
from covenant.runtime.mixed import MixedResult as MixedResult
from covenant.runtime.mixed import run_mixed as run_mixed
from covenant.runtime.packet_profile import PacketProfile as PacketProfile
from covenant.runtime.packet_profile import RunProfile as RunProfile
from covenant.runtime.parts_session import PartsResult as PartsResult
from covenant.runtime.parts_session import PartsSession as PartsSession
from covenant.runtime.result import (
    Layer as Layer,
)
from covenant.runtime.result import (
    LayerTensor as LayerTensor,
)
from covenant.runtime.result import (
    Result as Result,
)
from covenant.runtime.result import (
    TogetherResult as TogetherResult,
)
from covenant.runtime.session import Session as Session
from covenant.runtime.simulate import run as run
from covenant.runtime.values import Values as Values
from covenant.runtime.verilated import VerilatedModel as VerilatedModel
from covenant.verify.lockstep import CosimResult as CosimResult
from covenant.verify.lockstep import cosim as cosim

__version__: str
