/// Prints a resolved machine, or a parsed document in the project's layout.
#pragma once

#include <string>

#include "acg/graph/graph.h"
#include "acg/lang/spec.h"

namespace covenant::acg {

/// `.acg` text of the machine, with every parameter at its value and every expression as a number. It parses back to an
/// equal machine: `parse_machine(print(m), "") == m`. Parameters become constants, the preset an empty one.
std::string print(const Machine& machine);

/// The document that was parsed, with its comments, parameters, loops and includes. Only whitespace changes: two spaces
/// for each level, at most one blank line in a row. It parses to an equal machine, and printing it again changes
/// nothing. (The other `print` has none of this left: a machine keeps no comments.)
std::string print(const lang::MachineSpec& spec);

}  // namespace covenant::acg
