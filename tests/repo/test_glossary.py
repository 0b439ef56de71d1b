"""One word for one thing: the glossary is in order, and words that it has replaced are used nowhere."""

from __future__ import annotations

import re

from sources import ROOT, name_of, room_of, tracked

GLOSSARY = ROOT / "docs/reference/glossary.md"
ROW = re.compile(r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \| \[[^]]+\]\((?P<page>[^)#]+)[^)]*\) \|$")


def part_of_a_name(words: str) -> re.Pattern[str]:
    """Finds the words (of small letters) alone and in identifiers: `foot_first`, `aFoot`, not `footprint`."""
    alone = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in words.split())
    capital = "|".join(word.capitalize() for word in words.split())
    return re.compile(rf"(?:(?<![A-Za-z])(?:{alone})|(?<=[a-z])(?:{capital}))(?![a-z])")


# Former words, each below the term that has replaced it. A word that has another meaning too is looked for in the form
# that had this one.
REPLACED = {
    "address generator": part_of_a_name("walker walkers"),
    "buffer": re.compile(r"half_(?:units|bytes|bits|start|offset)|HalfUnits|halves of (?:a|each|every) memor"),
    "column accumulator": part_of_a_name("foot feet"),
    "command timing": re.compile(r"\bEffect [a-z_]+[{(;]|\bEffect&"),
    "expected outputs": part_of_a_name("judge judges judged judgement"),
    "fix": part_of_a_name("mend mends mended mending"),
    "float subgraph": part_of_a_name("island islands"),
    "run context": re.compile(r"\bShared&|\bstruct Shared\b"),
    "statistics from records": part_of_a_name("recount recounts recounted"),
}
# Keys of JSON that users read stay, and former names that diagnostics explain.
KEPT = re.compile(
    r'"walker\.|= walker\.base;|`judge`: the same, by its former name|`judge` is the former name|"judge": verdict'
)
ROOMS = ("acg", "compiler", "sim", "rtl", "runtime", "python", "docs", "tests")
TEXT = tracked("*.h", "*.cpp", "*.sv", "*.vlt", "*.py", "*.md", "*.acg", "*.toml", "*CMakeLists.txt", "*.txt", "dev")


def rows() -> list[re.Match[str]]:
    lines = GLOSSARY.read_text().splitlines()
    table = lines[lines.index("|---|---|---|") + 1 :]
    found = [ROW.match(line) for line in table]
    assert all(found), "every row has a term, a meaning and a link"
    return [row for row in found if row]


def test_terms_are_sorted_and_said_once():
    terms = [row["term"].lower() for row in rows()]
    assert terms == sorted(set(terms))


def test_every_term_is_linked_to_a_page_that_is_there():
    missing = [row["page"] for row in rows() if not (GLOSSARY.parent / row["page"]).is_file()]
    assert missing == []


def test_meanings_are_sentences():
    wrong = [row["term"] for row in rows() if not row["meaning"].endswith(".") or row["meaning"].count(". ") > 1]
    assert wrong == [], "one or two sentences each"


def test_readers_find_the_glossary():
    assert "docs/reference/glossary.md" in (ROOT / "README.md").read_text()


def test_replaced_words_are_used_nowhere():
    found = [
        f"{name_of(path)}:{number}: {term}: {line.strip()}"
        for path in TEXT
        if path.name != "test_glossary.py" and (room_of(path) in ROOMS or len(path.relative_to(ROOT).parts) == 1)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for term, pattern in REPLACED.items()
        if pattern.search(KEPT.sub("", line))
    ]
    assert found == []


def test_replaced_words_are_in_no_name_of_a_file():
    found = [name_of(path) for path in TEXT for pattern in REPLACED.values() if pattern.search(path.stem)]
    assert found == []
