"""Options that several commands share, and readers of their values."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from covenant.cli.commands import BY_NAME, sentence
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine
from covenant.machine.memory_models import FIXED_MEMORY

if TYPE_CHECKING:  # only commands that use them pay
    from covenant.commands import CommandDevice
    from covenant.compiler.optimisations import Optimisations


def add_command(commands: Any, name: str, examples: str) -> argparse.ArgumentParser:
    """One of the commands that `covenant.cli.commands` lists."""
    return add_subcommand(commands, name, BY_NAME[name].summary, examples)


def add_subcommand(commands: Any, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    """A command, or a part of one, with examples in its help."""
    return commands.add_parser(
        name,
        help=summary,
        description=sentence(summary),
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_json(parser: Any) -> None:
    """`--json`; what the object holds: docs/reference/cli.md."""
    parser.add_argument("--json", action="store_true", help="print exactly one JSON object on standard output")


def add_machine_settings(parser: argparse.ArgumentParser) -> None:
    """`--preset` and `--set`."""
    parser.add_argument("--preset", help="preset of the machine; the same as MACHINE:PRESET")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="override a parameter of the machine; repeatable",
    )  # fmt: skip


def add_library(parser: argparse.ArgumentParser) -> None:
    """`--library`."""
    parser.add_argument("--library", metavar="DIR", help="a folder of codelets for operators beside the compiler's own")


def add_schedule(parser: argparse.ArgumentParser) -> None:
    """`--schedule`."""
    parser.add_argument(
        "--schedule", metavar="FILE", help="tile layers as this file says; what it leaves open is searched"
    )


def add_fusion(parser: argparse.ArgumentParser) -> None:
    """`--no-fusion`."""
    parser.add_argument(
        "--no-fusion", action="store_false", dest="fusion", help="leave every layer on its own, whatever it costs"
    )


def add_memory(parser: argparse.ArgumentParser) -> None:
    """`--memory`."""
    parser.add_argument(
        "--memory", metavar="NAME|FILE", default=FIXED_MEMORY,
        help="model of off-chip memory, or a file of parameters; `covenant memories` lists the names "
        f"(default: {FIXED_MEMORY}, the latency that the machine states)",
    )  # fmt: skip


LEFT_OUT = {
    "vectorise": "scalar code: a product at a time",
    "pack": "one instruction in each packet",
    "unroll": "every loop turns, over the smallest tiles",
    "pipeline": "a trip of a loop ends before the next one begins",
}
"""Effect of leaving out each of the optimisations."""


def add_optimisations(parser: argparse.ArgumentParser) -> None:
    """`--no-vectorise`, `--no-pack`, `--no-unroll`, `--no-pipeline`."""
    for name, what in LEFT_OUT.items():
        parser.add_argument(
            f"--no-{name}", action="store_false", dest=name, help=f"{what} (machines that issue packets)"
        )


def optimisations_of(arguments: argparse.Namespace) -> Optimisations:
    """Optimisations that `add_optimisations` has read, if it has."""
    from covenant.compiler.optimisations import Optimisations

    return Optimisations(**{name: getattr(arguments, name, True) for name in LEFT_OUT})


@dataclass(frozen=True)
class MachineRequest:
    """A machine as the user named it; no file is read yet."""

    spec: str | None
    """None: none was."""
    preset: str | None
    settings: tuple[str, ...]

    @property
    def is_given(self) -> bool:
        """Whether anything was said about it."""
        return bool(self.spec or self.preset or self.settings)


def machine_request(arguments: argparse.Namespace, spec: str | None = None) -> MachineRequest:
    """The machine of `--machine` (or of this spec) with what `add_machine_settings` has read."""
    return MachineRequest(arguments.machine if spec is None else spec, arguments.preset, tuple(arguments.settings))


def machine_of(request: MachineRequest) -> Machine:
    """The machine that was asked for."""
    return Machine(request.spec, preset=request.preset, **settings_in(request))


def device_of(request: MachineRequest, engine: str = "evaluator") -> CommandDevice:
    """The machine that a host drives by commands, as it was asked for; one that is only looked at is not compiled."""
    from covenant.commands import CommandDevice
    from covenant.machine.spec import with_preset

    return CommandDevice.of(with_preset(str(request.spec), request.preset), settings_in(request), engine)


def settings_in(request: MachineRequest) -> dict[str, str]:
    """Values of the parameters that `--set` gives."""
    return dict(_setting(text) for text in request.settings)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise CovenantError(
            Diagnostic(
                "CLI0007", "a setting is a name, an equals sign and a value", "<set>", offending=text,
                allowed=("NAME=VALUE",), fix="write for example --set M=32",
            )
        )  # fmt: skip
    return name.strip(), value.strip()


def mistake(message: str, fix: str) -> CovenantError:
    """Arguments that do not go together."""
    return CovenantError(Diagnostic("CLI0008", message, "command line", fix=fix))


_MOST = 2**62  # a count that machines and models hold


def positive(text: str) -> int:
    """A number above 0, for argparse."""
    value = int(text)
    if not 1 <= value <= _MOST:
        raise argparse.ArgumentTypeError(f"from 1 to {_MOST}")
    return value


def not_negative(text: str) -> int:
    """A number from 0 on, for argparse."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("at least 0")
    return value
