"""Rewrites the README's expected numbers, and its table of figures.

./dev exec python tests/docs/readme.py      # from what the demo prints, and what proofs and benchmarks have said
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from readme_figures import MARK, figures

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- demo:[^\n]*-->\n```text\n)(.*?)(```\n<!-- end of demo -->)", re.DOTALL)

# Lines that depend on the computer. They are left out; where expected outputs come from is shown as on a processor on
# which ONNX Runtime is exact.
UNSTABLE = ("simulated ", "trace: ", "probe: ")
SOURCE = "  expected outputs: "


def run_demo(trace: Path) -> list[str]:
    """Lines that the demo prints; it fails if one byte differs from what is expected."""
    command = [sys.executable, str(ROOT / "examples/01_digits/demo.py"), "--trace", str(trace)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def same_source(lines: list[str]) -> list[str]:
    """Lines without the sources of expected outputs."""
    return [SOURCE if line.startswith(SOURCE) else line for line in lines]


def stable(lines: list[str]) -> list[str]:
    """Lines that are the same everywhere, but for the sources of expected outputs."""
    kept = [line for line in lines if not line.startswith(UNSTABLE)]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def shown(readme: str) -> list[str]:
    """Lines of the block."""
    match = BLOCK.search(readme)
    if match is None:
        raise ValueError("the README has lost its block of expected numbers")
    return match.group(2).splitlines()


def main() -> None:
    """Rewrites the block."""
    with tempfile.TemporaryDirectory() as folder:
        lines = stable(run_demo(Path(folder) / "trace.json"))
    sources = iter([line for line in shown(README.read_text()) if line.startswith(SOURCE)])
    lines = [next(sources, line) if line.startswith(SOURCE) else line for line in lines]
    content = "".join(f"{line}\n" for line in lines)
    text = BLOCK.sub(lambda match: match.group(1) + content + match.group(3), README.read_text())
    README.write_text(MARK.sub(lambda match: match.group(1) + figures() + match.group(3), text))


if __name__ == "__main__":
    main()
