/// The manual of a machine's instruction words, written from its mnemonics alone.
#pragma once

#include <string>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Markdown: a table of all mnemonics, then for each its bits, its fields with their values and operands, the operation
/// that it does, and one example word with its disassembly. The same machine gives the same text.
/// Precondition: the machine is valid.
std::string isa_manual(const Machine& machine);

}  // namespace covenant::acg
