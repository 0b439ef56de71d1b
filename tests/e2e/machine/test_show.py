"""Every form that `covenant show` prints, of every machine that comes with the SDK."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from digits import model_of

import covenant
from covenant.machine.picture import COMPUTE, MEMORY, layers, links, size_text, to_dot, to_svg

FOUR_BITS = ("01", "02", "05", "06", "08", "11", "12")
MACHINES = [
    name
    for machine, presets in covenant.machines().items()
    for name in (machine, *(f"{machine}:{preset}" for preset in presets))
]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("spec", MACHINES)
def test_json_and_back(spec, covenant_command, monkeypatch):
    once = covenant_command("show", spec, "--json")
    assert once.code == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(once.out))
    again = covenant_command("show", "-", "--json")
    assert again.code == 0, again.error
    assert again.out == once.out


def test_json_has_no_settings(covenant_command, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(covenant.Machine("genesys").to_json()))
    refused = covenant_command("show", "-", "--set", "M=8", "--json")
    assert refused.code != 0
    assert refused.object["error"]["code"] == "CLI0008"


@pytest.mark.parametrize("preset", FOUR_BITS)
def test_bytes_on_designs_of_four_bits_are_refused(preset, covenant_command, tmp_path):
    """The message names the layer, and what its elements would have to be."""
    refused = covenant_command(
        "compile", model_of("qdq"), "-m", f"genesys:{preset}", "-o", tmp_path / "a.cprog", "--json"
    )
    assert refused.code == 2
    said = refused.object["error"]
    assert said["code"] == "NET0030"
    assert said["subject"] == "image_QuantizeLinear (QuantizeLinear)"
    assert said["offending"] == "i8 of image_QuantizeLinear_Output"
    assert said["allowed"] == ["i4", "u4"]


@pytest.mark.parametrize("spec", MACHINES)
def test_the_picture_has_every_node_and_every_edge(spec, covenant_command):
    graph = covenant.Machine(spec).to_dict()
    picture = ET.fromstring(covenant_command("show", spec, "--svg").out)
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    fills = [box.get("fill") for box in picture.iter(f"{SVG}rect")]
    assert fills.count(MEMORY[0]) == len(graph["memories"])
    assert fills.count(COMPUTE[0]) == len(graph["computes"])
    for node in graph["memories"] + graph["computes"]:
        assert node["name"] in texts
    assert len(list(picture.iter(f"{SVG}line"))) == len(links(graph))
    for link in links(graph):
        assert not link.label or link.label in texts


@pytest.mark.parametrize("spec", MACHINES)
def test_no_box_lies_on_another(spec):
    picture = ET.fromstring(to_svg(covenant.Machine(spec).to_dict()))
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for box in picture.iter(f"{SVG}rect")
        if box.get("rx")
    ]
    for index, (x, y, width, height) in enumerate(boxes):
        for left, top, wide, high in boxes[:index]:
            assert x + width < left or left + wide < x or y + height < top or top + high < y
        assert x >= 0
        assert x + width <= float(picture.get("width"))
        assert y + height <= float(picture.get("height"))


def test_both_directions_of_one_width_are_one_line():
    graph = covenant.Machine("genesys").to_dict()
    lines = links(graph)
    assert sum(2 if link.both else 1 for link in lines) == len(graph["edges"])
    assert any(link.both for link in lines)


def test_off_chip_memory_is_on_top():
    assert layers(covenant.Machine("genesys").to_dict())[0] == ["DRAM"]


def test_dot_names_the_same():
    graph = covenant.Machine("genesys").to_dict()
    text = to_dot(graph)
    assert text.count(" -> ") == len(links(graph))
    assert text.count("fillcolor") == len(graph["memories"]) + len(graph["computes"])


def test_sizes():
    assert size_text(28672) == "28 KiB"
    assert size_text(28673) == "28,673 B"


@pytest.mark.parametrize("spec", MACHINES)
def test_the_manual_has_every_mnemonic_and_its_example(spec, covenant_command):
    machine = covenant.Machine(spec)
    page = covenant_command("show", spec, "--isa").out
    for mnemonic in machine.to_dict()["mnemonics"]:
        assert f"\n## {mnemonic['name']}\n" in page
        section = page.split(f"\n## {mnemonic['name']}\n")[1].split("\n## ")[0]
        for field in mnemonic["fields"]:
            assert f"| {field['name']} |" in section
            for value in field["values"]:
                assert value in section
        assert "Example: `0x" in section
        if not mnemonic.get("syntax"):
            assert f"is `{mnemonic['name']}" in section
