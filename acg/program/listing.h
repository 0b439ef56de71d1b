/// Disassembles a whole program: every word with its address, its bits and its meaning.
#pragma once

#include <string>

#include "acg/program/program.h"

namespace covenant::acg {

/// One section per block (its layer and operation), one per group (its engine), one line per word: `address word
/// assembly`. Words that do not decode are shown as `.word`. A program of packets has one line per packet, `address {
/// ... }`, and a last section `return`.
std::string disassemble(const Program& program);

/// The section of one block alone. Precondition: block < program.blocks.size().
std::string disassemble_block(const Program& program, size_t block);

}  // namespace covenant::acg
