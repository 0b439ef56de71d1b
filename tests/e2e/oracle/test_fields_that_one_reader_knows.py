"""A model whose file the compiler reads and the package onnx does not: a field that only the newer of both knows."""

from __future__ import annotations

from pathlib import Path

import pytest

import covenant
from covenant.cli import MISTAKE, OK, main
from covenant.oracle import OracleError, oracle_of
from covenant.oracle.witness import Witness
from covenant.report.annotate import annotated

DIGITS = Path(__file__).resolve().parents[3] / "examples/01_digits/digits_qdq.onnx"
NEW_FIELD = b"\xd2\x01\x04abcd"  # number 26 of a model, whose content is no message


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "new.onnx"
    path.write_bytes(DIGITS.read_bytes() + NEW_FIELD)
    return path


def test_onnx_runtime_is_no_oracle_of_it(model: Path) -> None:
    assert covenant.compile(model, "genesys:8x8").blocks
    with pytest.raises(OracleError, match="reads no model"):
        oracle_of(model)
    with pytest.raises(OracleError, match="reads no model"):
        Witness(model)
    with pytest.raises(covenant.CovenantError, match="reads no model") as caught:
        annotated(model, [])
    assert caught.value.code == "ONX0002"


def test_it_runs_beside_the_reference_alone(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", str(model), "-m", "genesys:8x8"]
    assert main([*words, "--compare", "reference"]) == OK
    assert main([*words, "--compare", "onnxruntime"]) == MISTAKE
    assert "CLI0004" in capsys.readouterr().err
