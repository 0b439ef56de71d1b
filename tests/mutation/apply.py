"""Writes copies of sources with all mutants of some sides: python tests/mutation/apply.py OUTPUT SIDE,... FILE...

Each FILE (from the root of the project) goes to OUTPUT/FILE; one without mutants is copied. Copies that would not
change are left alone, so that a build does only what is new. Fails (exit code 2) if a mutant does not fit its source,
or its source is not among the files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mutants import ROOT, Mutant, MutantError, load, rewrite

# The active mutant of the RTL is asked for once, of the program that has loaded the model.
PACKAGE = """package covenant_mutation_pkg;
  import "DPI-C" function int covenant_active_mutant();
  int active = covenant_active_mutant();
endpackage

"""
SHIM = """
#include <cstdlib>

extern "C" int covenant_active_mutant() {
  const char* number = std::getenv("COVENANT_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}
"""


def mutated(name: str, mutants: list[Mutant]) -> str:
    text = rewrite((ROOT / name).read_text(encoding="utf-8"), mutants)
    if name == "rtl/src/common/covenant_f32_pkg.sv":  # the first source of every machine
        # Verilator lets only functions that it inlines see the active mutant.
        return PACKAGE + text.replace("// verilator no_inline_task\n", "\n")
    if name == "rtl/cosim/shim.cpp":
        return text + SHIM
    if mutants and not mutants[0].is_verilog:
        include = '#include "tests/mutation/active.h"\n'
        at = text.index("#pragma once\n") + len("#pragma once\n") if name.endswith(".h") else 0
        return text[:at] + include + text[at:]
    return text


def main(arguments: list[str]) -> int:
    output, sides, names = Path(arguments[0]), arguments[1].split(","), arguments[2:]
    try:
        mutants = [mutant for side in sides for mutant in load(side)]
        for mutant in mutants:
            if mutant.file not in names:
                raise MutantError(f"{mutant.name}: {mutant.file} is no source that is built for mutation")
        for name in names:
            text = mutated(name, [mutant for mutant in mutants if mutant.file == name])
            path = output / name
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
