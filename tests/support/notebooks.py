"""Runs the examples' notebooks from top to bottom. `python tests/support/notebooks.py` writes what they print."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = (ROOT / "examples/04_study.ipynb",)


def executed(notebook: Path, folder: Path) -> Any:
    """The notebook with the outputs of a run in this folder, in which the examples are as they are beside it."""
    import nbformat
    from nbclient import NotebookClient

    content = nbformat.read(notebook, as_version=4)
    metadata = content.metadata.copy()
    for entry in notebook.parent.iterdir():
        if not (folder / entry.name).exists():
            (folder / entry.name).symlink_to(entry)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its kernel's sockets
        place = {"metadata": {"path": str(folder)}}
        NotebookClient(content, timeout=300, kernel_name="python3", resources=place, record_timing=False).execute()
    content.metadata = metadata  # not of the Python that ran it
    return content


def texts(notebook: Any) -> list[str]:
    """Text that each cell of code printed."""
    return [
        "".join(output.get("text", "") for output in cell.outputs if output.output_type == "stream")
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def pictures(notebook: Any) -> list[str]:
    """SVG that its cells have shown."""
    return [
        output.data["image/svg+xml"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/svg+xml" in output.get("data", {})
    ]


def main() -> int:
    """Runs all of them, and writes what comes out into them."""
    import nbformat

    for notebook in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            content = executed(notebook, Path(folder))
        nbformat.write(content, notebook)
        print(notebook.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
