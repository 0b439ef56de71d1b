/// An executable file as text for people: its packets with their addresses, and the names of its symbols.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/elf_file.h"

namespace covenant::acg {

/// What the file holds of its executable segments, by address. Before an address that has symbols, one line `name:` for
/// each of them; then a line `address  { packet }`. A packet reaches no further than the next symbol. Words that are no
/// packet are shown as `.word`, bytes of no whole word as `.byte`, zeros that the file does not hold are counted.
/// Symbols between the addresses of words are left out.
/// Errors: ISA0022 (a machine without packets).
Result<std::string> disassemble_executable(const ElfFile& file, const Machine& machine);

}  // namespace covenant::acg
