"""Runs a script on a page in a headless browser. `./dev test` installs Chromium where it can."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser: apt-get install chromium")


def found_on(
    page: Path, checks: Path, folder: Path, given: Any = None, *, dark: bool = False, width: int = 1500
) -> dict[str, Any]:
    """Result of a script on a page, with no host name resolved; a message on the console fails the test.

    Args:
        page: an HTML file. What it links to is found where it would be beside it.
        checks: JavaScript that runs at its end, and puts a JSON object into an element <pre id="found">.
        folder: for the browser's own files.
        given: to the script, as the constant `given`.
        dark: whether the reader prefers dark pages.
        width: of the window, pixels.
    """
    checked = page.with_name(f"checked-{page.name}")
    checked.write_text(f"{page.read_text()}<script>const given = {json.dumps(given)};{checks.read_text()}</script>")
    options = [
        "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=20000", "--enable-logging=stderr", "--dump-dom", "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--window-size={width},1200",
    ]  # fmt: skip
    done = subprocess.run(
        [str(BROWSER), *options, checked.as_uri()], capture_output=True, text=True, check=True, timeout=120
    )
    said = "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
    assert not said, said
    return json.loads(done.stdout.split('<pre id="found">')[1].split("</pre>")[0])
