"""Every header compiles alone.

A source file includes its own header first, so the build has compiled most of them; here are those without a source.
"""

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

FIRST = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
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


def headers_of_rooms() -> list[Path]:
    """All but those of pybind11's modules: its own headers are not on the compiler's path."""
    return [path for path in tracked("*.h") if room_of(path) in ROOMS and room_of(path) != "python"]


def has_source(header: Path) -> bool:
    return header.with_suffix(".cpp").is_file()


def test_a_source_includes_its_header_first():
    sources = {path: path.with_suffix(".cpp") for path in headers_of_rooms() if has_source(path)}
    others = [name_of(path) for path, source in sources.items() if FIRST.search(source.read_text())[1] != name_of(path)]
    assert sources
    assert others == []


def test_other_headers_compile_alone(request):
    """Compiles headers that changed since they last compiled."""
    if shutil.which("c++") is None:
        pytest.fail("no C++ compiler on the path")
    headers = [path for path in headers_of_rooms() if not has_source(path)]
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
