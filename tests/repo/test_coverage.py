"""The figures of `./dev coverage`: how lines are counted, and which room a file is in."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "coverage"))

from by_room import File, cpp_files, python_files, rooms_of, summary_of


def test_a_line_of_several_instances_has_run_if_one_of_them_has() -> None:
    lines = [{"line_number": number, "count": count} for number, count in ((3, 0), (4, 0), (3, 2), (9, 0))]
    assert cpp_files({"files": [{"file": "sim/stats/a.cpp", "lines": lines}]}) == [File("sim/stats/a.cpp", 3, (4, 9))]


def test_rooms_are_folders_of_cpp_and_packages_of_python() -> None:
    report = {
        f"python/covenant/{name}": {"summary": {"num_statements": lines}, "missing_lines": missed}
        for name, lines, missed in (("study/run.py", 8, [1]), ("study/deep/a.py", 2, []), ("errors.py", 5, [4, 5]))
    }
    files = [File("compiler/families/vliw/a.cpp", 10, (7,)), File("platform/b.h", 4, ()), File("sim/empty.h", 0, ())]
    rooms = rooms_of([*files, *python_files({"files": report})])
    assert {room.name: (len(room.files), room.lines, room.missed) for room in rooms} == {
        "compiler/families": (1, 10, 1),
        "platform": (1, 4, 0),
        "python/covenant": (1, 5, 2),
        "python/covenant/study": (2, 10, 1),
    }


def test_rooms_below_the_least_are_named() -> None:
    summary = summary_of(rooms_of([File("sim/a/b.cpp", 20, (1, 2)), File("sim/c/d.cpp", 20, (1, 2, 3))]), 90)
    assert summary["below"] == ["sim/c"]
    assert summary["percent"] == 87.5
