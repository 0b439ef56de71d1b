/// Checks what every codelet must satisfy, at every stage.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Checks that names are defined and not defined twice (CDL0010, CDL0011), that references have one index per dimension
/// (CDL0012), loops advance (CDL0017), transfers copy blocks of their tensors' rank (CDL0018), sizes are positive
/// (CDL0019) and no input is written (CDL0023). With a machine also: locations exist (CDL0013), nodes have the
/// capabilities with these dtypes, and attributes are present (CDL0014), transfers go along edges (CDL0015), local
/// operands of computes are next to their node (CDL0016). A located compute without a machine is CDL0013.
Status verify(const Codelet& codelet, const acg::Machine* machine);

/// Checks that a codelet that someone has written has at most 1,000 operations, loops among them: what passes and
/// searches do grows with their square. Error: CDL0004.
Status verify_size(const Codelet& codelet);

}  // namespace covenant::compiler::codelet
