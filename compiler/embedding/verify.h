/// Checks embeddings without knowing who made them, or under which rules.
#pragma once

#include "acg/base/result.h"
#include "compiler/embedding/embedding.h"

namespace covenant::compiler::embedding {

/// Checks that the embedding is one: factors lie within their axes and places, each axis is used once, instances share
/// an element of an operand exactly where those of the instruction do (copies in memory aside), and its steps do each
/// instance of the workload once. Error: EMB0011, with a witness: two instances of the instruction that must share an
/// element and do not, or must not and do.
Status verify(const Embedding& embedding, const Workload& workload, const Instruction& instruction);

}  // namespace covenant::compiler::embedding
