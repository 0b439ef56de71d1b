"""Documents show what happens: the README's numbers, and the code blocks and commands of all pages."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hvx_guide import PAGE as HVX_GUIDE
from readme import README, ROOT, run_demo, same_source, shown, stable
from readme_figures import MARK, figures

from covenant.verify.expected import describe, source_here

DIGITS = ROOT / "examples" / "01_digits"
STYLES = ("qoperator", "qdq")

# Pages whose code writes files are run in folders of their own.
DOCUMENTS = [README, *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path != HVX_GUIDE)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> list[str]:
    trace = tmp_path_factory.mktemp("demo") / "trace.json"
    lines = run_demo(trace)
    assert trace.stat().st_size > 1000
    return lines


def test_the_readme_shows_what_the_demo_prints(demo):
    """Every line, in order; rewritten by `./dev exec python tests/docs/readme.py`."""
    assert same_source(shown(README.read_text())) == same_source(stable(demo))


def test_the_readme_has_the_last_figures():
    """Rewritten by the same command."""
    assert MARK.search(README.read_text()).group(2) == figures()


def test_the_demo_says_what_it_promises(demo):
    text = "\n".join(demo)
    assert text.count("images equal to the expected outputs in every byte: 360 of 360") == 2
    for style in STYLES:
        model = DIGITS / f"digits_{style}.onnx"
        source = describe(model, source_here(model))["settings"]
        assert f"digits_{style}.onnx\n  expected outputs: from {source}\n" in text
    assert "accuracy in float: 0.9" in text
    assert re.search(r"simulated [\d,]+ cycles in [\d.]+ s: [\d,]+ cycles per second", text)


def test_the_readme_shows_exactly_the_two_commands():
    section = README.read_text().split("## Two commands")[1].split("```")[1]
    assert section.strip().splitlines() == ["./dev demo", "./dev test"]


def python_blocks() -> list[tuple[str, str]]:
    return [
        (f"{path.relative_to(ROOT)}:{index}", code)
        for path in DOCUMENTS
        for index, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL))
    ]


@pytest.mark.parametrize(("name", "code"), python_blocks(), ids=lambda value: value if ".md:" in value else "")
def test_python_in_documents_runs(name, code):
    assert name
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout
