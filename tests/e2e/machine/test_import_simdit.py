"""`covenant import-simdit` turns the published designs into the presets, and refuses by name what it does not know."""

from __future__ import annotations

import json

import pytest
from digits import model_of
from test_bad_input import refused

import covenant
from covenant.machine.simdit import KEYS, read_simdit

# The inference designs as published: rows and columns, bits, Kibit of IBUF, WBUF, OBUF, BBUF, VMEM, bits of ports: of
# inputs, parameters, outputs and lanes. The presets of genesys.acg state the same as depths.
DESIGNS = {
    "01": (16, 4, 128, 128, 512, 16, 512, 128, 64, 128, 128),
    "02": (16, 4, 256, 512, 1024, 16, 1024, 256, 64, 256, 256),
    "03": (16, 8, 256, 256, 512, 16, 512, 128, 128, 128, 128),
    "04": (16, 8, 512, 512, 1024, 16, 1024, 256, 128, 256, 256),
    "05": (32, 4, 256, 512, 1024, 32, 1024, 256, 128, 256, 256),
    "06": (32, 4, 512, 1024, 2048, 32, 2048, 256, 128, 256, 256),
    "07": (32, 8, 1024, 2048, 2048, 32, 2048, 256, 256, 256, 256),
    "08": (64, 4, 1024, 2048, 4096, 64, 2048, 256, 256, 256, 256),
    "09": (64, 8, 2048, 4096, 4096, 64, 4096, 512, 512, 512, 512),
    "11": (128, 4, 2048, 8192, 8192, 128, 8192, 128, 512, 256, 256),
    "12": (128, 4, 2048, 16384, 16384, 128, 16384, 512, 512, 512, 512),
    "13": (128, 8, 4096, 16384, 8192, 128, 8192, 128, 512, 256, 256),
    "14": (128, 8, 4096, 32768, 16384, 128, 16384, 512, 512, 512, 512),
}


def hardware(design: str) -> dict[str, int]:
    """The file of a design, as its publishers write it."""
    size, bits, *kibits, ibuf, param, obuf, simd = DESIGNS[design]
    names = ("IBUF_CAPACITY_BITS", "WBUF_CAPACITY_BITS", "OBUF_CAPACITY_BITS", "BBUF_CAPACITY_BITS")
    capacities = dict(zip((*names, "SIMD_VMEM_CAPACITY_BITS"), (1024 * kibit for kibit in kibits), strict=True))
    return capacities | {
        "ARRAY_N": size, "ARRAY_M": size, "WGT_DATA_WIDTH": bits, "ACT_DATA_WIDTH": bits, "BIAS_WIDTH": 32,
        "ACC_WIDTH": 32, "INST_MEM_CAPACITY_BITS": 8192, "INST_MEM_AXI_DATA_WIDTH": 64, "IBUF_AXI_DATA_WIDTH": ibuf,
        "PARAMBUF_AXI_DATA_WIDTH": param, "OBUF_AXI_DATA_WIDTH": obuf, "SIMD_INST_MEM_ADDR_WIDTH": 8,
        "SIMD_AXI_DATA_WIDTH": simd,
    }  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """Writes a hardware file with changes; None takes a key out."""

    def write(design: str, **changes: object):
        values = {key: value for key, value in (hardware(design) | changes).items() if value is not None}
        path = tmp_path / f"design{design}.json"
        path.write_text(json.dumps(values))
        return path

    return write


@pytest.mark.parametrize("design", DESIGNS)
def test_a_published_design_is_the_preset(design, written):
    machine = read_simdit(written(design)).machine()
    preset = covenant.Machine("genesys", preset=design)
    ours, theirs = (json.loads(one.to_json()) for one in (machine, preset))
    assert ours | {"preset": design} == theirs


def test_rows_are_array_n(written):
    settings = read_simdit(written("09", ARRAY_M=32)).settings
    assert (settings["M"], settings["N"]) == (64, 32)
    assert (settings["input_depth"], settings["weight_depth"]) == (2048, 128)
    assert (settings["output_depth"], settings["bias_depth"], settings["vector_depth"]) == (2048, 32, 2048)


def test_the_text_is_the_machine_and_says_where_values_are_from(written, tmp_path, covenant_command):
    path, acg = written("03"), tmp_path / "design03.acg"
    done = covenant_command("import-simdit", path, "-o", acg, "--json")
    assert done.code == 0
    assert done.object["settings"]["axi_weight"] == 128
    assert done.object["keys"]["bits"] == ["ACT_DATA_WIDTH", "WGT_DATA_WIDTH"]
    assert {key for keys in done.object["keys"].values() for key in keys} | set(done.object["left_out"]) | {
        "BIAS_WIDTH", "ACC_WIDTH",
    } == set(KEYS)  # fmt: skip
    assert "# input_depth = 1024: IBUF_CAPACITY_BITS\n" in acg.read_text()
    assert covenant.Machine(str(acg)).to_json() == read_simdit(path).machine().to_json()
    ran = covenant_command("run", model_of("qdq"), "-m", acg, "--compare", "reference", "--json")
    assert (ran.code, ran.object["identical"]) == (0, True)
    shown = covenant_command("import-simdit", path).out
    assert "left out: INST_MEM_CAPACITY_BITS = 8192" in shown
    line = next(line for line in shown.splitlines() if line.startswith("-m genesys"))
    assert covenant_command("show", *line.split()[1:], "--json").object["parameters"]["weight_depth"] == 64


@pytest.mark.parametrize(
    ("changes", "code", "got"),
    [
        ({"WARP_SIZE": 32}, "CLI0017", "the key WARP_SIZE"),
        ({"ACC_WIDTH": None}, "CLI0017", "no ACC_WIDTH"),
        ({"ACC_WIDTH": 64}, "CLI0018", "ACC_WIDTH = 64"),
        ({"WGT_DATA_WIDTH": 4}, "CLI0018", "WGT_DATA_WIDTH = 4, ACT_DATA_WIDTH = 8"),
        ({"IBUF_CAPACITY_BITS": 2097153}, "CLI0018", "IBUF_CAPACITY_BITS = 2097153"),
        ({"ARRAY_N": 0}, "CLI0018", "ARRAY_N = 0"),
        ({"ARRAY_N": "64"}, "CLI0018", 'ARRAY_N = "64"'),
    ],
)
def test_what_is_not_understood_is_refused_by_name(changes, code, got, written, covenant_command):
    error = refused(covenant_command("import-simdit", written("09", **changes), "--json"), code)
    assert error["offending"] == got
    assert error["allowed"]


def test_a_value_is_refused_with_what_would_do(written, covenant_command):
    error = refused(covenant_command("import-simdit", written("09", WBUF_CAPACITY_BITS=100), "--json"), "CLI0018")
    assert error["allowed"] == ["a multiple of 65536: 2 buffers of vectors"]


@pytest.mark.parametrize("text", ["{", "[1, 2]"])
def test_another_file_is_refused(text, tmp_path, covenant_command):
    path = tmp_path / "other.json"
    path.write_text(text)
    refused(covenant_command("import-simdit", path, "--json"), "CLI0017")
    refused(covenant_command("import-simdit", tmp_path / "none.json", "--json"), "CLI0009")
