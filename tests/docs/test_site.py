"""The documentation as a site: every page is found from its first one, and ./dev docs knows all that it names."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MKDOCS = ROOT / "build/docs-venv/bin/mkdocs"
EXPANDED = runpy.run_path(str(DOCS / "hooks/folders.py"))["expanded"]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def linked(page: Path) -> set[Path]:
    """Pages of the documentation that a page leads to."""
    targets = {(page.parent / target).resolve() for target in LINK.findall(page.read_text()) if "://" not in target}
    return {target for target in targets if target.suffix == ".md" and target.is_relative_to(DOCS)}


def test_every_page_is_reached():
    reached, wanted = set(), {DOCS / "README.md"}
    while wanted:
        page = wanted.pop()
        reached.add(page)
        wanted |= linked(page) - reached
    assert {page.relative_to(DOCS) for page in DOCS.rglob("*.md") if page not in reached} == set()


def entries(nav) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    return set().union(*(entries(one) for one in (nav.values() if isinstance(nav, dict) else nav)))


def test_the_navigation_has_every_page():
    class Loader(yaml.SafeLoader):
        """Reads the one tag that is not plain as nothing."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    nav = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["nav"]  # noqa: S506  (a subclass of SafeLoader)
    assert entries(EXPANDED(nav)) == {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}


def test_the_indexes_have_every_page():
    """Guides in the index of all, decisions and the reference in theirs."""
    for folder, index in (
        ("guide", "README.md"),
        ("decisions", "decisions/README.md"),
        ("reference", "reference/README.md"),
    ):
        pages = {page.resolve() for page in (DOCS / folder).glob("*.md")} - {(DOCS / index).resolve()}
        assert pages - linked(DOCS / index) == set()


@pytest.mark.skipif(not MKDOCS.exists(), reason="MkDocs is not here: ./dev docs installs it")
def test_the_site_is_built(tmp_path):
    command = [MKDOCS, "build", "--strict", "--site-dir", tmp_path]
    built = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert built.returncode == 0, built.stderr
    assert "compiler/frontends/onnx/rows.h" in (tmp_path / "reference/onnx-support.html").read_text()
