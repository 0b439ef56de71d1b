"""Cost of compiling on this computer, as `covenant compile --json` reports it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time

import pytest
from digits import model_of

from covenant.bench.cost import measured

MIB = 2**20
ALLOCATE = """
import covenant.bench.cost as cost
before = cost.peak_memory_bytes()
_, after = cost.measured(lambda: b"x" * (300 << 20))
print(before, after.peak_memory_bytes)
"""


def test_waiting_takes_time_but_no_processor():
    _, cost = measured(lambda: time.sleep(0.2))
    assert cost.seconds >= 0.2
    assert cost.processor_seconds < 0.1


def test_working_takes_the_processor():
    begin = time.process_time()
    _, cost = measured(lambda: hashlib.pbkdf2_hmac("sha256", b"", b"", 200_000))
    assert 0 < cost.processor_seconds <= time.process_time() - begin


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the memory of the parent counts, too")
def test_the_peak_is_this_process_s_own():
    """Half a gigabyte of the process that starts it does not count; what it allocates and frees does."""
    held = b"x" * (512 * MIB)
    done = subprocess.run([sys.executable, "-c", ALLOCATE], stdout=subprocess.PIPE, text=True, check=True)
    assert len(held) == 512 * MIB
    before, peak = map(int, done.stdout.split())
    assert before < 200 * MIB
    assert before + 250 * MIB < peak < before + 350 * MIB


def test_compile_reports_what_the_system_reports(tmp_path):
    """Compiling costs no more than the whole command, by the system's own account of it."""
    command = [sys.executable, "-m", "covenant", "compile", model_of("qdq"), "-m", "genesys:8x8", "--json"]
    start = time.perf_counter()
    with (tmp_path / "out").open("w+") as out:
        child = subprocess.Popen([*command, "-o", tmp_path / "x.cprog"], stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        out.seek(0)
        report = json.load(out)
    assert child.returncode == 0
    assert 0 < report["seconds"] < seconds
    assert 0 < report["processor_seconds"] < used.ru_utime + used.ru_stime
    assert 5 * MIB < report["peak_memory_bytes"] <= used.ru_maxrss * 1024
