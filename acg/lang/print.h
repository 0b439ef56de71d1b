/// A machine as text of its own, and a document in the project's layout.
#pragma once

#include <string>

#include "acg/graph/graph.h"
#include "acg/lang/spec.h"

namespace covenant::acg {

/// `.acg` text of the machine with every parameter at its value and every expression as a number. It parses back to an
/// equal machine: `parse_machine(print(m), "") == m`. Parameters are kept as constants, the preset as an empty one.
std::string print(const Machine& machine);

/// The document that was parsed, with its comments, parameters, loops and includes; only spaces and line ends change:
/// two spaces for each level, at most one blank line. It parses to an equal machine, and printing it again changes
/// nothing. (The other `print` has resolved all of that: a machine knows no comments.)
std::string print(const lang::MachineSpec& spec);

}  // namespace covenant::acg
