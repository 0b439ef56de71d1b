"""Results go where they were sent: never over an input or one another, and past links, devices and permissions."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from digits import model_of

import covenant
from covenant.files import check_writable, read_whole, write_whole

QDQ = model_of("qdq")


def test_two_results_to_one_file_are_refused(covenant_command, tmp_path):
    path = tmp_path / "both"
    done = covenant_command("compile", QDQ, "-m", "genesys", "-o", path, "--save-schedule", path, "--json")
    assert (done.code, done.object["error"]["code"]) == (2, "CLI0025")
    assert not path.exists()


@pytest.mark.parametrize("through_link", [False, True])
def test_a_result_over_its_input_is_refused(covenant_command, tmp_path, through_link):
    model = tmp_path / "model.onnx"
    shutil.copy(QDQ, model)
    target = tmp_path / "link" if through_link else model
    if through_link:
        target.symlink_to(model)
    done = covenant_command("compile", model, "-m", "genesys", "-o", target, "--json")
    assert (done.code, done.object["error"]["code"]) == (2, "CLI0026")
    assert model.read_bytes() == Path(QDQ).read_bytes()


def test_a_device_takes_a_program_and_stays(covenant_command):
    assert covenant_command("compile", QDQ, "-m", "genesys", "-o", os.devnull).code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_pipe_takes_bytes_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"all of it")
    reader.join()
    assert got == [b"all of it"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "file").write_text("before")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "after"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("mask", "may_run", "wanted"), [(0o077, False, 0o600), (0o022, False, 0o644), (0, True, 0o777)]
)
def test_new_files_have_the_permissions_of_the_process(tmp_path, mask, may_run, wanted):
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "new", "x", may_run=may_run)
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == wanted


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    (tmp_path / "old").write_text("x")
    (tmp_path / "old").chmod(0o640)
    write_whole(tmp_path / "old", "y")
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["", "no/folder", "n" * 300, "a\0b"])
def test_what_cannot_be_written_is_refused_before_and_when_it_is(tmp_path, name):
    for attempt in (check_writable, lambda path: write_whole(path, "x")):
        with pytest.raises(covenant.CovenantError, match="CLI0006"):
            attempt(f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_an_end_is_refused():
    with pytest.raises(covenant.CovenantError, match="more than 1,000 bytes"):
        read_whole("/dev/zero", 1000)


def test_a_name_that_the_system_refuses_is_a_diagnostic(covenant_command):
    done = covenant_command("run", "x" * 300, "-m", "genesys", "--json")
    assert (done.code, done.object["error"]["code"]) == (2, "CLI0009")


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
def test_a_standard_output_that_takes_nothing_is_said(redirection):
    command = ["sh", "-c", f"{sys.executable} -m covenant machines {redirection}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "standard output" in done.stderr
    assert "Traceback" not in done.stderr
