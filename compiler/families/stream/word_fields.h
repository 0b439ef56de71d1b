/// Checks that the instruction words of a machine can express what programs need.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Fields whose limits schedules observe (`acg::word_limits`) may have any width; all others must hold whatever the
/// units have: levels, entries, bytes and, in parts, addresses, strides and immediates. Error: GEN0017 for the first
/// field that is too narrow, with its mnemonic and what it would have to hold; of runs, the bytes of an address. Words
/// name all engines and scratchpads. Error: GEN0018.
Status check_word_fields(const acg::Machine& machine);

}  // namespace covenant::compiler
