/// A machine as text of its own.
#pragma once

#include <string>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// `.acg` text of the machine with every parameter at its value and every expression as a number. It parses back to an
/// equal machine: `parse_machine(print(m), "") == m`. Parameters are kept as constants, the preset as an empty one.
std::string print(const Machine& machine);

}  // namespace covenant::acg
