"""TVM's own code for the kernels, if an interpreter is installed that has `apache-tvm`."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from covenant.bench.peers.kernel import Form, Kernel
from covenant.bench.peers.toolchains import SOURCES, Toolchain, run_tool

VARIABLE = "COVENANT_TVM"
"""Environment variable that names a Python interpreter with TVM. TVM pins its own versions, so ours rarely has it."""
MISSING = f"TVM is not here: ./dev bench peers installs it, or {VARIABLE} names a Python that has apache-tvm 0.27"
_KERNELS = SOURCES / "tvm_kernels.py"
_VERSION = "from importlib.metadata import version; print(version('apache-tvm'))"


@dataclass(frozen=True)
class Tvm:
    """TVM, and the compiler that assembles what it writes and links it with what surrounds all kernels."""

    name: str
    python: str
    chain: Toolchain

    def forms(self, kernel: Kernel) -> tuple[Form, ...]:
        """Forms of the kernel that it can build."""
        return kernel.tvm_forms

    def objects(self, form: Form, folder: Path, *, prefetch: bool) -> list[Path]:
        """Objects of one form, which define `kernel`. Raises CovenantError as `measure`."""
        run_tool([self.python, str(_KERNELS), str(folder), form.name, *(["prefetch"] if prefetch else [])], self.name)
        return [
            self.chain.compile(SOURCES / "tvm_runtime.s", folder / "tvm_runtime.o"),
            self.chain.compile(folder / f"{form.name}.s", folder / f"{form.name}.o"),
        ]


def tvm_of(chain: Toolchain) -> Tvm | None:
    """The TVM that is here, assembled by this compiler; None if there is none."""
    python = os.environ.get(VARIABLE) or sys.executable
    try:
        done = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=False)
    except OSError:
        return None
    release = ".".join(done.stdout.split(".")[:2])
    return Tvm(f"TVM {release}", python, chain) if done.returncode == 0 else None
