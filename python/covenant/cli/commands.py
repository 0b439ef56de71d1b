"""Names of all commands: what `covenant --help` lists without importing any of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command of the command line."""

    module: str
    """Module of `covenant.cli` that has it."""
    summary: str


COMMANDS = {
    "use a model on a machine": {
        "zoo": Command("zoo_command", "networks to try machines on, quantised"),
        "quantize": Command("quantize_command", "quantise a float ONNX model"),
        "compile": Command("compile_command", "compile a quantised ONNX model for a machine"),
        "run": Command("run_command", "run a model, program or executable and report outputs and cycles"),
        "replay": Command("replay_command", "send a stream of commands to a machine that a host drives"),
        "rtl": Command("rtl_command", "write the SystemVerilog of a machine, with a Makefile that lints and tests it"),
    },
    "verify what comes out": {
        "cosim": Command("cosim_command", "run SystemC model and RTL in lock step and compare every command and byte"),
        "accuracy": Command(
            "accuracy_command", "run a whole test set on a machine: accuracy, images per second, cycles of an image"
        ),
        "sensitivity": Command(
            "sensitivity_command", "show what rounding does to each layer of a model, and which layer costs accuracy"
        ),
    },
    "study machines": {
        "study": Command("study_command", "compile and simulate every point of a study, and show which are best"),
        "explore": Command("explore_command", "search for machines that are good at a model, within limits"),
        "area": Command("area_command", "estimate the area and cycle time of a machine: its RTL, synthesised by Yosys"),
        "bench": Command("bench_command", "measure machines and their schedules on layers of published networks"),
    },
    "inspect machines, programs and tools": {
        "machines": Command("machines", "list the machines that come with the SDK"),
        "memories": Command("memories", "list the models of off-chip memory that --memory takes"),
        "show": Command("show", "show a machine with its parameters resolved"),
        "operators": Command(
            "operators_command", "say which operators of quantised models machines take, and what the others lack"
        ),
        "explain": Command(
            "explain_command", "show how each layer uses the machine's instructions, and what would use them better"
        ),
        "disasm": Command("disasm", "print words of a program, packets of an executable, or commands of a stream"),
        "asm": Command("asm_command", "assemble commands of a machine that a host drives, as disasm prints them"),
        "import-simdit": Command("simdit_command", "read a hardware file of SimDIT as a machine of genesys"),
        "doctor": Command("doctor", "name every missing tool and how to get it"),
    },
}
"""Commands by their names, in the groups of `covenant --help`."""

BY_NAME = {name: command for group in COMMANDS.values() for name, command in group.items()}


def sentence(summary: str) -> str:
    """The summary as a sentence of its own."""
    return f"{summary[0].upper()}{summary[1:]}."
