/// A program as text for people: every word with its address, its bits and its meaning.
#pragma once

#include <string>

#include "acg/isa/program.h"

namespace covenant::acg {

/// One section per block (its layer and operation), one per group (its engine), one line per word:
/// `address  word  assembly`. Words that do not decode are shown as `.word`.
std::string disassemble(const Program& program);

}  // namespace covenant::acg
