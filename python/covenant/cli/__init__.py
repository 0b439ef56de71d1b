"""The command line: `covenant COMMAND`, which `covenant --help` lists.

Exit codes: 0 all is well, 1 a comparison differs or something is missing, 2 the user's mistake (a diagnostic says
which), 3 an internal error.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from covenant.errors import CovenantError, Diagnostic

if TYPE_CHECKING:
    from covenant.cli.output import Output

OK, DIFFERS, MISTAKE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not _has_streams():
        return MISTAKE
    try:
        if argv is None:
            from covenant.cli.interrupt import end_on_interrupt

            end_on_interrupt(INTERRUPTED)
        from covenant.cli.output import Output

        return _run(arguments, Output(json="--json" in arguments))
    except ModuleNotFoundError as error:
        return _without_package((error.name or str(error)).partition(".")[0], arguments)


def _has_streams() -> bool:
    """Whether there is a standard output; messages without a place to go are dropped."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (open until the process ends)
    if sys.stdout is None:
        sys.stderr.write("error: standard output is closed; send it to a file, or to /dev/null\n")
    return sys.stdout is not None


def _run(arguments: Sequence[str], output: Output) -> int:  # noqa: PLR0911 (one for each exit code)
    from covenant.cli.parser import build_parser
    from covenant.cli.written import check_written
    from covenant.files import of_the_system

    try:
        _check_text(arguments)
        parsed = build_parser(arguments[0] if arguments else "").parse_args(arguments)
        check_written(vars(parsed))
        if isinstance(getattr(parsed, "model", None), str):
            parsed.model = _model_path(parsed.model, output)
        return parsed.execute(parsed, output)
    except CovenantError as error:
        output.failure(_error_object(error.diagnostic), str(error))
        return MISTAKE
    except ModuleNotFoundError as error:
        if (error.name or "covenant").partition(".")[0] != "covenant":
            raise
        return _bug(error, output)
    except BrokenPipeError:  # the reader of our output has left: `covenant disasm x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:  # a path that the system does not take; no room; standard output is full, or gone
        told = of_the_system(error)
        output.failure(_error_object(told), str(told))
        return MISTAKE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 (whatever reaches this line is a bug of ours, and is reported as one)
        return _bug(error, output)


def _bug(error: Exception, output: Output) -> int:
    """Reports a mistake of ours, with its traceback."""
    text = "".join(traceback.format_exception(error))
    output.failure(
        {"error": {"code": "INTERNAL", "message": str(error)}},
        f"{text}internal error: this is a bug in covenant, not a mistake of yours; please report what is above",
    )
    return INTERNAL


def _model_path(model: str, output: Output) -> str:
    """The path of `zoo:NAME`, or of NAME where no file has it; another path as it is."""
    from covenant import zoo

    if not (model.startswith(zoo.PREFIX) or (model in zoo.ENTRIES and not os.path.lexists(model))):
        return model
    with output.activity(model) as tell:
        return str(zoo.get(model.removeprefix(zoo.PREFIX), progress=tell))


def _without_package(name: str, arguments: Sequence[str]) -> int:
    """Prints what needs no package, where one that a command needs is missing."""
    if arguments[:1] == ["doctor"]:
        from covenant.cli.health import examine

        findings = examine()
        if "--json" in arguments:
            content = {"healthy": False, "findings": [finding.to_dict() for finding in findings]}
            sys.stdout.write(json.dumps(content, indent=2) + "\n")
        else:
            for finding in findings:
                fix = "" if finding.ok else f"; to fix it: {finding.fix}"
                sys.stdout.write(f"{finding.name}: {finding.state} {finding.found}{fix}\n")
        return DIFFERS
    sys.stderr.write(f"covenant needs the package {name}: pip install {name}\n`covenant doctor` lists all it needs\n")
    return MISTAKE


def _check_text(arguments: Sequence[str]) -> None:
    """Raises CLI0001 for arguments whose bytes are no text."""
    for argument in arguments:
        if any(0xD800 <= ord(character) < 0xE000 for character in argument):
            raise CovenantError(
                Diagnostic(
                    "CLI0001", "an argument is not text in UTF-8", "command line", offending=ascii(argument),
                    fix="rename the file, or check the shell's encoding",
                )
            )  # fmt: skip


def _error_object(diagnostic: Diagnostic) -> dict[str, object]:
    return {"error": diagnostic.to_dict()}
