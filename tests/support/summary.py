"""Adds up JUnit reports; the last line is `N passed, N failed` (and `, N skipped`), the exit code says if all is well.

A report that is missing counts as one failure: its test runner died before it could write it.

    python tests/support/summary.py build/logs/ctest.xml build/logs/pytest.xml --passed install
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
LINES_OF_A_FAILURE = 12


@dataclass
class Tally:
    """Names of tests by verdict; failures and skips with their text."""

    passed: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


def text_of(element: ElementTree.Element) -> str:
    """Text of a failure or skip element, or else its message."""
    return (element.text or element.get("message") or "").strip()


def add_case(tally: Tally, case: ElementTree.Element) -> None:
    """Counts one <testcase>; ctest writes its output into <system-out>."""
    parts = [case.get("classname") or "", case.get("name") or ""]
    name = parts[1] if parts[0] == parts[1] else ".".join(filter(None, parts))  # ctest writes the name twice
    problems = [element for element in case if element.tag in ("failure", "error")]
    skips = [element for element in case if element.tag == "skipped"]
    if problems or case.get("status") == "fail":
        output = case.findtext("system-out") or ""
        tally.failed.append((name, "\n".join([*map(text_of, problems), output]).strip()))
    elif skips or case.get("status") in ("notrun", "disabled"):
        said = (case.findtext("system-out") or "").strip()
        reason = said.removeprefix("skipped: ") if said.startswith("skipped: ") else text_of(skips[0]) if skips else ""
        tally.skipped.append((name, reason or "not run"))
    else:
        tally.passed.append(name)


def add_report(tally: Tally, path: Path) -> None:
    """Counts every test of one report."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        tally.failed.append((path.stem, f"no readable report: {error}; see {path.with_suffix('.log')}"))
        return
    for case in root.iter("testcase"):
        add_case(tally, case)


def report(tally: Tally, source: str) -> None:
    """Prints skips with their reason, failures with the end of their output, `source`, and the line that counts."""
    for name, reason in tally.skipped:
        print(f"SKIPPED {name}: {reason.splitlines()[0] if reason else 'no reason given'}")
    for name, output in tally.failed:
        print(f"FAILED {name}")
        for line in output.splitlines()[-LINES_OF_A_FAILURE:]:
            print(f"    {line}")
    print(source)
    line = f"{len(tally.passed)} passed, {len(tally.failed)} failed"
    print(f"{line}, {len(tally.skipped)} skipped" if tally.skipped else line)


def numbers(tally: Tally) -> dict[str, object]:
    """Counts of each verdict, and which tests were skipped and why, as data."""
    return {
        "passed": len(tally.passed),
        "failed": len(tally.failed),
        "skipped": len(tally.skipped),
        "failures": [name for name, _ in tally.failed],
        "skips": {name: reason.splitlines()[0].replace(f"{ROOT}/", "") for name, reason in tally.skipped},
    }


def source_of_expected_outputs() -> str:
    """Source of the outputs that models were compared with."""
    try:
        from expectation import sentence
    except ImportError as error:
        return f"expected outputs: of unknown source, {error}"
    return sentence()


def main() -> int:
    """Returns 1 if anything failed or nothing ran at all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", type=Path, help="JUnit XML files")
    parser.add_argument("--passed", action="append", default=[], help="a check made outside a report that passed")
    parser.add_argument("--failed", action="append", default=[], help="the same, failed")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the numbers as JSON, too")
    arguments = parser.parse_args()
    tally = Tally()
    for path in arguments.reports:
        add_report(tally, path)
    tally.passed += arguments.passed
    tally.failed += [(name, f"see build/logs/{name}.log") for name in arguments.failed]
    report(tally, source_of_expected_outputs())
    if arguments.output:
        arguments.output.write_text(json.dumps(numbers(tally), indent=1) + "\n", encoding="utf-8")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
