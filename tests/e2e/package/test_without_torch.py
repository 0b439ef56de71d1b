"""Without PyTorch, `from_torch` says that it is missing, and everything else works."""

from __future__ import annotations

import sys

import pytest

import covenant


def test_without_pytorch(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.from_torch(None, None, tmp_path / "x.onnx")
    assert refused.value.code == "TCH0001"
    assert "pip install" in refused.value.fix
