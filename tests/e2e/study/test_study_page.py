"""Pages and pictures of studies show whatever columns the table has, and a browser renders them without errors."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import pytest
from browser import found_on, needs_browser
from digits import DIGITS, model_of

import covenant
from covenant.quantization import Numerics
from covenant.report.page import script
from covenant.study import Objective, Study, StudyMachine, StudyModel, StudyResult, StudyRow
from covenant.study.numerics import table_of
from covenant.study.pictures import picture_names, write_pictures
from covenant.study.pictures.charts import charts_of
from covenant.study.pictures.columns import columns_of, names_of

vl_convert = pytest.importorskip("vl_convert", reason="vl-convert-python is not installed (requirements-dev.txt)")

CHECKS = Path(__file__).with_name("study_page_checks.js")
STUDY = Study(
    "arrays <of> digits",
    (
        StudyModel(model_of("qdq"), DIGITS / "digits_test.npz", images=12),
        StudyModel(model_of("qoperator"), DIGITS / "digits_test.npz", images=12),
    ),
    (StudyMachine("genesys", {"M": (4, 8, 16), "N": ("M",), "instruction_depth": (1024, 8)}),),
    ("fixed", "ddr4_2400"),
    objectives=(Objective("cycles", "min"), Objective("utilisation", "max")),
)
POINTS = 24
SUMMARY = """
const found = document.createElement("pre");
found.id = "found";
found.textContent = JSON.stringify(document.getElementById("summary").textContent);
document.body.append(found);
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return STUDY.run(tmp_path_factory.mktemp("study") / "x.sqlite", jobs=2)


@dataclass(frozen=True)
class Wider(StudyRow):
    """A row with what the page has never heard of."""

    leakage_by_node: dict | None = None
    sensitivity: dict | None = None
    worst: list = field(default_factory=list)


@pytest.fixture
def wider(result) -> StudyResult:
    """Every point at three precisions."""
    rows = []
    for bits in (2, 4, 8):
        for row in result.rows:
            known = {one.name: getattr(row, one.name) for one in fields(row)}
            known["numerics"] = table_of(Numerics(bits, 8, bits == 4))
            more: dict = {}
            if row.cycles:
                known |= {"accuracy": 1 - 0.9 ** (bits + row.parameters["M"] / 8), "float_accuracy": 0.98}
                more = {
                    "worst": [1, 2], "sensitivity": {"conv1": 0.1 / bits, "conv2": -0.01},
                    "leakage_by_node": {"array": row.cycles / 3, "buffers": 2.5 * bits, "memory": 1e6},
                }  # fmt: skip
            rows.append(Wider(**known, **more))
    return replace(
        result, rows=tuple(rows), points=result.points * 3,
        objectives=(Objective("cycles", "min"), Objective("accuracy", "max")),
    )  # fmt: skip


@needs_browser
@pytest.mark.parametrize(("dark", "width"), [(False, 1500), (True, 480)])
def test_a_browser_shows_a_study(result, tmp_path, dark, width):
    page = tmp_path / "study.html"
    result.write_page(page, reports=result.front_places)
    given = {"sorted": ["cycles", "M"], "search": "m=8 fixed qdq", "up": "stalls"}
    found = found_on(page, CHECKS, tmp_path, given, dark=dark, width=width)
    assert found["drawn"] == "yes"
    done = [row for row in result.rows if row.cycles]
    front = result.front()
    assert found["rows"] == POINTS
    assert len(done) == 12
    # Every point once, those of the front with their numbers, and a ring about the chosen one.
    assert (found["symbols"], found["rings"]) == (len(done), 1)
    assert found["against"] == len(done)
    assert all(str(number) in found["front"] for number in range(1, len(front) + 1))
    best = min(done, key=lambda row: row.cycles)
    assert f"{best.cycles:,}" in found["cards"]
    assert "12 failed" in found["cards"]
    assert [name[0] for name in found["names"]] == [str(number) for number in range(1, len(front) + 1)]
    assert found["title"] == f"1 · {found['names'][0][1:]}"
    assert "GEN0012" in found["failures"]
    assert "machine genesys" in found["same"]
    parts = ["Where the cycles go", "Where the energy goes", "Utilisation of each engine"]
    assert found["breakdowns"] == parts
    assert found["bars"][0] >= sum(2 + len(row.stalls_by_cause) for row in done) / 2
    assert found["width"] <= 0, "the page is wider than its window"
    # Reports of the front are beside it.
    assert len(found["links"]) == len(front)
    assert found["link"] == [found["links"][0]]
    for link in found["links"]:
        assert (tmp_path / link).is_file()
    # Effects of clicks.
    cycles = sorted((row.cycles for row in done), reverse=True)
    assert [cell for cell in found["sorted cycles"] if cell] == [f"{number:,}" for number in cycles]
    assert found["sorted M"] == [str(m) for m in sorted((row.parameters["M"] for row in result.rows), reverse=True)]
    assert "M=16" in found["clicked"]
    assert found["listed"] == found["title"]
    assert found["only"] == {"rows": len(front), "symbols": len(front), "shown": f"{len(front)} of {POINTS} points"}
    assert found["search"]["rows"] == 2
    assert "stalls" in found["up"]
    assert "stalls" not in found["front"]
    assert "M=" in found["hover"]
    assert "cycles" in found["hover"]
    # Text is light on dark, and dark on light; so are the axes.
    brightness = [sum(map(int, re.findall(r"\d+", found[key])[:3])) for key in ("text", "axis")]
    assert all((one > 380) == dark for one in brightness)


@needs_browser
def test_columns_that_nobody_has_told_of(wider, tmp_path):
    page = tmp_path / "study.html"
    wider.write_page(page)
    given = {"sorted": ["weight bits"], "search": "channel", "up": "numerics/weight_bits"}
    found = found_on(page, CHECKS, tmp_path, given)
    parts = [
        "Where the cycles go", "Where the energy goes", "Leakage by node", "Utilisation of each engine", "Sensitivity",
    ]  # fmt: skip
    assert found["breakdowns"] == parts
    assert {"weight bits", "granularity", "accuracy"} <= set(found["heads"])
    assert "worst" not in found["heads"]
    assert "float accuracy 0.9800" in found["same"]
    assert found["search"]["rows"] == POINTS
    assert all(name in found["labels"][4] for name in ("conv1", "conv2"))
    assert all(found["bars"])
    # No report is there: the command that writes it to where the page looks for it.
    assert found["links"] == []
    assert "--reports all" in found["command"]


def test_pictures(wider, tmp_path):
    """One of each kind, equal tables give equal files, and names of the front are in it."""
    names = {
        "front-cycles-accuracy", "accuracy-against-weight-bits", "stalls-by-cause", "energy-by-component",
        "leakage-by-node", "utilisation-of", "sensitivity",
    }  # fmt: skip
    assert set(picture_names(wider)) == names
    paths = write_pictures(wider, tmp_path / "one")
    assert {path.name for path in paths} == {f"{name}{ending}" for name in names for ending in (".svg", ".png")}
    for path in write_pictures(wider, tmp_path / "other"):
        assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes()
    front = (tmp_path / "one" / "front-cycles-accuracy.svg").read_text()
    told = names_of(wider.rows)
    assert all(told[place].replace("<", "&lt;") in front for place in wider.front_places)
    assert "arrays &lt;of&gt; digits" in front
    against = (tmp_path / "one" / "accuracy-against-weight-bits.svg").read_text()
    assert all(f">{text}<" in against for text in ("2", "4", "8", "weight bits", "accuracy"))
    stalls = (tmp_path / "one" / "stalls-by-cause.svg").read_text()
    assert all(f">{cause}<" in stalls for cause in ("compute", "drain", "control"))
    wider.plot(tmp_path / "one.svg", "sensitivity")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "one" / "sensitivity.svg").read_bytes()
    wider.plot(tmp_path / "first.png")
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "one" / "front-cycles-accuracy.png").read_bytes()


def test_bars_add_up(result):
    (stalls,) = [chart for chart in charts_of(result) if chart.name == "stalls-by-cause"]
    told = names_of(result.rows)
    for row, name in zip(result.rows, told, strict=True):
        values = [bar["value"] for bar in stalls.rows if bar["name"] == name]
        assert sum(values) == (row.cycles or 0)


def test_names_say_what_varies(result):
    assert len(set(names_of(result.rows))) == POINTS
    assert names_of(result.rows)[0] == "digits_qdq, M=4 instruction_depth=1024, fixed"
    assert names_of(result.rows[:1]) == ["genesys M=4 N=4 instruction_depth=1024"]
    keys = [column.key for column in columns_of(result.rows)]
    assert "parameters.M" in keys
    assert "parameters.N" not in keys  # it is M


def test_a_switch_is_shown_in_words():
    rows = [StudyRow("m", "x", {"M": 1}, "fixed", "done", {"equalize": on}) for on in (True, False)]
    (column,) = (one for one in columns_of(rows) if one.key == "numerics.equalize")
    assert column.values == ("yes", "no")


def test_equal_tables_give_equal_pages(result, tmp_path):
    """And the data of a page are its rows; nothing of it is loaded from elsewhere."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        result.write_page(tmp_path / name / "study.html")
    one, other = ((tmp_path / name / "study.html").read_text() for name in ("a", "b"))
    assert one.replace(str(tmp_path / "a"), "") == other.replace(str(tmp_path / "b"), "")
    assert "src=" not in one.split("<script>")[0]
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', one, re.DOTALL)[1])
    assert [row["cycles"] for row in data["rows"]] == [row.cycles for row in result.rows]
    assert [row["row"] for row in data["rows"] if row["front"]] == list(result.front_places)
    # No report is there: the command that writes it to where the page looks for it.
    commands = [row["command"] for row in data["rows"] if row["status"] == "done"]
    assert len(set(commands)) == len(commands) == 12
    assert f"--set M=4 --set N=4 --set instruction_depth=1024 --memory fixed --report {tmp_path / 'a'}" in commands[0]


def test_a_report_is_that_of_its_point(result, tmp_path):
    """The report has the cycles of the row; existing ones are kept, and another study's front does not disturb it."""
    place = next(place for place, row in enumerate(result.rows) if row.memory == "ddr4_2400" and row.cycles)
    failed = next(place for place, row in enumerate(result.rows) if not row.cycles)
    result.write_page(tmp_path / "study.html", reports=[place, failed])
    (folder,) = (tmp_path / "study.reports").iterdir()
    facts = json.loads((folder / "layers.json").read_text())
    assert facts["cycles"] == result.rows[place].cycles
    assert facts["memory"]["model"] == "ddr4_2400"
    assert facts["identical"] is True
    assert facts["images"] == 12
    (folder / "mine.txt").write_text("a note")
    result.write_page(tmp_path / "study.html", reports=[place])
    assert (folder / "mine.txt").is_file()


@needs_browser
def test_nothing_computed_yet(tmp_path):
    """A page all the same; there is nothing to draw."""
    known = STUDY.known(tmp_path / "none.sqlite")
    known.write_page(tmp_path / "study.html")
    checks = tmp_path / "checks.js"
    checks.write_text(SUMMARY)
    assert f"{POINTS} not computed yet" in found_on(tmp_path / "study.html", checks, tmp_path)
    with pytest.raises(covenant.CovenantError) as refused:
        known.plot(tmp_path / "x.svg")
    assert refused.value.code == "STU0022"


def test_the_command(tmp_path, covenant_command):
    study = tmp_path / "few.toml"
    study.write_text(
        f'name = "few"\n[[models]]\nmodel = "{model_of("qdq")}"\ndata = "{DIGITS / "digits_test.npz"}"\nimages = 2\n'
        '[[machines]]\nmachine = "genesys"\nparameters = {M = [8, 16], N = "M"}\n'
    )
    page, pictures = tmp_path / "out.html", tmp_path / "pictures"
    done = covenant_command("study", study, "--page", page, "--reports", "all", "--pictures", pictures, "--json")
    assert done.code == 0
    assert done.object["computed"] == 3
    assert page.is_file()
    assert len(list((tmp_path / "out.reports").iterdir())) == 2
    assert (pictures / "cycles-against-M.svg").is_file()
    before = page.read_bytes()
    assert covenant_command("study", study, "--page", page, "--jobs", 1).code == 0
    assert page.read_bytes() == before


def test_mistakes(result, tmp_path, covenant_command, monkeypatch):
    study = tmp_path / "x.toml"
    assert covenant_command("study", study, "--reports", "--json").object["error"]["code"] == "CLI0008"
    nowhere = tmp_path / "nowhere" / "study.html"
    assert covenant_command("study", study, "--page", nowhere, "--json").object["error"]["code"] == "CLI0006"
    study.write_text("a file")
    assert covenant_command("study", study, "--pictures", study, "--json").object["error"]["code"] == "CLI0026"
    for name, ending, code in (("front-cycles-accuracy", ".svg", "STU0022"), (None, ".gif", "CLI0013")):
        with pytest.raises(covenant.CovenantError) as refused:
            result.plot(tmp_path / f"x{ending}", name)
        assert refused.value.code == code
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    script.cache_clear()
    for what in ("--page", "--pictures"):
        assert covenant_command("study", study, what, tmp_path / "new", "--json").object["error"]["code"] == "CLI0012"
    assert not (tmp_path / "new").exists()
