"""The RTL from the command line and from Python: lock step, mixed fidelity, waveforms."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from digits import model_of

import covenant
from covenant.cli.parser import build_parser
from covenant.program.inputs import random_feeds

pytestmark = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
SMALL = ("--set", "M=3", "--set", "N=4", "--rtl-quick")
QUICK = covenant.Build(quick=True)


@pytest.fixture(scope="module")
def program() -> covenant.Program:
    return covenant.compile(model_of("qdq"), covenant.Machine("genesys", M=3, N=4))


@pytest.mark.parametrize("style", ["qdq", "qoperator"])
def test_lock_step(covenant_command, style):
    done = covenant_command("cosim", model_of(style), "-m", "genesys", *SMALL, "--images", 2, "--json")
    assert done.code == 0
    found = done.object
    assert (found["differences"], found["first"], found["reproduce"]) == (0, None, None)
    assert found["identical"] is True
    program = covenant.compile(model_of(style), covenant.Machine("genesys", M=3, N=4))
    runs = [covenant.run(program, feed, records=True) for feed in random_feeds(program, 2, 0)]
    assert found["instructions"] == sum(len(run.records) for run in runs)
    assert found["cycles"] == sum(run.cycles for run in runs)


def test_lock_step_says_so(covenant_command, program):
    done = covenant_command("cosim", model_of("qdq"), "-m", "genesys", *SMALL)
    run = covenant.run(program, random_feeds(program, 1, 0)[0], records=True)
    assert f"{len(run.records):,} instructions, {run.cycles:,} cycles, 0 differences" in done.out


def test_backend_equals_the_oracle(covenant_command, images, tmp_path):
    np.save(tmp_path / "images.npy", images[:3])
    done = covenant_command(
        *("run", model_of("qdq"), "-m", "genesys", *SMALL, "--backend", "rtl", "--json"),
        *("--input", tmp_path / "images.npy", "--compare", "onnxruntime"),
    )
    assert done.code == 0
    assert done.object["identical"] is True
    assert done.object["backend"] == "rtl"


def test_backend_in_python(program):
    feed = random_feeds(program, 1, 4)[0]
    systemc = covenant.run(program, feed, trace=True, records=True)
    rtl = covenant.run(program, feed, backend="rtl", trace=True, records=True, build=QUICK)
    assert {name: array.tobytes() for name, array in rtl.outputs.items()} == {
        name: array.tobytes() for name, array in systemc.outputs.items()
    }
    assert (rtl.cycles, rtl.layers, rtl.trace_json) == (systemc.cycles, systemc.layers, systemc.trace_json)
    assert np.array_equal(rtl.records, systemc.records)
    with pytest.raises(covenant.CovenantError, match="RUN0009"):
        covenant.run(program, feed, backend="rtl", values=False, build=QUICK)


def test_one_model_for_many_runs(program):
    model = covenant.VerilatedModel(program.machine, QUICK)
    for feed in random_feeds(program, 2, 6):
        found = covenant.cosim(program, feed, build=model)
        assert found.identical
        assert found.outputs.keys() == covenant.run_mixed(program, feed, ["pool"], build=model).outputs.keys()


def test_a_model_that_does_not_suit_is_refused(program, tmp_path):
    feed = random_feeds(program, 1, 0)[0]
    model = covenant.VerilatedModel(program.machine, QUICK)
    other = covenant.compile(model_of("qdq"), "genesys:8x8")
    with pytest.raises(covenant.CovenantError, match="another machine") as refused:
        covenant.cosim(other, feed, build=model)
    assert refused.value.code == "CLI0014"
    with pytest.raises(covenant.CovenantError, match=r"CLI0014.*without waveforms"):
        covenant.cosim(program, feed, build=model, wave=tmp_path / "x.fst")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(covenant.CovenantError, match="RUN0010"):
        covenant.Session(program, "rtl", build=QUICK).run(feed, wave=tmp_path / "x.fst")


def test_mixed_fidelity(covenant_command):
    done = covenant_command(
        "run",
        model_of("qdq"),
        "-m",
        "genesys",
        *SMALL,
        "--rtl",
        "conv3, classifier",
        "--compare",
        "onnxruntime",
        "--json",
    )
    assert done.code == 0
    found = done.object
    assert found["backend"] == "mixed"
    assert found["identical"] is True
    assert found["rtl"]["layers"] == ["conv3", "classifier"]
    assert found["rtl"]["differences"] == 0
    assert found["rtl"]["instructions"] > 50
    assert 0 < found["rtl"]["cycles"] < found["cycles"]
    text = covenant_command("run", model_of("qdq"), "-m", "genesys", *SMALL, "--rtl-window", "0:0")
    assert text.code == 0
    assert "equal" in text.out


def test_mixed_fidelity_in_python(program):
    feed = random_feeds(program, 1, 5)[0]
    mixed = covenant.run_mixed(program, feed, ["pool"], build=QUICK)
    whole = covenant.run(program, feed)
    assert mixed.identical
    assert [layer.backend for layer in mixed.layers].count("rtl") == 1
    assert [layer.layer for layer in mixed.layers] == list(whole.layers)
    assert all(np.array_equal(mixed.outputs[name], array) for name, array in whole.outputs.items())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("run", "--rtl", "conv9"), "RUN0012"),
        (("run", "--rtl", " ,"), "CLI0008"),
        (("run", "--rtl-window", "7"), "CLI0001"),
        (("run", "--rtl-window", "5:1"), "RUN0013"),
        (("run", "--rtl", "conv1", "--backend", "rtl"), "CLI0008"),
        (("run", "--wave", "x.fst"), "CLI0008"),
        (("cosim", "--image", "1"), "CLI0008"),
        (("cosim", "--wave", "no such folder/x.fst"), "CLI0006"),
        (("cosim", "--rtl-cache", "/proc/nowhere"), "RTL0015"),
    ],
)
def test_mistakes(covenant_command, arguments, code):
    command, *rest = arguments
    done = covenant_command(command, model_of("qdq"), "-m", "genesys", *SMALL, *rest, "--json")
    assert done.code == 2
    assert done.object["error"]["code"] == code


def test_nothing_to_run(covenant_command):
    assert covenant_command("cosim", "-m", "genesys").code == 2
    assert "CLI0008" in covenant_command("cosim", model_of("qdq"), "--layer", "x", "-m", "genesys").error


@pytest.fixture
def wrong_cache(program, tmp_path) -> Path:
    """A cache in which the model of the small machine is that of another one: its memory answers a cycle sooner."""
    other = covenant.Machine("genesys", M=3, N=4, dram_latency=39)
    right = Path(covenant.VerilatedModel(program.machine, QUICK).folder)
    wrong = Path(covenant.VerilatedModel(other, covenant.Build(cache=tmp_path, quick=True)).folder)
    wrong.rename(tmp_path / right.name)
    return tmp_path


def test_a_difference_is_shown(covenant_command, program, wrong_cache):
    model = model_of("qdq")
    machine = ("-m", "genesys", *SMALL, "--rtl-cache", wrong_cache)
    done = covenant_command("cosim", model, *machine, "--images", 2, "--json")
    assert done.code == 1
    found = done.object
    assert found["identical"] is False
    assert found["images"] == 1, "images after one that differs do not run"
    first = found["first"]
    assert (first["engine"], first["layer"], first["kind"]) == ("instruction fetch", program.blocks[0].layer, "record")
    assert first["fields"][0] == {"name": "issue", "systemc": "41", "rtl": "40"}
    assert first["around_systemc"][0]["issue"] == 41
    assert first["around_rtl"][0]["issue"] == 40
    text = covenant_command("cosim", model, *machine)
    assert text.code == 1
    assert "issue      systemc 41, rtl 40" in text.out
    assert "waves of it: covenant cosim" in text.out

    words = shlex.split(found["reproduce"])
    assert words[:3] == ["covenant", "cosim", str(model)]
    again = build_parser().parse_args(words[1:])
    assert (again.image, again.first_cycle, again.last_cycle) == (0, 0, 240)
    assert (again.settings, again.seed, again.wave) == (["M=3", "N=4"], 0, "difference.fst")

    mixed = covenant_command("run", model, *machine, "--rtl", "pool", "--json")
    assert mixed.code == 1
    assert mixed.object["rtl"]["first"]["layer"] == "pool"


def test_waveforms(covenant_command, tmp_path):
    whole, part = tmp_path / "whole.fst", tmp_path / "part.fst"
    command = ("cosim", model_of("qdq"), "-m", "genesys", *SMALL)
    assert covenant_command(*command, "--wave", whole).code == 0
    assert covenant_command(*command, "--wave", part, "--from", 100, "--to", 300).code == 0
    assert 0 < part.stat().st_size < whole.stat().st_size


def test_a_program_file_runs_in_lock_step(covenant_command, program, tmp_path):
    program.save(tmp_path / "digits.cprog")
    done = covenant_command("cosim", tmp_path / "digits.cprog", "--rtl-quick", "--json")
    assert done.object["identical"] is True
