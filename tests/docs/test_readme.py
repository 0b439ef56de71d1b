"""What the documents show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown() -> list[str]:
    block = re.search(r"<!-- demo:.*?-->\n```text\n(.*?)```\n<!-- end of demo -->", README, re.DOTALL)
    assert block, "the README has lost its block of expected numbers"
    return block.group(1).splitlines()


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> list[str]:
    trace = tmp_path_factory.mktemp("demo") / "trace.json"
    done = subprocess.run(
        [sys.executable, ROOT / "examples/01_digits/demo.py", "--trace", trace],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert trace.stat().st_size > 1000
    return done.stdout.splitlines()


def test_the_readme_shows_what_the_demo_prints(demo):
    """Every line, in order; only the speed of the simulation is left out of the README."""
    expected = [line for line in demo if not line.startswith(("simulated ", "trace: "))]
    while expected and not expected[-1]:
        expected.pop()
    assert shown() == expected


def test_the_demo_says_what_it_promises(demo):
    text = "\n".join(demo)
    assert text.count("images equal to ONNX Runtime in every output byte: 360 of 360") == 2
    assert "accuracy in float: 0.9" in text
    assert re.search(r"simulated [\d,]+ cycles in [\d.]+ s: [\d,]+ cycles per second", text)


def test_the_readme_shows_exactly_the_two_commands():
    section = README.split("## Two commands")[1].split("```")[1]
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
