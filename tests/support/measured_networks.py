"""Whole networks on machines, as `covenant bench networks` measures them, for the pages that show them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def measured(models: Iterable[str], machines: Iterable[str], figures: Path) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of the command, 0 or 1, and its rows; another code and none if it has failed.

    `figures`: a file that keeps them between runs.
    """
    command = [sys.executable, "-m", "covenant", "bench", "networks", "--json", "-o", str(figures)]
    command += [word for machine in machines for word in ("-m", machine)]
    command += [word for model in models for word in ("--model", model)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, json.loads(done.stdout)["rows"] if done.returncode in (0, 1) else []
