/// Source locations of the parts of a machine.
#pragma once

#include <map>
#include <string>

#include "acg/base/diagnostic.h"

namespace covenant::acg {

/// Maps the path of a part to its source location. Paths: "memory IBUF banks", "compute SA rows", "compute SIMD
/// capability 3", "edge 2 bandwidth", "mnemonic ADD field 0", "mnemonic ADD does". Positions count from 0. A part
/// without an entry has the location of its node.
using Places = std::map<std::string, SourceLocation>;

}  // namespace covenant::acg
