"""Several hardware contexts at once: executables beside each other, images of one network; what a core then counts."""

from __future__ import annotations

import json
import re
import subprocess

import numpy as np
import pytest
from test_bad_input import refused
from test_executable import END, SUM, assembled
from test_packets import Layers

import covenant
from covenant.runtime.packet_profile import RunProfile

ALONE = {"turn": 0, "vector_units": 0}
# A multiplication in each packet, and nothing else to wait for.
VECTORS = "{ loop0(.Lloop,#200) }\n.Lloop:\n{ v1.w = vadd(v1.w,v2.w); r2 = add(r2,#1) }:endloop0\n" + END


@pytest.fixture
def programs(tmp_path):
    """Three that end with codes of their own."""
    folders = [tmp_path / name for name in ("zero", "one", "five")]
    for folder in folders:
        folder.mkdir()
    return [assembled(SUM.replace("STEP", str(step)), folder) for step, folder in zip((0, 1, 5), folders, strict=True)]


@pytest.fixture
def vectors(tmp_path):
    return assembled(VECTORS, tmp_path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    layers = Layers(np.random.default_rng(2), "u8", [8, 64])
    layers.product(128)
    layers.product(16)
    return layers.save(tmp_path_factory.mktemp("contexts") / "model.onnx")


@pytest.fixture(scope="module")
def program(model):
    return covenant.compile(model, "hvx")


@pytest.fixture(scope="module")
def images():
    return list(np.random.default_rng(3).integers(0, 256, (4, 8, 64), np.uint8))


# Executables.


def test_as_qemu(programs):
    run = covenant.run_executables(programs, "hvx")
    for path, ours in zip(programs, run.contexts, strict=True):
        theirs = subprocess.run(["qemu-hexagon", "-cpu", "v67", path], capture_output=True, check=False)
        assert (ours.exit_code, ours.output, ours.errors) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert [ours.exit_code for ours in run.contexts] == [0, 4, 20]


@pytest.mark.parametrize("settings", [{}, {"issues": 1}, {"vector_units": 1}, {"issues": 1, "vector_units": 2}])
def test_what_one_does_hangs_on_no_other(programs, settings):
    machine = covenant.Machine("hvx", **settings)
    together = covenant.run_executables(programs, machine)
    alone = [covenant.run_executable(path, machine) for path in programs]
    for ours, single in zip(together.contexts, alone, strict=True):
        assert (ours.exit_code, ours.output, ours.packets) == (single.exit_code, single.output, single.packets)
        assert ours.cycles >= single.cycles
    assert max(run.cycles for run in alone) <= together.cycles <= sum(run.cycles for run in alone)
    assert together.cycles == max(run.cycles for run in together.contexts)
    assert together == covenant.run_executables(programs, machine)


def test_one_alone_is_as_ever(programs):
    run = covenant.run_executables(programs[:1], "hvx", profile=True)
    single = covenant.run_executable(programs[0], "hvx", profile=True)
    assert (run.cycles, run.packets) == (single.cycles, single.packets)
    assert run.contexts[0].profile == single.profile
    assert single.events.items() <= run.events.items()
    assert all(packet.stalls.items() >= ALONE.items() for packet in single.profile)


def test_turns_and_vector_units(vectors):
    def run(**settings: int) -> covenant.ExecutablesRun:
        return covenant.run_executables([vectors] * 4, covenant.Machine("hvx", contexts=4, **settings), profile=True)

    free, in_turn, one_unit = run(issues=4, vector_units=4), run(issues=1), run(vector_units=1)
    assert (free.events["ISSUE_TURN_STALL"], free.events["HVX_WAIT"]) == (0, 0)
    assert free.cycles == covenant.run_executable(vectors, "hvx").cycles
    # One packet in a clock, one vector part in two of them: what all four have to do takes so long at least.
    assert in_turn.packets <= in_turn.cycles < in_turn.packets + 20
    assert 2 * in_turn.events["HVX_PKT"] <= one_unit.cycles < 2 * in_turn.events["HVX_PKT"] + 40
    assert in_turn.events["ISSUE_TURN_STALL"] > 0
    assert one_unit.events["HVX_WAIT"] > 0
    for run_of_four in (in_turn, one_unit):
        for context in run_of_four.contexts:
            stalls = [packet.stalls for packet in context.profile]
            assert sum(stall["turn"] for stall in stalls) == context.events["ISSUE_TURN_STALL"]
            assert sum(stall["vector_units"] for stall in stalls) == context.events["HVX_WAIT"]
            for packet in context.profile:
                waited = sum(packet.stalls[cause] for cause in ("registers", "queue", "branches", "turn"))
                assert packet.cycles == 2 * packet.executed + waited


def test_events(programs):
    run = covenant.run_executables(programs, "hvx")
    each = [context.events for context in run.contexts]
    assert [run.events[f"COMMITTED_PKT_T{context}"] for context in range(3)] == [one.packets for one in run.contexts]
    running = [run.events[f"CYCLES_{count}_THREAD_RUNNING"] for count in (1, 2, 3)]
    assert sum(running) == run.cycles
    assert sum(count * cycles for count, cycles in enumerate(running, 1)) == sum(one.cycles for one in run.contexts)
    for name in each[0]:
        assert run.events[name] == sum(events[name] for events in each)
    assert not any(name.startswith("L2_") for name in each[0]), "what they share is of none"
    assert run.events["L2_LOADS"] > 0


def test_without_cycles(programs):
    run = covenant.run_executables(programs, "hvx", cycles=False)
    assert (run.cycles, run.events) == (0, {})
    assert [context.exit_code for context in run.contexts] == [0, 4, 20]


def test_nothing_to_run(program):
    with pytest.raises(ValueError, match="no file"):
        covenant.run_executables([], "hvx")
    with pytest.raises(ValueError, match="no input"):
        covenant.Session(program).run_together([])


# The command.


def test_json(programs, covenant_command):
    done = covenant_command("run", *programs, "-m", "hvx", "--json")
    run = covenant.run_executables(programs, "hvx")
    assert done.code == 1, "one has not ended well"
    assert covenant_command("run", programs[0], programs[0], "-m", "hvx").code == 0
    report = done.object
    assert {key: report[key] for key in ("machine", "packets", "cycles", "events", "traced_packets")} == {
        "machine": "hvx", "packets": run.packets, "cycles": run.cycles, "events": run.events, "traced_packets": None,
    }  # fmt: skip
    assert report["packets_per_second"] == pytest.approx(run.packets / run.cycles * 1.4e9)
    assert [context["file"] for context in report["contexts"]] == [str(path) for path in programs]
    for shown, context in zip(report["contexts"], run.contexts, strict=True):
        assert (shown["packets"], shown["cycles"], shown["events"]) == (context.packets, context.cycles, context.events)
        assert (shown["exit_code"], shown["output"]) == (context.exit_code, "hello\n")


def test_for_people(vectors, covenant_command):
    done = covenant_command("run", vectors, "-m", "hvx", "--contexts", "4", "--set", "issues=1", "--profile")
    assert done.code == 0
    rows = re.findall(r"^│ +(\d) │ +(\d+) │ +(\d+) │", done.out.replace(",", ""), re.MULTILINE)
    assert [row[:2] for row in rows] == [(str(context), "203") for context in range(4)]
    assert re.search(r"at once: 812 packets in \d+ cycles, [0-9,.]+ million packets per second", done.out)
    headings = re.findall(r"^address .*$", done.out, re.MULTILINE)
    assert len(headings) == 4
    assert "turn" in headings[0]


def test_trace(programs, covenant_command, tmp_path):
    trace = tmp_path / "trace.json"
    covenant_command("run", *programs[:2], "-m", "hvx", "--trace", trace)
    events = json.loads(trace.read_text())["traceEvents"]
    names = [event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"]
    tracks = ["slot 3", "slot 2", "slot 1", "slot 0", "stalls", "vector side"]
    assert names == [f"context {context}: {track}" for context in range(2) for track in tracks]
    tids = {event["tid"] for event in events if event["ph"] == "X"}
    assert len(tids) > len(tracks), "both have done something"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--contexts", "2"], "as many executables"),
        (["--save-profile", "x.profile"], "of one run"),
        (["--compare", "reference"], "--compare"),
    ],
)
def test_what_does_not_go_together(options, message, programs, covenant_command):
    error = refused(covenant_command("run", *programs, "-m", "hvx", *options, "--json"), "CLI0008")
    assert message in error["message"]


def test_more_than_there_are(programs, covenant_command):
    error = refused(covenant_command("run", programs[0], "-m", "hvx", "--contexts", "5", "--json"), "SIM0087")
    assert error["offending"] == "5"
    two = ["run", programs[0], programs[1], "-m", "hvx", "--set", "contexts=1", "--json"]
    assert refused(covenant_command(*two), "SIM0087")["allowed"] == ["1"]


def test_a_file_that_is_none(programs, covenant_command, tmp_path):
    text = tmp_path / "text"
    text.write_text("no executable")
    refused(covenant_command("run", programs[0], text, "-m", "hvx", "--json"), "ISA0020")


# Networks.


def test_images_at_once(program, images):
    session = covenant.Session(program)
    run = session.run_together(images, records=True, profile=True)
    alone = [session.run(image, records=True) for image in images]
    for ours, single in zip(run.results, alone, strict=True):
        assert {name: array.tobytes() for name, array in ours.outputs.items()} == {
            name: array.tobytes() for name, array in single.outputs.items()
        }
        assert ours.packets == single.packets
        # Block, number, address and what was stored: all but time.
        assert (ours.packet_records[:, [0, 1, 2, 11]] == single.packet_records[:, [0, 1, 2, 11]]).all()
        assert sum(packet.executed for packet in ours.profile) == single.packets
    assert max(single.cycles for single in alone) // 2 < run.cycles <= sum(single.cycles for single in alone)
    assert run.cycles == max(ours.cycles for ours in run.results)
    assert run.packets == sum(ours.packets for ours in run.results)


def test_constants_are_fetched_once(tmp_path):
    layers = Layers(np.random.default_rng(4), "u8", [4, 512])
    layers.product(512)
    session = covenant.Session(covenant.compile(layers.save(tmp_path / "model.onnx"), "hvx"))
    images = np.random.default_rng(5).integers(0, 256, (4, 4, 512), np.uint8)
    one, four = session.run_together(images[:1]), session.run_together(images)
    lines = 512 * 512 // 128
    assert one.cycles > 8 * lines, "as long as the weights take on the edge of off-chip memory"
    assert four.cycles < 1.2 * one.cycles


def test_the_command_with_images(model, program, covenant_command, tmp_path):
    trace, profile = tmp_path / "trace.json", tmp_path / "profile.json"
    options = [
        "--contexts",
        "2",
        "--images",
        "5",
        "--compare",
        "reference",
        "--trace",
        trace,
        "--save-profile",
        profile,
    ]
    report = covenant_command("run", model, "-m", "hvx", *options, "--json").object
    contexts = report["contexts"]
    assert (report["images"], report["identical"], contexts["together"]) == (5, True, 2)
    assert [one["image"] for one in contexts["each"]] == [0, 1]
    assert contexts["packets"] == sum(one["packets"] for one in contexts["each"])
    assert contexts["cycles"] == max(one["cycles"] for one in contexts["each"])
    assert contexts["events"]["COMMITTED_PKT_ANY"] == contexts["packets"]
    assert contexts["packets_per_second"] == pytest.approx(contexts["packets"] / contexts["cycles"] * 1.4e9)
    assert report["total_cycles"] < 5 * report["cycles"], "two at once, twice, and one"
    assert RunProfile.load(profile).packets == report["packets"]
    assert '"context 1: layers"' in trace.read_text()
    assert covenant_command("run", model, "-m", "hvx", "--contexts", "3", "--json").object["images"] == 3
    shown = covenant_command("run", model, "-m", "hvx", "--contexts", "3").out
    assert "the first 3 images, at once" in shown
    assert covenant_command("run", model, "-m", "hvx", "--json").object["contexts"] is None


@pytest.mark.parametrize("options", [["--backend", "interpret"], ["--rtl", "x"]])
def test_contexts_are_of_the_model(options, model, covenant_command):
    refused(covenant_command("run", model, "-m", "hvx", "--contexts", "2", *options, "--json"), "CLI0008")


def test_models_beside_each_other(model, covenant_command):
    refused(covenant_command("run", model, model, "-m", "hvx", "--json"), "CLI0008")


def test_machines_without_contexts(model, covenant_command):
    error = refused(covenant_command("run", model, "-m", "genesys:8x8", "--contexts", "2", "--json"), "CLI0008")
    assert "genesys" in error["message"]


@pytest.mark.parametrize(("backend", "code"), [("interpret", "RUN0009"), ("systemc", "SIM0087")])
def test_sessions_without_contexts(backend, code, model, images):
    machine = "genesys:8x8" if backend == "systemc" else "hvx"
    session = covenant.Session(covenant.compile(model, machine), backend)
    with pytest.raises(covenant.CovenantError, match=code):
        session.run_together(images[:2])


def test_a_profile_without_the_causes_of_sharing(vectors, tmp_path):
    run = covenant.run_executable(vectors, "hvx", profile=True)
    kept = run.profile_of(vectors, "hvx")
    older = kept.to_dict()
    for packet in older["profile"]:
        for cause in ALONE:
            del packet["stalls"][cause]
    path = tmp_path / "older.profile"
    path.write_text(json.dumps(older))
    assert RunProfile.load(path).profile == kept.profile
