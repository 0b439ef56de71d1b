"""Builds the kernels, runs them on our model of the core and in QEMU, and compares their bits with numpy's."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant.bench.peers.kernel import Form, Kernel
from covenant.bench.peers.ours import Ours, ours_of
from covenant.bench.peers.toolchains import SOURCES, Toolchain
from covenant.bench.peers.tvm import Tvm
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine
from covenant.runtime.executable import run_executable

Peer = Toolchain | Tvm

_COUNTERS = 8  # bytes: packets and cycles, a word each
_EMULATOR = ("qemu-hexagon", "qemu-hexagon-static")


@dataclass(frozen=True)
class PeerRow:
    """One kernel by one peer. Its own packets and cycles, without its inputs and outputs coming and going."""

    kernel: str
    peer: str
    form: str
    prefetch: bool
    """Whether the peer's code, and ours, prefetch into the cache before off-chip memory."""
    packets: int
    cycles: int
    """Cycles on our model, with caches empty at first."""
    identical: bool
    """Whether the output is exact, on our model and in QEMU."""
    emulated_packets: int | None
    """Packets that QEMU counts; None if it is not here."""
    ours_packets: int
    """Packets that our compiler's code for the same kernel executes."""
    ours_cycles: int
    ours_identical: bool
    """Whether the output of ours is exact, too."""


def measure(kernel: Kernel, peers: Sequence[Peer], machine: Machine) -> list[PeerRow]:
    """Rows for each form of the kernel that a peer can build: without prefetch and, if it has such a variant, with it.

    Raises:
        CovenantError: CLI0023, a tool fails; also as `run_executable`.
    """
    ours = {prefetch: ours_of(kernel, machine, prefetch=prefetch) for prefetch in (False, True)}
    with tempfile.TemporaryDirectory() as folder:
        cases = [Case(kernel, peer, machine, Path(folder)) for peer in peers if peer.forms(kernel)]
        return [row for case in cases for row in case.rows(ours)]


class Case:
    """One kernel by one compiler on one machine, with its inputs, and what surrounds all forms built in a folder.

    Raises:
        CovenantError: CLI0023, a tool fails.
    """

    def __init__(self, kernel: Kernel, peer: Peer, machine: Machine, folder: Path) -> None:
        self._kernel, self._peer, self._machine, self._folder = kernel, peer, machine, folder
        self._chain = peer if isinstance(peer, Toolchain) else peer.chain
        self._first, self._second = kernel.inputs()
        sizes = {
            "FIRST_BYTES": self._first.nbytes,
            "SECOND_BYTES": self._second.nbytes,
            "OUTPUT_BYTES": kernel.expected(self._first, self._second).nbytes,
        }
        self._surroundings = [
            self._chain.compile(SOURCES / "start.s", folder / "start.o"),
            self._chain.compile(SOURCES / "harness.c", folder / f"{peer.name}_harness.o", sizes),
        ]

    def rows(self, ours: Mapping[bool, Ours]) -> list[PeerRow]:
        """Builds and runs all forms, beside ours without and with prefetch. Raises CovenantError as `measure`."""
        return [
            self.row(form, ours[prefetch], prefetch=prefetch)
            for form in self._peer.forms(self._kernel)
            for prefetch in ((False, True) if form.can_prefetch else (False,))
        ]

    def row(self, form: Form, ours: Ours, *, prefetch: bool) -> PeerRow:
        """Builds and runs one variant of a form. Raises CovenantError as `measure`."""
        wanted = (form.expected or self._kernel.expected)(self._first, self._second).tobytes()
        path = self.build(form, prefetch=prefetch)
        second = self._second if form.packed is None else form.packed(self._second)
        content = self._first.tobytes() + second.tobytes()
        run = run_executable(path, self._machine, standard_input=content)
        emulated = emulate(path, content)
        outputs = [run.output] + ([] if emulated is None else [emulated])
        packets, cycles = (int(count) for count in np.frombuffer(run.output[:_COUNTERS], np.uint32))
        return PeerRow(
            self._kernel.name,
            self._peer.name,
            form.what,
            prefetch,
            packets,
            cycles,
            all(output[_COUNTERS:] == wanted for output in outputs),
            None if emulated is None else int(np.frombuffer(emulated[:4], np.uint32)[0]),
            ours.packets,
            ours.cycles,
            ours.identical,
        )

    def build(self, form: Form, *, prefetch: bool) -> Path:
        """The executable of one variant: it reads its inputs and writes two counters and its output.

        Raises:
            CovenantError: CLI0023, a tool fails.
        """
        objects = self._peer.objects(form, self._folder, prefetch=prefetch)
        return self._chain.link([*self._surroundings, *objects], self._folder / f"{form.name}.elf")


def emulate(path: Path, content: bytes) -> bytes | None:
    """Output in QEMU; None if QEMU is not installed.

    Raises:
        CovenantError: CLI0023, it fails.
    """
    emulator = next(filter(None, map(shutil.which, _EMULATOR)), None)
    if emulator is None:
        return None
    done = subprocess.run([emulator, "-cpu", "v67", str(path)], input=content, capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout
    raise CovenantError(
        Diagnostic(
            "CLI0023",
            "a tool of a peer fails",
            subject="qemu-hexagon",
            offending=done.stderr.decode(errors="replace").strip()[-1000:] or f"exit code {done.returncode}",
            fix=f"run it by hand: {emulator} -cpu v67 {path}",
        )
    )
