"""Programs of several parts on the command line: compiled, run, compared, printed, refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from digits import DIGITS
from test_bad_input import refused

import covenant
from covenant.choices import Source
from covenant.verify.expected import source_here

MODEL = DIGITS / "digits_qdq.onnx"
TEST = DIGITS / "digits_test.npz"


@pytest.fixture
def program(covenant_command, tmp_path: Path) -> Path:
    path = tmp_path / "digits.cprog"
    done = covenant_command("compile", MODEL, "-m", "genesys:8x8", "--part", "pool=hvx", "-o", path, "--json")
    assert done.code == 0
    assert [(part["name"], part["machine"]) for part in done.object["parts"]] == [("1", "genesys"), ("2", "hvx")]
    assert "conv3" in done.object["parts"][1]["layers"]
    return path


def test_a_file_runs(covenant_command, program: Path, tmp_path: Path):
    made = tmp_path / "made.npz"
    done = covenant_command("run", program, "--input", TEST, "--images", 2, "--output", made, "--json")
    assert done.code == 0
    assert done.object["cycles"] == sum(part["cycles"] for part in done.object["parts"])
    assert done.object["parts"][0]["layers"][0]["name"] == "conv1"
    session = covenant.PartsSession(covenant.ProgramParts.load(program))
    with np.load(TEST) as test:
        runs = [session.run(test["images"][i : i + 1].astype(np.float32)) for i in range(2)]
    with np.load(made) as outputs:
        assert outputs["logits"].tobytes() == b"".join(run.outputs["logits"].tobytes() for run in runs)
    assert done.object["total_cycles"] == sum(run.cycles for run in runs)
    assert "one part after the other" in covenant_command("run", program).out


@pytest.mark.parametrize("source", [Source.REFERENCE, source_here(MODEL)])
def test_machines_of_one_arithmetic_are_compared(covenant_command, source: Source):
    done = covenant_command(
        *("run", MODEL, "-m", "genesys", "--part", "conv1=genesys:8x8", "--part", "pool=genesys", "--images", 2),
        *("--compare", source.value, "--json"),
    )
    assert (done.code, done.object["identical"], len(done.object["parts"])) == (0, True, 3)


def test_the_words_of_each_part_are_printed(covenant_command, program: Path):
    text = covenant_command("disasm", program).out
    assert text.index("# part 1, genesys") < text.index("# part 2, hvx")
    parts = covenant_command("disasm", program, "--json").object["parts"]
    assert len(parts[0]["words"]) == len(covenant.ProgramParts.load(program).parts[0].program.words)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--part", "pool"), "CLI0008"),
        (("--part", "pool=hvx", "--part", "pool=genesys"), "CLI0008"),
        (("--part", "pool=hvx", "--emit", "tile"), "CLI0008"),
        (("--part", "pool=hvx", "--save-schedule", "x"), "CLI0008"),
        (("--part", "pol=hvx"), "GEN0080"),
        (("--part", "classifier=hvx"), "GEN0082"),
        (("--part", "pool=nothing"), "ACG0007"),
    ],
)
def test_compile_refuses(covenant_command, tmp_path: Path, arguments: tuple[str, ...], code: str):
    refused(covenant_command("compile", MODEL, "-m", "genesys", *arguments, "-o", tmp_path / "x.cprog", "--json"), code)


def test_run_refuses_what_is_of_one_program(covenant_command, program: Path):
    refused(covenant_command("run", program, "--trace", "x.json", "--json"), "CLI0008")
    refused(covenant_command("run", program, "--contexts", 2, "--json"), "CLI0008")
    refused(covenant_command("run", program, "--compare", "reference", "--json"), "CLI0008")
    refused(covenant_command("run", program, "--part", "pool=hvx", "--json"), "CLI0008")
    refused(covenant_command("run", program, "-m", "genesys", "--json"), "CLI0008")
    refused(
        covenant_command("run", MODEL, "-m", "genesys", "--part", "pool=hvx", "--compare", "reference", "--json"),
        "CLI0008",
    )
    refused(covenant_command("cosim", program, "--json"), "PRG0007")
