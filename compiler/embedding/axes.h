/// The axis solver: all embeddings of an instruction into a workload under given rules.
///
/// It decides, axis by axis of the instruction, which factors of the workload's axes lie there. Two properties make the
/// search small and its answer complete. An axis of the workload can lie only where it indexes the same operands as the
/// axis of the instruction (isomorphism), so most choices do not meet. And an embedding that covers all instances is,
/// up to translation, a box of factors, so nothing but factors need be tried. tests/property/embedding compares what it
/// finds with an enumeration of all assignments of instances that knows neither. Rieber, Acosta and Fröning, "The
/// Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem", sections 4 to 6, search scalars
/// instead, and cannot say that nothing is left.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/base/diagnostic.h"
#include "compiler/embedding/bounds.h"
#include "compiler/embedding/embedding.h"
#include "compiler/embedding/rules.h"

namespace covenant::compiler::embedding {

struct Found {
  std::vector<Embedding> embeddings;    ///< in an order that depends on the workload, instruction, and rules alone
  bool is_complete = true;              ///< false: the budget was hit, and there may be others
  uint64_t nodes = 0;                   ///< factors tried, and choices of axes that are counted as one
  std::optional<Diagnostic> stopped{};  ///< EMB0012, unless complete
};

/// Every embedding that the rules allow and the bounds do not leave out.
Found embeddings_of(const Workload& workload, const Instruction& instruction, const Rules& rules,
                    const Bounds& bounds = {});

/// Why there is no embedding under these rules: the axis of the instruction that nothing fills, and the fewest
/// relaxations that would do. Code EMB0010. Precondition: `embeddings_of` has found none, and was complete.
Diagnostic why_none(const Workload& workload, const Instruction& instruction, const Rules& rules);

}  // namespace covenant::compiler::embedding
