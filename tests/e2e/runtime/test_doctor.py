"""`covenant doctor` reports what is missing, whatever that is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def without(package: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line where a package is not installed."""
    code = f"import sys; sys.modules['{package}'] = None; from covenant.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["rich", "numpy", "onnx", "onnxruntime"])
def test_a_missing_package_is_named(package):
    done = without(package, "doctor", "--json")
    assert done.returncode == 1, done.stderr
    content = json.loads(done.stdout)
    assert content["healthy"] is False
    (finding,) = [finding for finding in content["findings"] if finding["name"] == package]
    assert (finding["ok"], finding["fix"]) == (False, f"pip install {package}")
    text = without(package, "doctor")
    assert text.returncode == 1
    assert f"pip install {package}" in text.stdout


@pytest.mark.parametrize(
    ("package", "words"),
    [("rich", ["machines"]), ("rich", ["show", "no_such_machine"]), ("numpy", ["operators", "-m", "genesys"])],
)
def test_other_commands_say_so(package, words):
    done = without(package, *words)
    assert done.returncode == 2
    assert f"pip install {package}" in done.stderr
    assert "Traceback" not in done.stderr


def test_tools_of_the_rtl_are_listed(covenant_command):
    names = {finding["name"] for finding in covenant_command("doctor", "--json").object["findings"]}
    assert {"verilator", "make", "yosys", "llvm-mc", "llvm-objdump"} <= names


def test_a_missing_oracle_is_named_by_the_doctor(covenant_command, monkeypatch):
    from covenant.onnx_runtime import sessions

    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "0.0.1")
    done = covenant_command("doctor", "--json")
    assert done.code == 1
    assert done.object["healthy"] is False
    (finding,) = [one for one in done.object["findings"] if one["name"] == "onnxruntime pinned"]
    assert not finding["ok"]
    assert "0.0.1" in finding["fix"]
