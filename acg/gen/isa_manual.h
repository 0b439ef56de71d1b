/// The manual of a machine's instruction words, generated from its mnemonics.
#pragma once

#include <string>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Markdown: a table of all mnemonics, then for each one its bits, its fields with their values and operands, its
/// operation, and an example word with its disassembly. Equal machines give equal text. Precondition: the machine is
/// valid.
std::string isa_manual(const Machine& machine);

}  // namespace covenant::acg
