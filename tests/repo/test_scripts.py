"""`./dev`, the package's metadata, and the links between documents."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from sources import ROOT, name_of, tracked

import covenant

COMMANDS = sorted(set(re.findall(r"^    ([a-z]+)\)", (ROOT / "dev").read_text(), re.MULTILINE)))


def dev(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [root / "dev", *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60
    )


def test_dev_help_shows_every_command_and_examples():
    done = dev("--help")
    assert done.returncode == 0
    assert {"demo", "test", "bench", "format", "lint", "exec", "doctor"} <= set(COMMANDS)
    for command in COMMANDS:
        assert re.search(rf"^  {command}\b", done.stdout, re.MULTILINE), f"./dev --help does not name {command}"
    assert "examples:" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_of_a_command_is_printed_and_nothing_is_done(command, option, tmp_path):
    """In a folder with the script alone, where anything else would leave files, or fail."""
    shutil.copy(ROOT / "dev", tmp_path)
    done = dev(command, *(["--write"] if command == "bench" else []), option, root=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(f"  {command} ")
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == [tmp_path / "dev"]


@pytest.mark.skipif(not (ROOT / "build/venv").exists(), reason="no environment of ./dev")
def test_help_of_a_command_has_the_options_of_its_script():
    assert "  mutate  " in dev("mutate", "--help").stdout
    assert "--side SIDE" in dev("mutate", "--help").stdout
    assert "--room ROOM" in dev("mutate", "--drawn", "1", "--help").stdout
    assert "--write" in dev("bench", "layers", "--help").stdout


@pytest.mark.parametrize(
    ("words", "answer"), [("exec covenant --help", "no"), ("exec --help", "yes"), ("test -h", "yes"), ("test", "no")]
)
def test_exec_leaves_help_to_its_command(words, answer):
    text = (ROOT / "dev").read_text().replace('main "$@"', 'asks_for_help "$@" && echo yes || echo no')
    done = subprocess.run(["bash", "-c", text, "dev", *words.split()], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == answer


def test_dev_refuses_what_it_does_not_know():
    done = dev("dance")
    assert done.returncode == 2
    assert "unknown command 'dance'" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["dev", ".ci/run"])
def test_scripts_parse_and_may_be_run(name):
    subprocess.run(["bash", "-n", ROOT / name], check=True)
    assert os.access(ROOT / name, os.X_OK)


def test_continuous_integration_is_dev_test():
    lines = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[-1] == "exec ./dev test"


def test_the_package_is_the_one_of_this_checkout():
    """At the root of the repository, `import covenant` without an installation must not find something else."""
    assert covenant.__file__ == str(ROOT / "python" / "covenant" / "__init__.py")


def test_version_stands_in_one_place():
    version = re.search(r"project\(covenant VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert covenant.__version__ == version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    pattern = project["tool"]["dynamic-metadata"][0]["regex"]
    assert re.search(pattern, (ROOT / "CMakeLists.txt").read_text()).group("value") == version


def test_metadata_of_the_wheel(tmp_path, monkeypatch):
    """The wheel has the metadata that pip reads before it builds; `./dev test --full` tries the whole installation."""
    from scikit_build_core.build import prepare_metadata_for_build_wheel

    monkeypatch.chdir(ROOT)
    folder = tmp_path / prepare_metadata_for_build_wheel(str(tmp_path))
    assert f"Version: {covenant.__version__}" in (folder / "METADATA").read_text()
    assert "covenant = covenant.cli:main" in (folder / "entry_points.txt").read_text()


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith(("#", "-r")))


def test_requirements_are_pinned_and_agree_with_the_project():
    runtime, building, development = (pins(f"requirements{name}.txt") for name in ("", "-build", "-dev"))
    assert len(runtime | building | development) == len(runtime) + len(building) + len(development)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert f"onnxruntime=={runtime['onnxruntime']}" in project["project"]["dependencies"]
    for requirement in project["build-system"]["requires"]:
        name, version = requirement.split("==")
        assert (building | development)[name] == version
    from covenant.oracle import PINNED_ONNXRUNTIME

    assert runtime["onnxruntime"] == PINNED_ONNXRUNTIME


LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def test_links_lead_somewhere():
    found = [
        f"{name_of(path)}: {target}"
        for path in tracked("*.md")
        for target in LINK.findall(path.read_text())
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert found == []


ANCHORED = re.compile(r"\[[^\]]*\]\(([^)#\s]*)#([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page) -> set[str]:
    """Anchors of a page's headings, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    texts = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


def test_anchors_are_there():
    found = [
        f"{name_of(path)}: {target}#{anchor}"
        for path in tracked("*.md")
        for target, anchor in ANCHORED.findall(path.read_text())
        if "://" not in target and anchor not in anchors(path.parent / target if target else path)
    ]
    assert found == []


NAMED = re.compile(r"\bdocs/[a-z][\w./-]*?\.(?:md|svg|json|csv)\b(?:#[\w-]+)?")


def test_documents_that_sources_name_are_there():
    found = []
    for path in tracked("*.py", "*.pyi", "*.h", "*.cpp", "*.sv", "*.acg", "*.cdlt", "*.toml", "*.cmake", "dev"):
        for named in NAMED.findall(path.read_text(encoding="utf-8")):
            document, _, anchor = named.partition("#")
            if not (ROOT / document).exists() or (anchor and anchor not in anchors(ROOT / document)):
                found.append(f"{name_of(path)}: {named}")
    assert found == []
