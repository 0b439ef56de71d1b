"""Views of packets: profiles and listings, records, traces, and the distance of bytes from ONNX Runtime's."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from expectation import products_of, skip_unless_exact
from test_bad_input import refused
from test_packets import Layers

import covenant
from covenant.runtime.packet_profile import STALLS, RunProfile
from covenant.runtime.result import PACKET_RECORD_FIELDS
from covenant.verify.expected import Source, expected_outputs

SLOTS = ["slot 3", "slot 2", "slot 1", "slot 0"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Two products, one after the other."""
    layers = Layers(np.random.default_rng(1), "u8", [8, 64])
    layers.product(128)
    layers.product(10)
    return layers.save(tmp_path_factory.mktemp("views") / "model.onnx")


@pytest.fixture(scope="module")
def program(model):
    return covenant.compile(model, "hvx")


@pytest.fixture(scope="module")
def run(program):
    """One run that keeps everything."""
    image = np.arange(8 * 64, dtype=np.uint8).reshape(8, 64)
    return covenant.run(program, image, records=True, trace=True, profile=True)


def records_of(run: covenant.Result) -> dict[str, np.ndarray]:
    return dict(zip(PACKET_RECORD_FIELDS, run.packet_records.astype(np.int64).T, strict=True))


# Profiles.


def test_a_profile_adds_up(run):
    assert sum(packet.executed for packet in run.profile) == run.packets
    retiring = run.cycles - sum(packet.cycles for packet in run.profile)
    assert 0 <= retiring < 50, "what the last packets write comes after them"
    for packet in run.profile:
        assert packet.waited == sum(packet.stalls.values())
        assert packet.cycles == 2 * packet.executed + sum(packet.stalls[cause] for cause in STALLS[:3])
    for cause in ("registers", "queue", "branches"):
        assert sum(packet.stalls[cause] for packet in run.profile) == sum(
            layer.causes.get(cause, 0) for layer in run.layers
        )


def test_a_profile_is_what_records_say(run):
    records = records_of(run)
    for packet in run.profile:
        of_it = records["address"] == packet.address
        assert of_it.sum() == packet.executed
        assert {cause: records[cause][of_it].sum() for cause in STALLS} == packet.stalls


def zeros(folder: Path) -> Path:
    """A file with more bytes than any model here reads."""
    path = folder / "zeros.bin"
    path.write_bytes(bytes(1 << 16))
    return path


def test_a_profile_of_the_model_is_that_of_its_executable(model, program, tmp_path, covenant_command):
    kept, elf = tmp_path / "run.profile", tmp_path / "model.elf"
    done = covenant_command("run", model, "-m", "hvx", "--save-profile", kept, "--profile", "--json")
    assert done.object["profile"] == json.loads(kept.read_text())["profile"]
    program.save(elf)
    covenant_command("run", elf, "-m", "hvx", "--stdin", zeros(tmp_path), "--save-profile", tmp_path / "elf.profile")
    of_model, of_elf = RunProfile.load(kept), RunProfile.load(tmp_path / "elf.profile")
    executed = {packet.address: packet.executed for packet in of_model.profile}
    assert {packet.address: packet.executed for packet in of_elf.profile if packet.address in executed} == executed
    around = 12 + 1 + 12 + 2  # one call reads the input, one runs the program, one writes the output; the end
    assert of_elf.packets == sum(executed.values()) + around


def test_a_listing_beside_a_run(model, program, tmp_path, covenant_command):
    program.save(tmp_path / "model.cprog")
    report = covenant_command("run", model, "-m", "hvx", "--profile", "--json")
    kept = tmp_path / "run.profile"
    kept.write_text(report.out)
    known = {packet["address"]: packet for packet in report.object["profile"]}
    listed = covenant_command("disasm", tmp_path / "model.cprog", "--profile", kept, "--json").object
    shown = covenant_command("compile", model, "-m", "hvx", "--emit", "asm", "--profile", kept, "--json").object
    assert listed["packets"] == shown["packets"]
    assert shown["text"].splitlines() == listed["listing"]
    assert [packet["address"] for packet in listed["packets"]] == sorted(known)
    for packet in listed["packets"]:
        assert {key: packet[key] for key in known[packet["address"]]} == known[packet["address"]]
    layers = [packet["layer"] for packet in listed["packets"]]
    sums, first, second = (block.layer for block in program.blocks)
    assert sums == f"{first}/sums"
    assert layers == sorted(layers, key=[sums, first, second, None].index)
    assert layers[-1] is None, "the way back"
    for layer in (first, second):
        loops = [packet["loop"] for packet in listed["packets"] if packet["layer"] == layer]
        assert {"1", "1.1"} <= set(loops), "rows, and what is added up for each"
    one = covenant_command(
        "compile", model, "-m", "hvx", "--emit", "asm", "--layer", second, "--profile", kept, "--json"
    )
    assert {packet["layer"] for packet in one.object["packets"]} == {second}
    to_file = ("--stop-after", "asm", "--profile", kept, "-o", tmp_path / "listing.txt")
    assert covenant_command("compile", model, "-m", "hvx", *to_file).code == 0
    assert (tmp_path / "listing.txt").read_text() == shown["text"]


def test_the_lines_of_a_listing(model, tmp_path, covenant_command):
    kept = tmp_path / "run.profile"
    covenant_command("run", model, "-m", "hvx", "--save-profile", kept)
    plain = covenant_command("compile", model, "-m", "hvx", "--emit", "asm").out
    beside = covenant_command("compile", model, "-m", "hvx", "--emit", "asm", "--profile", kept).out
    run = RunProfile.load(kept)
    head, *lines = beside.splitlines()
    assert head == f"# in a run of {model}: {run.packets:,} packets in {run.cycles:,} cycles"
    lines = [line for line in lines if not line.startswith("address")]
    assert [re.sub(r"^([0-9a-f]{8}) .*?  (?={)", r"\1  ", line) for line in lines] == plain.splitlines()
    heading = next(line for line in beside.splitlines() if line.startswith("address"))
    causes = [cause for cause in STALLS if any(packet.stalls[cause] for packet in run.profile)]
    assert heading.split() == ["address", "loop", "executed", "cycles", *causes, "packet"]


def test_an_executable_beside_a_run(model, program, tmp_path, covenant_command):
    kept, elf = tmp_path / "run.profile", tmp_path / "model.elf"
    program.save(elf)
    covenant_command("run", elf, "-m", "hvx", "--stdin", zeros(tmp_path), "--save-profile", kept)
    listed = covenant_command("disasm", elf, "-m", "hvx", "--profile", kept, "--json").object
    assert [packet["address"] for packet in listed["packets"]] == [one.address for one in RunProfile.load(kept).profile]
    assert [packet["layer"] for packet in listed["packets"][::9]][:2] == ["_transfer", "_start"]
    plain = covenant_command("disasm", elf, "-m", "hvx", "--json").object["listing"]
    assert sum(line.startswith("0") for line in plain) == sum(line.startswith("0") for line in listed["listing"])


def test_profiles_of_something_else(model, tmp_path, covenant_command):
    other = Layers(np.random.default_rng(2), "u8", [1, 16])
    other.product(16)
    kept = tmp_path / "other.profile"
    covenant_command("run", other.save(tmp_path / "other.onnx"), "-m", "hvx", "--save-profile", kept)
    compiled = ("compile", model, "-m", "hvx", "--emit", "asm", "--json", "--profile")
    error = refused(covenant_command(*compiled, kept), "CLI0021")
    assert error["where"] == str(tmp_path / "other.onnx")
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps(content | {"machine": "another"}))
    assert "another" in refused(covenant_command(*compiled, kept), "CLI0021")["offending"]
    one = content["profile"][0]
    changes = [{"profile": [{"address": 1}]}, {"profile": [one | {"stalls": {}}]}, {"cycles": "many"}, {"profile": 3}]
    changes += [{"cycles": 1e999}, {"packets": -1}, {"packets": 1.5}, {"profile": [one | {"waited": True}]}]
    for wrong in ("no profile", "[]", "{}", *(json.dumps(content | change) for change in changes)):
        kept.write_text(wrong)
        assert refused(covenant_command(*compiled, kept), "CLI0020")["where"] == str(kept)
    refused(covenant_command(*compiled, tmp_path / "nowhere"), "CLI0009")


@pytest.mark.parametrize("option", ["--profile", "--save-profile=p", "--trace=t --trace-packets=0:1"])
def test_machines_without_packets(option, model, tmp_path, covenant_command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = refused(covenant_command("run", model, "-m", "genesys:8x8", *option.split(), "--json"), "CLI0008")
    assert "genesys issues no packets" in error["message"]


@pytest.mark.parametrize(
    "options",
    [
        ("run", "--trace-packets=0:1"),
        ("run", "--profile", "--backend=interpret"),
        ("run", "--save-profile=p", "--rtl=a"),
        ("compile", "--emit=tile", "--profile=p"),
        ("compile", "--output=m.cprog", "--profile=p"),
    ],
)
def test_options_that_do_not_go_together(options, model, tmp_path, covenant_command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, *others = options
    refused(covenant_command(command, model, "-m", "hvx", *others, "--json"), "CLI0008")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("packets", ["5:3", "-1:3", "5", "a:b"])
def test_ranges_that_are_none(packets, model, tmp_path, covenant_command):
    options = ("--trace", tmp_path / "t.json", f"--trace-packets={packets}", "--json")
    refused(covenant_command("run", model, "-m", "hvx", *options), "CLI0001")


# Records.


def test_records(program, run):
    records = records_of(run)
    assert len(run.records) == 0
    assert records["sequence"].tolist() == list(range(run.packets))
    assert (np.diff(records["issue"]) >= 2).all()
    assert (records["issue"] <= records["run"]).all()
    assert (records["run"] <= records["retire"]).all()
    assert records["retire"].max() == run.cycles
    assert records["block"].tolist() == sorted(records["block"])
    assert [(records["block"] == block).sum() for block in range(len(run.layers))] == [
        layer.packets for layer in run.layers
    ]
    waits = records["issue"][1:] - records["issue"][:-1] - 2
    before = records["registers"][1:] + records["queue"][1:] + records["branches"][:-1]
    assert (waits == before).all()
    again = covenant.run(program, np.arange(8 * 64, dtype=np.uint8).reshape(8, 64), records=True, packets=(3, 7))
    assert (again.packet_records == run.packet_records[3:8]).all()


def test_values_alone_have_no_profile(program):
    with pytest.raises(covenant.CovenantError, match="RUN0009"):
        covenant.run(program, np.zeros((8, 64), np.uint8), backend="interpret", profile=True)


def test_digests_are_of_stores(program, run):
    """Packets that store have one, others have none; other values give others."""
    digests = records_of(run)["digest"]
    texts = {packet.address: packet.text for packet in run.profile}
    stores = [re.search(r"mem\w?\([^)]*\) = ", texts[address]) is not None for address in records_of(run)["address"]]
    assert [bool(digest) for digest in digests] == stores
    zeros = covenant.run(program, np.zeros((8, 64), np.uint8), records=True)
    assert (records_of(zeros)["issue"] == records_of(run)["issue"]).all()
    assert (records_of(zeros)["digest"] != digests).any()


# Traces.


def events_of(text: str) -> tuple[list[str], list[dict]]:
    events = json.loads(text)["traceEvents"]
    tracks = [event["args"]["name"] for event in events if event["name"] == "thread_name"]
    return tracks, [event | {"track": tracks[event["tid"] - 1]} for event in events if event["ph"] == "X"]


def test_a_trace_is_what_records_say(program, run):
    tracks, events = events_of(run.trace_json)
    assert tracks == [*SLOTS, "stalls", "vector side", "layers"]
    records = records_of(run)
    texts = {packet.address: packet.text for packet in run.profile}
    at = {}
    for event in events:
        if event["track"] in SLOTS:
            assert event["dur"] == 2
            at.setdefault(event["ts"], []).append((SLOTS.index(event["track"]), event["name"]))
    for issue, address in zip(records["issue"], records["address"], strict=True):
        slots, names = zip(*at.pop(issue), strict=True)
        assert list(slots) == sorted(set(slots)), "from the highest slot down, none twice"
        assert texts[address].split(" }")[0] == "{ " + "; ".join(names)
    assert not at
    waits = dict.fromkeys(STALLS, 0)
    for event in events:
        if event["cat"] == "stall":
            waits[event["name"].removeprefix("wait ")] += event["dur"]
    assert waits == {cause: records[cause].sum() for cause in STALLS}
    for track in tracks:
        times = sorted((event["ts"], event["ts"] + event["dur"]) for event in events if event["track"] == track)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(times)), track
    layers = [(event["name"], event["dur"]) for event in events if event["track"] == "layers"]
    assert layers == [(layer.name, layer.cycles) for layer in run.layers]


def test_a_trace_says_what_it_leaves_out(model, run, tmp_path, covenant_command, monkeypatch):
    path = tmp_path / "trace.json"
    traced = ("run", model, "-m", "hvx", "--json", "--trace", path)
    whole = covenant_command(*traced)
    assert whole.object["traced_packets"] == {"first": 0, "last": run.packets - 1, "all": True}
    assert "--trace-packets" not in whole.error
    cut = covenant_command(*traced, "--trace-packets", "10:19")
    assert cut.object["traced_packets"] == {"first": 10, "last": 19, "all": False}
    assert f"packets 10 to 19 of 0 to {run.packets - 1:,} only" in cut.error
    _, events = events_of(path.read_text())
    assert len({event["ts"] for event in events if event["track"] in SLOTS}) == 10
    past = covenant_command(*traced, "--trace-packets", "9000000:9000001")
    assert past.object["traced_packets"] == {"first": None, "last": None, "all": False}
    assert "no packet of 0" in past.error
    monkeypatch.setattr("covenant.cli.packet_views.TRACED_PACKETS", 100)
    assert covenant_command(*traced).object["traced_packets"] == {"first": 0, "last": 99, "all": False}
    assert covenant_command(*traced[:-2]).object["traced_packets"] is None


# Reports.


def test_packets_of_layers(model, run, covenant_command):
    done = covenant_command("run", model, "-m", "hvx", "--json")
    assert done.object["packets"] == sum(layer["packets"] for layer in done.object["layers"]) == run.packets
    assert f"packets: {run.packets:,} for one image" in covenant_command("run", model, "-m", "hvx").out
    other = covenant_command("run", model, "-m", "genesys:8x8", "--json").object
    assert other["packets"] is None
    assert {layer["packets"] for layer in other["layers"]} == {None}


def test_difference_to_onnxruntime(model, program, covenant_command):
    """Scales in fixed point and in float round alike but for ties and bits that a fraction of 31 bits has not."""
    skip_unless_exact(*products_of("uint8", "int8"))
    images = 20
    command = ("run", model, "-m", "hvx", "--images", images, "--compare", "reference")
    report = covenant_command(*command, "--json").object
    random = np.random.default_rng(0)
    assert report["identical"] is True
    feeds = [{"x": array} for array in random.integers(0, 256, (images, 8, 64)).astype(np.uint8)]
    theirs = expected_outputs(model, feeds, Source.ONNXRUNTIME).outputs
    fixed = expected_outputs(model, feeds, Source.REFERENCE, requant="fixed").outputs
    (name,) = theirs[0]
    assert report["differences_to_onnxruntime"].keys() == {name}
    assert report["largest_difference_to_onnxruntime"] == report["differences_to_onnxruntime"][name] <= 1
    ours = max(
        int(np.abs(one[name].astype(int) - other[name].astype(int)).max())
        for one, other in zip(fixed, theirs, strict=True)
    )
    assert ours <= 1
    assert f"largest difference to ONNX Runtime, in steps: {name} " in covenant_command(*command).out
    without = covenant_command("run", model, "-m", "hvx", "--json").object
    assert without["largest_difference_to_onnxruntime"] is None
    assert without["differences_to_onnxruntime"] is None


# Stages.


def skeletons(packet: str) -> list[str]:
    """Instructions of a packet without numbers of registers, extenders and ways, in alphabetical order."""
    packet = re.sub(r"%([rvpq])\d+(?:\.lower|\.upper)?", r"\1", packet)
    packet = re.sub(r"\b([rvpq])\d+(?::\d+)?", r"\1", packet)
    packet = re.sub(r"\bloop([01])\((?:loop|0x[0-9a-f]+)", r"loop\1(", packet).replace("##", "#")
    return sorted(one for one in packet[2 : packet.rindex(" }")].split("; ") if one != "nop")


def test_the_stages_of_packets(model):
    """Virtual registers become registers: what is in a packet stays there."""
    stages = covenant.passes()
    assert stages[stages.index("tiled") + 1 :] == ("buffered", "virtual", "packets", "assembly")
    made = covenant.emit(model, "hvx", "packets")
    packets = [line.strip() for line in made.splitlines() if line.strip().startswith("{")]
    listed = covenant.emit(model, "hvx", "asm").split("return\n")[0]
    assembly = [line[10:] for line in listed.splitlines() if line[10:].startswith("{")]
    assert [skeletons(packet) for packet in packets] == [skeletons(packet) for packet in assembly]
    assert re.findall(r"^# (.*)$", made, re.MULTILINE) == re.findall(r"^block \d+ (\S+) ", listed, re.MULTILINE)


def test_a_stage_of_one_layer(model):
    whole = covenant.emit(model, "hvx", "virtual")
    parts = re.split(r"^(?=# )", whole, flags=re.MULTILINE)[1:]
    assert len(parts) == 3
    for part in parts:
        name = part.splitlines()[0].removeprefix("# ")
        assert covenant.emit(model, "hvx", "virtual", layer=name) == part
        assert "repeat " in part


def test_other_machines_have_no_such_stages(model, covenant_command):
    refused(covenant_command("compile", model, "-m", "genesys", "--emit", "virtual", "--json"), "GEN0030")


# Executables.


def test_a_trace_of_an_executable(program, run, tmp_path, covenant_command):
    """The program does within its executable what it does alone, some cycles later."""
    elf, path = tmp_path / "model.elf", tmp_path / "trace.json"
    program.save(elf)
    given = ("run", elf, "-m", "hvx", "--stdin", zeros(tmp_path))
    report = covenant_command(*given, "--trace", path, "--json").object
    assert report["traced_packets"] == {"first": 0, "last": report["packets"] - 1, "all": True}
    tracks, events = events_of(path.read_text())
    assert tracks == [*SLOTS, "stalls", "vector side"]
    alone = [event["name"] for event in events_of(run.trace_json)[1] if event["track"] in SLOTS]
    within = [event["name"] for event in events if event["track"] in SLOTS]
    begin = within.index(alone[0], within.index("call " + hex(min(packet.address for packet in run.profile))))
    assert within[begin : begin + len(alone)] == alone
    cut = covenant_command(*given, "--trace", path, "--trace-packets", "3:3", "--json")
    assert cut.object["traced_packets"] == {"first": 3, "last": 3, "all": False}
    assert "packets 3 to 3 of 0 to " in cut.error
    assert len(events_of(path.read_text())[1]) < 10
    refused(covenant_command("run", elf, "-m", "hvx", "--trace-packets", "3:3", "--json"), "CLI0008")
    with pytest.raises(covenant.CovenantError, match="SIM0086"):
        covenant.run_executable(elf, "hvx", cycles=False, trace=True)
