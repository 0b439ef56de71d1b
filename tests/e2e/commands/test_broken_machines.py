"""200 machines that are broken by rule: each is refused with its code, its place and a fix, and nothing is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from broken import INCLUDED, MACHINES, Broken, broken_machines

from covenant import CommandDevice, CovenantError

SEED = int(os.environ.get("COVENANT_SEED", "45"))
COUNT = 2000 if os.environ.get("COVENANT_FULL") else 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("broken")
    for name in INCLUDED:
        (made / f"{name}.acg").write_text((MACHINES / f"{name}.acg").read_text())
    return made


@pytest.mark.parametrize("number", range(40))
def test_broken_machines_are_refused(number: int, folder: Path) -> None:
    for broken in broken_machines(COUNT, SEED)[number::40]:
        expect_refused(broken, folder / f"broken{number}.acg")


def expect_refused(broken: Broken, path: Path) -> None:
    path.write_text(broken.text)
    with pytest.raises(CovenantError) as error:
        CommandDevice(str(path), engine="evaluator")
    said = error.value.diagnostic
    about = f"{broken.rule}, seed {SEED}: {said}"
    assert said.code in broken.codes, about
    assert said.where is not None, about
    assert said.where.partition(":")[0] == str(path), about
    assert said.where.split(":")[1] == str(broken.line), about
    assert said.fix, about


STATES = """acg large {
  port bus { address = 32; data = 128; }
  for i in 0..4089 {
    state s$i : i64[4294967296];
    process p$i { s$i[0] = s$i[1]; }
  }
  instruction put on bus { decode = write and address == 0; update { s7[1] = 1; } }
}
"""
"""130 TiB with the bits of what is written, which is more than a process has addresses for."""


@pytest.mark.parametrize("engine", ["evaluator", "recorded", "auto"])
def test_state_without_memory_for_it(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "large.acg"
    path.write_text(STATES)
    with pytest.raises(CovenantError) as error:
        CommandDevice(str(path), engine=engine)
    said = error.value.diagnostic
    assert (said.code, said.subject, said.where) == ("BEH0039", "s0", f"{path}:4:11")
    assert said.offending == f"{4090 * 2**15}.0 MiB, of which {2**15}.0 are here"
