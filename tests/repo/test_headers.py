"""Every header compiles alone."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sources import ROOT, name_of, tracked


def compiler_flags() -> list[str]:
    flags = [
        "-std=c++20",
        "-fsyntax-only",
        "-x",
        "c++",
        "-Wno-pragma-once-outside-header",
        f"-I{ROOT}",
        "-DSC_CPLUSPLUS=201703L",
    ]
    for folder in ("/usr/include/eigen3",):
        flags += ["-isystem", folder] if Path(folder).is_dir() else []
    return flags


def complaint(header: Path) -> str:
    command = [os.environ.get("CXX", "c++"), *compiler_flags(), str(header)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else f"{name_of(header)}:\n{done.stderr[:1000]}"


def test_headers_compile_alone(request):
    """Done again only when a header has changed."""
    if shutil.which("c++") is None:
        pytest.fail("no C++ compiler on the path")
    headers = [
        path for path in tracked("*.h") if not name_of(path).startswith("python/")
    ]  # pybind11's are not in the tree
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in headers)).hexdigest()
    if request.config.cache.get("covenant/headers", "") == digest:
        return
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        complaints = [text for text in pool.map(complaint, headers) if text]
    assert complaints == [], "\n".join(complaints)
    request.config.cache.set("covenant/headers", digest)


def test_a_broken_header_is_seen():
    broken = ROOT / "build" / "broken_header_probe.h"
    broken.parent.mkdir(exist_ok=True)
    broken.write_text("#pragma once\ninline missing_type f();\n")
    try:
        assert "missing_type" in complaint(broken)
    finally:
        broken.unlink()
