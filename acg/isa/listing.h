/// A program as text for people: every word with its address, its bits and its meaning.
#pragma once

#include <string>

#include "acg/isa/program.h"

namespace covenant::acg {

/// One section per block (its layer and operation), one per group (its engine), one line per word:
/// `address  word  assembly`. Words that do not decode are shown as `.word`. Of a program of packets one line per
/// packet: `address  { ... }`, at the end those of the section `return`.
std::string disassemble(const Program& program);

/// The section of one block. Precondition: block < program.blocks.size().
std::string disassemble_block(const Program& program, size_t block);

}  // namespace covenant::acg
