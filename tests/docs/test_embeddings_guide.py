"""The page about embeddings is true: its commands run, and print what it shows."""

from __future__ import annotations

import re

from embeddings_guide import PAGE, listings, refreshed

EMBEDDING = re.compile(r"^    (?:ok|\d+): (.*)$", re.MULTILINE)


def test_the_listings_are_what_the_commands_print():
    """Made anew by `./dev exec python tests/docs/embeddings_guide.py`."""
    page = PAGE.read_text()
    assert listings(page) == listings(refreshed(page))


def test_what_the_page_says_of_its_listings():
    """The page's words on its listings stay true when the search changes, or this test names those that do not."""
    strict, none, examples, every, large, mine, refused = listings(PAGE.read_text())
    assert EMBEDDING.findall(strict) == ["columns: oc*16 | inner: ic*16"]
    assert "100.0 % used, needs no relaxation" in strict
    assert "1 embedding, and no others" in strict
    assert "error[EMB0010]" in none
    assert "fix: allow pad" in none
    needs = re.findall(r"needs (.*)$", examples, re.MULTILINE)
    assert len(needs) == 6
    named = re.findall(r"^\| `(\w+)` \|.*\|.*\|$", PAGE.read_text(), re.MULTILINE)
    for relaxation in ("pad", "fuse", "strided", "unroll", "band", "exchange"):
        assert any(relaxation in need.split(", ") for need in needs), relaxation
        assert relaxation in named
    for text in (every, large):
        assert "and no others" in text
        assert "shown; --all shows all" in text
        assert len(EMBEDDING.findall(text)) == 3
    assert "rows 1 columns 32 inner 32" in large
    steps, fewer = (int(re.search(r"([\d,]+) steps", text)[1].replace(",", "")) for text in (every, large))
    assert steps == 4 * fewer
    assert re.findall(r"([\d.]+) % used", mine) == ["100.0"] * 6
    assert "inner: ic*3 kh*7" in mine
    assert "inner: kh*7 kw*7" in mine
    assert "inner 21" in mine
    assert "inner 49" in mine
    assert "error[EMB0011]" in refused
    assert "must share an element of x, and do not" in refused


def test_what_was_found_can_be_checked_again(capsys):
    """Every text of the page that the search has printed is an embedding when it is given back."""
    from covenant.cli import main

    *_, every, large, _, _ = listings(PAGE.read_text())
    for machine, text in (("genesys:03", every), ("genesys:07", large)):
        command = ["compile", "--layer", "ResNet50/CONV1", "-m", machine, "--emit", "embeddings"]
        for found in EMBEDDING.findall(text):
            assert main([*command, "--embedding", found]) == 0, capsys.readouterr().err
