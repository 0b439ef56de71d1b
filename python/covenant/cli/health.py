"""Checks the tools and packages that the SDK needs, and says how to get those that are missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from covenant import _core

TOOLS = (
    ("c++", "building the C++ part", "apt-get install g++"),
    ("cmake", "building the C++ part", "apt-get install cmake"),
    ("ninja", "building the C++ part", "apt-get install ninja-build"),
    ("protoc", "building the ONNX reader", "apt-get install protobuf-compiler"),
    ("ccache", "building again, fast", "apt-get install ccache"),
    ("git", "working on the project", "apt-get install git"),
    ("verilator", "the backend rtl, covenant cosim", "apt-get install verilator"),
    ("make", "the backend rtl, covenant cosim", "apt-get install make"),
    ("yosys", "synthesis of the RTL: make synth", "apt-get install yosys"),
    ("llvm-mc", "./dev test: the encodings of hvx", "apt-get install llvm-14"),
    ("llvm-objdump", "./dev test: the encodings of hvx", "apt-get install llvm-14"),
    ("clang-format", "./dev format, ./dev lint", "pip install clang-format"),
    ("clang-tidy", "./dev lint", "pip install clang-tidy"),
)
PACKAGES = (
    ("numpy", "tensors", True),
    ("rich", "tables and progress", True),
    ("onnx", "the oracle: reading models", True),
    ("onnxruntime", "the oracle", True),
    ("matplotlib", "covenant bench multitarget --picture", False),
    ("vl_convert", "covenant run --report", False),
    ("pytest", "./dev test", False),
    ("hypothesis", "./dev test", False),
    ("ruff", "./dev lint", False),
)
_DISTRIBUTIONS = {"vl_convert": "vl-convert-python"}
"""Names to install, where they differ from the package's."""


@dataclass(frozen=True)
class Finding:
    """One thing examined."""

    name: str
    purpose: str
    ok: bool
    required: bool
    """False: only building or developing needs it."""
    found: str
    """Version or verdict."""
    fix: str

    @property
    def state(self) -> str:
        """State of the finding, for people."""
        if self.ok:
            return "ok"
        return "MISSING" if self.required else "missing, optional"

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        return asdict(self)


def examine() -> list[Finding]:
    """Everything, required things first."""
    findings = [_python(), _core_finding(), *map(_package, PACKAGES), *_oracle_findings()]
    findings += [_tool(*tool) for tool in TOOLS]
    return sorted(findings, key=lambda finding: not finding.required)


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", "everything", sys.version_info >= (3, 11), True, found, "install Python 3.11 or newer")


def _core_finding() -> Finding:
    return Finding("covenant._core", "compiler and simulator", True, True, _core.version, "./dev demo")


def _tool(name: str, purpose: str, fix: str) -> Finding:
    path = shutil.which(name) or shutil.which(f"{name}-14")  # Debian's name of an LLVM of that version
    found = _attempt(lambda: _first_line(path)) if path else ""
    return Finding(name, purpose, path is not None, False, found, fix)


def _first_line(path: str) -> str:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)
    return next((line.strip() for line in done.stdout.splitlines() if any(map(str.isdigit, line))), "")


def _package(package: tuple[str, str, bool]) -> Finding:
    name, purpose, required = package
    distribution = _DISTRIBUTIONS.get(name, name)
    missing = Finding(name, purpose, False, required, "", f"pip install {distribution}")
    try:
        if importlib.util.find_spec(name) is None:
            return missing
        found = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return missing
    return Finding(name, purpose, True, required, found, "")


def _oracle_findings() -> list[Finding]:
    """The oracle's version and kernels; it needs packages that may be what is missing."""
    what = ("onnxruntime pinned", "equality is claimed against it")
    try:
        from covenant import oracle
    except ImportError as error:
        return [Finding(*what, False, True, str(error), f"pip install {error.name}")]
    return [_oracle_version(oracle), _oracle_probe(oracle)]


def _oracle_version(oracle: Any) -> Finding:
    from covenant.onnx_runtime.sessions import PINNED_ONNXRUNTIME as pinned  # noqa: N811 (imports numpy)

    try:
        return Finding("onnxruntime pinned", "equality is claimed against it", True, True, oracle.check_version(), "")
    except oracle.OracleError as error:
        fix = f"pip install onnxruntime=={pinned}"
        return Finding("onnxruntime pinned", "equality is claimed against it", False, True, str(error), fix)


def _oracle_probe(oracle: Any) -> Finding:
    purpose = "exact integers on this processor"
    fix = "use a processor with VNNI, or compare models that need these kernels with `--compare reference`"
    try:
        from covenant.oracle.probe import probe

        verdict = probe()
    except oracle.OracleError as error:
        return Finding("onnxruntime kernels", purpose, False, False, str(error), fix)
    except ImportError as error:
        return Finding("onnxruntime kernels", purpose, False, False, str(error), f"pip install {error.name}")
    return Finding("onnxruntime kernels", purpose, verdict.exact, False, verdict.text, fix)


def _attempt(question: Callable[[], str]) -> str:
    """The answer, or why there is none."""
    try:
        return question()
    except Exception as error:  # noqa: BLE001 (a doctor reports whatever is wrong)
        return f"{type(error).__name__}: {error}"
