/// Disassembles an executable file: its packets with their addresses, and the names of its symbols.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/vliw/elf_file.h"

namespace covenant::acg {

/// The contents of the executable segments, by address. Before an address that has symbols stands one line `name:` for
/// each of them; then a line `address { packet }`. A packet ends at the next symbol at the latest. Words that are not
/// packets are shown as `.word`, bytes of an incomplete word as `.byte`; zeros that the file does not hold are only
/// counted. Symbols between the addresses of words are left out. Error: ISA0022 (a machine without packets).
Result<std::string> disassemble_executable(const ElfFile& file, const Machine& machine);

}  // namespace covenant::acg
