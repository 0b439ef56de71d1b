"""The pages of the machines: docs/reference/machines, a picture and a manual for each.

./dev exec python tests/docs/machines.py      # rewrites them all
"""

from __future__ import annotations

from pathlib import Path

import covenant
from covenant._core import builtin_command_machines
from covenant.machine.picture import to_svg

FOLDER = Path(__file__).resolve().parents[2] / "docs/reference/machines"
NOTE = "<!-- Written by `./dev exec python tests/docs/machines.py`: do not edit. -->\n"


def _table(header: list[str], rows: list[list[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def index() -> str:
    """The list of all machines with their presets."""
    rows: list[list[object]] = [
        [f"[{name}]({name}.md)", len(covenant.Machine(name).to_dict()["mnemonics"]), ", ".join(presets) or "none"]
        for name, presets in covenant.machines().items()
    ]
    about = (
        "The machines that come with the SDK: texts in `acg/machines/*.acg`, drawn and tabled here.\n\n"
        "The presets `01` to `14` of `genesys` are the inference designs published with the simulator SimDIT. Those\n"
        "with 4-bit arithmetic (`01 02 05 06 08 11 12`) are described, not compiled for: a layer of 8 bits is refused\n"
        "with the element types that their array takes (CDL0040).\n\n"
    )
    driven: list[list[object]] = []
    for name in builtin_command_machines():
        described = covenant.CommandDevice(name).describe()
        driven.append([f"[{name}]({name}.md)", len(described["instructions"]), len(described["processes"])])
    return (
        f"{NOTE}# Machines\n\n{about}{_table(['machine', 'mnemonics', 'presets'], rows)}"
        "\nMachines that a host drives by [commands](../../guide/command-machines.md):\n\n"
        f"{_table(['machine', 'instructions', 'processes'], driven)}"
    )


def page(name: str) -> str:
    """One machine: its picture, its parameters, and its instruction words."""
    machine = covenant.Machine(name)
    text = f"{NOTE}# {name}\n\n![the graph of {name}]({name}.svg)\n"
    if machine.parameters:
        text += f"\n{_table(['parameter', 'value'], [[key, value] for key, value in machine.parameters.items()])}"
    if machine.to_dict()["mnemonics"]:
        text += "\n" + machine.isa_manual().replace("\n## ", "\n### ").replace(
            "# Instruction words of", "## Words of", 1
        )
    else:
        text += "\nIt has no instruction words: for display and for queries.\n"
    return text


def page_of_commands(name: str) -> str:
    """A machine that a host drives: its parameters are in its text, its commands and what they do are here."""
    manual = covenant.CommandDevice(name).isa_manual()
    return NOTE + manual.replace("\n### ", "\n#### ").replace("\n## ", "\n### ").replace("# Commands of", "#", 1)


def pages() -> dict[str, str]:
    """File name -> content, of every file in the folder."""
    made = {"README.md": index()}
    for name in covenant.machines():
        made[f"{name}.md"] = page(name)
        made[f"{name}.svg"] = to_svg(covenant.Machine(name).to_dict())
    for name in builtin_command_machines():
        made[f"{name}.md"] = page_of_commands(name)
    return made


def main() -> None:
    """Rewrites every file of the folder."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for name, content in pages().items():
        (FOLDER / name).write_text(content)


if __name__ == "__main__":
    main()
