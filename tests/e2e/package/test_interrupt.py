"""A command ends soon after Ctrl-C, also where it is in C++ for longer than that."""

from __future__ import annotations

import signal
import struct
import subprocess
import sys
import time

import pytest

ENTRY = "from covenant.cli import main; sys.argv[0] = 'covenant'; sys.exit(main())"
"""A shell starts what runs in the background with interrupts ignored; these tests shall have them."""

LOOP = 0x5800C000
"""`{ jump . }`: a packet that jumps to itself."""


def executable(words: list[int], base: int = 0x10000) -> bytes:
    """A Hexagon executable (ELF of 32 bits) of one segment."""
    at = 0x1000
    code = struct.pack(f"<{len(words)}I", *words)
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 164, 1, base, 52, 0, 0x67, 52, 32, 1, 40, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, at, base, base, len(code), len(code), 5, at)
    return (header + segment).ljust(at, b"\0") + code


@pytest.mark.parametrize("command", [("run", "loop.elf", "-m", "hvx")])
def test_it_ends_within_a_second(command, tmp_path):
    (tmp_path / "loop.elf").write_bytes(executable([LOOP]))
    starter = f"import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); {ENTRY}"
    running = subprocess.Popen(
        [sys.executable, "-c", starter, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=tmp_path,
    )  # fmt: skip
    time.sleep(3)
    assert running.poll() is None, running.communicate()
    running.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, error = running.communicate(timeout=60)
    assert running.returncode == 130, error
    assert time.monotonic() - begin < 5, "a second, and patience for a busy machine"
    assert "Traceback" not in error
