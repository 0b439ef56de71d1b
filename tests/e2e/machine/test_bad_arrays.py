"""Damaged input files, or files that claim to hold more than they do, get a diagnostic and never an internal error."""

from __future__ import annotations

import struct
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from digits import model_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_bad_input import refused

import covenant
from covenant.program.inputs import file_feeds

QDQ = model_of("qdq")


def npy_of(shape: object, content: bytes = b"", element: str = "<f4") -> bytes:
    """An `.npy` file of 128 bytes and `content` whose header claims `shape`."""
    header = f"{{'descr': {element!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n" + content


CLAIMS = [(10**12, 1, 8, 8), (10**30, 1, 8, 8), (2**62, 2**62), (1, 1, 8, 8), (-1, 8), ("x",), 7, None]


@pytest.mark.parametrize("shape", CLAIMS)
def test_arrays_that_claim_more_than_there_is(shape, tmp_path, covenant_command):
    array = npy_of(shape)
    assert len(array) == 128
    (tmp_path / "x.npy").write_bytes(array)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("image.npy", array)
    for name in ("x.npy", "x.npz"):
        refused(covenant_command("run", QDQ, "-m", "genesys", "--input", tmp_path / name, "--json"), "CLI0002")


def test_archives_of_something_else(tmp_path, covenant_command):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("image.txt", "no array")
    refused(covenant_command("run", QDQ, "-m", "genesys", "--input", tmp_path / "x.npz", "--json"), "CLI0002")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["npy", "npz", "compressed"]),
    st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=4),
    st.integers(0, 40),
)
def test_damaged_inputs_are_refused(tmp_path, kind, changes, cut):
    """Bytes of a good file changed, and some left out at its end: an array that fits, or a diagnostic."""
    program = program_of_digits()
    image = np.arange(64, dtype=np.float32).reshape(1, 1, 8, 8)
    path = tmp_path / "x.npz"
    with path.open("wb") as file:
        {"npy": np.save, "npz": np.savez, "compressed": np.savez_compressed}[kind](file, image)
    content = bytearray(path.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    path.write_bytes(content[: len(content) - cut])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, about what it reads
        assert outcome(program, path) in (image.shape, "CLI0002", "CLI0003")


def outcome(program: covenant.Program, path: Path) -> object:
    """The shape of the first image, or the code of the diagnostic."""
    try:
        return file_feeds(program, path, None)[0]["image"].shape
    except covenant.CovenantError as error:
        return error.code


@cache
def program_of_digits() -> covenant.Program:
    return covenant.compile(QDQ, "genesys")
