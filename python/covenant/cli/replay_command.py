"""`covenant replay`: a stream of commands on a machine that a host drives."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from covenant.cli.arguments import (
    add_command,
    add_json,
    add_machine_settings,
    device_of,
    machine_request,
    mistake,
    positive,
)
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

if TYPE_CHECKING:  # only the command itself pays
    from covenant.commands import CommandRecord, Replay, ReplayError, ReplayInterrupt

EXAMPLES = """  covenant replay program.json -m vta
  covenant replay program.json.gz -m vta --set dram_bytes=1M --json
  covenant replay program.txt -m mine.acg --compare expected.json   # exit code 1 if a byte differs
  covenant replay program.json -m vta --profile --trace trace.json   # open it at ui.perfetto.dev
  printf 'W 0x80000000 0x12\\nR 0x80000000\\n' > two.txt && covenant replay two.txt -m vta"""
ENGINES = ("auto", "native", "evaluator")
_MOST_ROWS = 20


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "replay", EXAMPLES)
    parser.add_argument(
        "stream", metavar="FILE", help="commands as JSON, CSV or lines `W ADDRESS DATA`, `R ADDRESS`, `Q`"
    )
    parser.add_argument("-m", "--machine", required=True, help="machine that commands drive, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument("--port", metavar="NAME", help="port that takes the commands (default: the machine's only one)")
    parser.add_argument(
        "--engine", choices=ENGINES, default=ENGINES[0],
        help="what runs the machine: C++ that is compiled from its text and kept (native), the evaluator of the text, "
        "or the first where it saves time (auto, the default)",
    )  # fmt: skip
    parser.add_argument(
        "--compare", metavar="FILE", help="what reads should give: `reads` of a stream, or data by address, as JSON "
        "(default: the stream's own reads, if it has them)",
    )  # fmt: skip
    parser.add_argument(
        "--max-cycles",
        type=positive,
        metavar="N",
        help="give up a command, and a wait for an interrupt, after so many cycles",
    )
    parser.add_argument("--profile", action="store_true", help="show instructions, ranges of numbers and saturations")
    parser.add_argument("--trace", type=WrittenPath, metavar="FILE", help="write a trace for Perfetto")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints cycles and what differs, up to a command that fails; 1 if a byte does."""
    from covenant.commands import CommandStream, ReplayError, ReplayInterrupt, replay
    from covenant.commands.device import MOST_CYCLES
    from covenant.commands.stream import expected_reads
    from covenant.files import check_writable, write_whole

    if arguments.trace:
        check_writable(arguments.trace)

    stream = CommandStream.load(arguments.stream)
    expected = expected_reads(arguments.compare) if arguments.compare else None
    is_recorded = arguments.profile or arguments.trace is not None
    if is_recorded and arguments.engine == "native":
        raise mistake("--profile and --trace need the machine's text", "leave --engine out")
    device = device_of(machine_request(arguments), "recorded" if is_recorded else arguments.engine)
    stopped: ReplayError | ReplayInterrupt | None = None
    with output.activity("replay") as progress:
        try:
            result = replay(
                stream, device, expected=expected, port=arguments.port,
                most_cycles=arguments.max_cycles or MOST_CYCLES, progress=progress,
            )  # fmt: skip
        except (ReplayError, ReplayInterrupt) as ended:
            stopped, result = ended, ended.done
    record = device.record() if is_recorded else None
    if record is not None and arguments.trace:
        write_whole(arguments.trace, record.trace_json)
    if output.json and not isinstance(stopped, ReplayError):
        output.object(_object(result) | ({"profile": record.to_dict()} if arguments.profile and record else {}))
    elif not output.json:
        _print(result, output)
        if arguments.profile and record:
            _print_profile(record, output)
    if isinstance(stopped, ReplayError):
        output.failure(_object(result) | {"error": stopped.diagnostic.to_dict()}, str(stopped))
    return _exit_code(stopped, result)


def _exit_code(stopped: ReplayError | ReplayInterrupt | None, result: Replay) -> int:
    from covenant.cli import DIFFERS, INTERRUPTED, MISTAKE, OK

    if stopped:
        return INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else MISTAKE
    return DIFFERS if result.differing else OK


def _object(result: Replay) -> dict[str, Any]:
    return {
        "machine": result.machine,
        "commands": result.commands,
        "cycles": result.cycles,
        "cycles_of_waits": list(result.waited),
        "seconds": round(result.seconds, 6),
        "engine": result.engine,
        "bytes": result.bytes_compared,
        "differ": result.differing,
        "reads": [[hex(read.address), f"0x{read.data[::-1].hex()}"] for read in result.reads],
    }


def _print_profile(record: CommandRecord, output: Output) -> None:
    output.table(
        "Instructions", ["name", "executed", "cycles of their steps"],
        [[one.name, one.count, one.cycles] for one in record.instructions],
    )  # fmt: skip
    output.table(
        "Results of functions", ["name", "type", "calls", "lowest", "highest", "flushed to zero"],
        [[one.name, one.type, one.count, one.low, one.high, one.remarkable] for one in record.functions],
    )  # fmt: skip
    if record.saturations:
        output.table(
            "Saturations", ["place", "computed", "number did not fit"],
            [[one.place, one.count, one.changed] for one in record.saturations],
        )  # fmt: skip
    output.table(
        "Writes of state", ["name", "type", "written", "lowest", "highest", "at an end"],
        [[one.name, one.type, one.count, one.low, one.high, one.remarkable] for one in record.states],
    )  # fmt: skip


def _print(result: Replay, output: Output) -> None:
    output.line(
        f"{result.machine}: {result.commands:,} commands, {result.cycles:,} cycles, {len(result.reads):,} reads"
    )
    for cycles in result.waited[:_MOST_ROWS]:
        output.line(f"  waited for its interrupt {cycles:,} cycles")
    if result.bytes_compared:
        output.line(f"{result.differing:,} of {result.bytes_compared:,} bytes differ")
    rows = [read for read in result.reads if read.differing] or [read for read in result.reads if read.expected is None]
    if rows:
        output.table(
            "Reads that differ" if result.differing else "Reads",
            ["address", "data", "expected"],
            [
                [hex(read.address), read.data[::-1].hex(), read.expected[::-1].hex() if read.expected else ""]
                for read in rows[:_MOST_ROWS]
            ],
        )
    if len(rows) > _MOST_ROWS:
        output.line(f"and {len(rows) - _MOST_ROWS:,} more: --json has all")
