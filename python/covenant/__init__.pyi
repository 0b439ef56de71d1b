"""Types of what `covenant` exports; it imports each module when a name of it is first used."""

from covenant.build import Build as Build
from covenant.compiler import compile as compile  # noqa: A004  (the verb of the field)
from covenant.compiler import emit as emit
from covenant.compiler import passes as passes
from covenant.device import (
    DEVICE_BACKENDS as DEVICE_BACKENDS,
)
from covenant.device import (
    Device as Device,
)
from covenant.device import (
    DeviceRun as DeviceRun,
)
from covenant.device import (
    DeviceStatus as DeviceStatus,
)
from covenant.device import (
    RunReport as RunReport,
)
from covenant.difference import Difference as Difference
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
from covenant.executable import (
    ExecutableRun as ExecutableRun,
)
from covenant.executable import (
    ExecutablesRun as ExecutablesRun,
)
from covenant.executable import (
    run_executable as run_executable,
)
from covenant.executable import (
    run_executables as run_executables,
)
from covenant.lockstep import CosimResult as CosimResult
from covenant.lockstep import cosim as cosim
from covenant.machine import Machine as Machine
from covenant.machine import machines as machines
from covenant.memory_models import (
    FIXED_MEMORY as FIXED_MEMORY,
)
from covenant.memory_models import (
    MemoryModel as MemoryModel,
)
from covenant.memory_models import (
    memories as memories,
)
from covenant.memory_models import (
    memory_model as memory_model,
)
from covenant.memory_statistics import MemoryStatistics as MemoryStatistics
from covenant.mixed import MixedLayer as MixedLayer
from covenant.mixed import MixedResult as MixedResult
from covenant.mixed import run_mixed as run_mixed
from covenant.optimisations import Optimisations as Optimisations
from covenant.packet_profile import PacketProfile as PacketProfile
from covenant.packet_profile import RunProfile as RunProfile
from covenant.program import Block as Block
from covenant.program import Program as Program
from covenant.pytorch import TorchExport as TorchExport
from covenant.pytorch import from_torch as from_torch
from covenant.quantization import QuantizationReport as QuantizationReport
from covenant.quantization import quantize as quantize
from covenant.result import (
    Layer as Layer,
)
from covenant.result import (
    LayerTensor as LayerTensor,
)
from covenant.result import (
    Result as Result,
)
from covenant.result import (
    TogetherResult as TogetherResult,
)
from covenant.rtl_folder import rtl_files as rtl_files
from covenant.session import BACKENDS as BACKENDS
from covenant.session import Session as Session
from covenant.simulate import run as run
from covenant.tensor import Tensor as Tensor
from covenant.values import Values as Values
from covenant.verilated import VerilatedModel as VerilatedModel

__version__: str
