"""Every header compiles alone."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from sources import ROOMS, ROOT, name_of, room_of, tracked

QUOTED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
FLAGS = [
    *("-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{ROOT}", "-isystem", "/usr/include/eigen3"),
    *("-DSC_CPLUSPLUS=201703L", "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx"),
]


@cache
def reaches(path: Path) -> frozenset[Path]:
    """The header and every header of ours that it includes, however far."""
    inside = [ROOT / name for name in QUOTED.findall(path.read_text()) if (ROOT / name).is_file()]
    return frozenset({path}).union(*(reaches(header) for header in inside))


def digest(header: Path) -> str:
    """Changes whenever the header, or one that it includes, does."""
    content = b"".join(path.read_bytes() for path in sorted(reaches(header)))
    return hashlib.sha256(" ".join(FLAGS).encode() + content).hexdigest()


def complaint(header: Path) -> str:
    """The compiler's message; empty if the header compiles."""
    command = [os.environ.get("CXX", "c++"), *FLAGS, str(header)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else f"{header}:\n{done.stderr[:1000]}"


def test_headers_compile_alone(request):
    """Compiles headers that changed since they last compiled. pybind11's headers are not on the compiler's path."""
    if shutil.which("c++") is None:
        pytest.fail("no C++ compiler on the path")
    headers = [path for path in tracked("*.h") if room_of(path) in ROOMS and room_of(path) != "python"]
    digests = {name_of(path): digest(path) for path in headers}
    good = request.config.cache.get("covenant/headers", {})
    changed = [path for path in headers if good.get(name_of(path)) != digests[name_of(path)]]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        complaints = dict(zip(changed, pool.map(complaint, changed), strict=True))
    good = {name_of(path): digests[name_of(path)] for path in headers if not complaints.get(path)}
    request.config.cache.set("covenant/headers", good)
    assert [text for text in complaints.values() if text] == []


def test_a_broken_header_is_seen():
    broken = ROOT / "build" / "broken_header_probe.h"
    broken.parent.mkdir(exist_ok=True)
    broken.write_text("#pragma once\ninline missing_type f();\n")
    try:
        assert "missing_type" in complaint(broken)
    finally:
        broken.unlink()
