"""Hostile inputs of every reader, a few; the limits and verdicts of attempts; steps that break files."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import mutations
import protobuf_fields
import pytest
import structures
import trials
from attempts import Limits, Outcome, attempt
from good_files import ALL_WORDS, DIGITS, make_good_files
from readers import READERS, Reader
from trials import Trial, Tried

from covenant.cli import main

HERE = Path(__file__).resolve().parent
EACH = 6
"""Inputs of each reader."""
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "files"
    make_good_files(folder)
    return folder


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE.parent / "support"), *sys.path])}


def test_few_inputs_hold(tmp_path: Path) -> None:
    words = [sys.executable, str(HERE / "fuzz.py"), "--inputs", str(EACH * len(READERS)), "--seed", "11", "--json"]
    done = subprocess.run(
        [*words, "--folder", str(tmp_path)], env=environment(), stdout=subprocess.PIPE, text=True, check=False
    )
    summary = json.loads(done.stdout)
    assert summary["failure_kinds"] == {}
    assert done.returncode == 0
    assert {row["inputs"] for row in summary["readers"].values()} == {EACH}
    assert summary["read"] + summary["refused"] == summary["inputs"] == EACH * len(READERS)
    assert summary["codes"] > 10


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    words = [sys.executable, "-X", "faulthandler", str(HERE / "fuzz.py")]
    words += ["--inputs", "100000", "--folder", str(tmp_path)]
    said = tmp_path / "said"
    with said.open("w") as to, subprocess.Popen(
        words, env=environment(), stdout=subprocess.DEVNULL, stderr=to, start_new_session=True
    ) as running:  # fmt: skip
        while running.poll() is None and not (tmp_path / "files/command").exists():
            time.sleep(0.2)
        os.killpg(running.pid, signal.SIGINT)
        try:
            running.wait(timeout=100)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGABRT)  # it says where it hangs
    assert running.returncode == 0, said.read_text()
    assert json.loads((tmp_path / "summary.json").read_text())["inputs"] < 100000


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_good_files_are_read(reader: Reader, files: Path) -> None:
    """Otherwise nothing behind the first check would be tried."""
    drawn = (Trial(1, reader.name, number) for number in range(100))
    trial = next(trial for trial in drawn if trials.command_of(trial) == reader.commands[0])
    suffix, data = trials.good_files_of(files, reader.name)[0]
    outcome = trials.run_bytes(trial, files, Limits(), suffix, data).outcome
    assert outcome.verdict == "read", outcome


def test_a_machine_has_all_words_of_behaviours() -> None:
    """Else the fuzzer would never come to what a word begins: the readers in C++ say which words there are."""
    folder = HERE.parents[1] / "acg/behaviour"
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cpp")))
    asked = re.findall(r'(?:at_word\(|(?:kind|text) == )"(\w+)"', source)
    symbols = re.findall(r'\{"([^"\s]+)", Op::k\w+\}', source)
    text = re.sub("#.*", "", ALL_WORDS.read_text(encoding="utf-8"))
    used = {*re.findall(r"\w+|<<|>>|[<>=!]=|[^\w\s]", text)}
    assert {"queue", "saturate", "log2", "<<", "xor", "%"} < {*asked, *symbols}
    assert {*asked, *symbols} - used == set()


@pytest.mark.parametrize("command", next(reader.commands for reader in READERS if reader.name == "behaviour"))
def test_machines_of_commands_are_shown(command: str, files: Path) -> None:
    """Each good machine is read by each command; streams are those of some."""
    for path in sorted((files / "behaviour").iterdir()):
        words = command.replace("{kit}", str(files / "kit")).replace("{input}", str(path)).split()
        assert main(words) == 0 or (words[0] == "replay" and path.stem in ("dot", "flexasr", "hlscnn")), path


def test_verdicts(tmp_path: Path) -> None:
    # A process that is forked holds the anonymous pages from the start; pages of files come back when they are used.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    used = 1024 * int(re.search(r"RssAnon:\s+(\d+) kB", status)[1])

    def verdict(action: object, waiting_seconds: int = 60) -> Outcome:
        limits = Limits(seconds=1, waiting_seconds=waiting_seconds, memory_bytes=used + 2**27)
        return attempt(action, tmp_path, limits)

    assert verdict(lambda: 0).verdict == "read"
    refused = verdict(lambda: main(["show", "no-such-machine"]))
    assert (refused.verdict, refused.code[:3]) == ("refused", "ACG")
    assert verdict(lambda: 2).verdict == "untold"
    long = "error[ACG0001] \n" + 30_000 * "é\n"
    assert verdict(lambda: sys.stderr.write(long) and 2).code == "ACG0001"
    assert verdict(lambda: sys.stderr.buffer.write(b"error[ACG0001] \xff\n") and 2).kind == "not UTF-8"
    internal = verdict(lambda: {}["key"])
    assert (internal.verdict, internal.kind.split()[-1]) == ("internal", "'key'")
    assert verdict(lambda: os.kill(os.getpid(), signal.SIGKILL) or 0).kind == "SIGKILL"
    assert verdict(lambda: time.sleep(60) or 0, waiting_seconds=1).kind == "waits"
    assert verdict(lambda: sum(iter(int, 1))).kind == "computes"
    assert verdict(lambda: len(b"1" * 2**28) * 0).verdict == "memory"
    assert verdict(lambda: len(b"1" * 2**40)).verdict == "internal"
    assert verdict(lambda: sys.exit(0)).verdict == "read"


def test_what_the_witness_says_is_heard(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader("machine", "", "text", ("show {input}",), lambda path: f"{path.suffix} is other than it was")
    monkeypatch.setitem(trials.BY_NAME, "machine", reader)
    suffix, data = trials.good_files_of(files, "machine")[0]
    outcome = trials.run_bytes(Trial(1, "machine", 0), files, Limits(), suffix, data).outcome
    assert (outcome.verdict, outcome.kind) == ("wrong", ".acg is other than it was")


def test_inputs_come_from_the_seed_alone(files: Path) -> None:
    for reader in READERS:
        drawn, again, other = (
            [hash(trials.input_of(Trial(seed, reader.name, number), files)) for number in range(6)]
            for seed in (1, 1, 2)
        )
        assert drawn == again
        assert len(set(drawn)) > 3
        assert drawn != other


def test_failures_are_made_smaller(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_bytes(trial: Trial, _: Path, __: Limits, suffix: str, data: bytes) -> Tried:
        verdict = "internal" if b"memory" in data else "read"
        return Tried(trial, (), suffix, Outcome(verdict), data)

    monkeypatch.setattr(trials, "run_bytes", run_bytes)
    tried = trials.run(Trial(1, "machine", 0), files, Limits())
    assert b"memory" in tried.input
    assert len(tried.input) < len(trials.input_of(tried.trial, files)[1]) / 4
    assert len(tried.trial.left_out) == trials.steps_of(tried.trial.key)


def test_structures_are_written_as_they_were(files: Path) -> None:
    for path in DIGITS.glob("*.onnx"):
        fields = protobuf_fields.parsed(path.read_bytes())
        assert any(field.fields for field in fields)
        assert protobuf_fields.written(fields) == path.read_bytes()
    for reader in ("program", "parts"):
        for _, data in trials.good_files_of(files, reader):
            assert structures._program(data, *structures._parts_of(data)) == data


@pytest.mark.parametrize("form", structures.FORMS)
def test_steps_change_good_files(form: str, files: Path) -> None:
    reader = next(reader.name for reader in READERS if reader.form == form)
    _, data = trials.good_files_of(files, reader)[0]
    for step in {*structures.FORMS[form], *mutations.BYTES}:
        changed, sizes = 0, []
        for seed in range(20):
            made = step(Random(seed), data, [data])  # noqa: S311
            changed += made != data
            sizes.append(len(made))
        assert changed > 3  # a block may be put where it was
        assert max(sizes) <= 3 * mutations.MOST_BYTES
