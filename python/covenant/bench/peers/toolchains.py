"""Compilers of C with HVX intrinsics that are installed: Debian's clang-14 and clang-19, and the clang of `ziglang`."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from covenant.bench.peers.kernel import Form, Kernel
from covenant.errors import CovenantError, Diagnostic

SOURCES = Path(__file__).parent / "kernels"
"""Folder of the kernels in C, and of the code that surrounds all kernels."""

_TARGET = ("--target=hexagon", "-mcpu=hexagonv66", "-mhvx", "-mhvx-length=128b")
# Pairs of short instructions in one word change the size of code, never its packets; our core does not describe them.
_CODE = ("-O2", "-ffreestanding", "-fno-builtin", "-fno-pic", "-G0", "-mllvm", "-mno-pairing")


@dataclass(frozen=True)
class Toolchain:
    """A compiler and its linker."""

    name: str
    compiler: tuple[str, ...]
    linker: tuple[str, ...]

    def forms(self, kernel: Kernel) -> tuple[Form, ...]:
        """Forms of the kernel that it can build."""
        return kernel.forms

    def objects(self, form: Form, folder: Path, *, prefetch: bool) -> list[Path]:
        """Objects of one form, which define `kernel`. Raises CovenantError as `measure`."""
        defines = {"PREFETCH": 1} if prefetch else {}
        return [self.compile(SOURCES / f"{form.name}.c", folder / f"{self.name}_{form.name}.o", defines)]

    def compile(self, source: Path, to: Path, defines: dict[str, int] | None = None) -> Path:
        """An object of one source, C or assembly. Raises CovenantError as `measure`."""
        said = [f"-D{name}={value}" for name, value in (defines or {}).items()]
        run_tool([*self.compiler, *_TARGET, *_CODE, *said, "-c", str(source), "-o", str(to)], self.name)
        return to

    def link(self, objects: Sequence[Path], to: Path) -> Path:
        """A static executable. Raises CovenantError as `measure`."""
        run_tool([*self.linker, "-static", *map(str, objects), "-o", str(to)], self.name)
        return to


def toolchains() -> tuple[Toolchain, ...]:
    """Toolchains that are installed.

    Raises:
        CovenantError: CLI0022, there is none.
    """
    found = [chain for chain in (_debian(14), _debian(19), _zig()) if chain is not None]
    if found:
        return tuple(found)
    raise CovenantError(
        Diagnostic(
            "CLI0022",
            "no compiler for the Hexagon is here",
            allowed=("clang-14 with ld.lld-14", "clang-19 with ld.lld-19", "the Python package ziglang"),
            fix="apt-get install clang-14 lld-14, or pip install ziglang==0.17.1",
        )
    )


def _debian(version: int) -> Toolchain | None:
    clang, linker = shutil.which(f"clang-{version}"), shutil.which(f"ld.lld-{version}")
    return Toolchain(f"clang-{version}", (clang,), (linker,)) if clang and linker else None


def _zig() -> Toolchain | None:
    """The clang of Zig, called as itself, because `zig cc` would look for a libc."""
    package = importlib.util.find_spec("ziglang")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent
    zig = str(folder / "zig")
    headers = ("-nostdlibinc", "-isystem", str(folder / "lib/include"))
    version = subprocess.run([zig, "clang", "--version"], capture_output=True, text=True, check=False).stdout
    number = version.partition("clang version ")[2].partition(".")[0]
    return Toolchain(f"clang-{number}", (zig, "clang", *headers), (zig, "ld.lld")) if number else None


def run_tool(command: Sequence[str], name: str) -> None:
    """Runs a peer's tool.

    Raises:
        CovenantError: CLI0023, it fails.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    raise CovenantError(
        Diagnostic(
            "CLI0023",
            "a tool of a peer fails",
            subject=name,
            offending=done.stderr.strip()[-1000:] or f"exit code {done.returncode}",
            fix=f"run it by hand: {' '.join(command)}",
        )
    )
