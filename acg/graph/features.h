/// Optional features: what a machine description may contain that not every compiler or model supports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// The language can describe more timing and more element types than the compiler and the models support. Each of them
/// asks which features a machine uses and refuses those that it does not support: ignoring one would silently give
/// wrong cycles or wrong bytes.
enum class Feature : uint8_t {
  kAccesses,             ///< a memory with several accesses in one cycle
  kDataflow,             ///< a unit that starts when its operands arrive
  kOccupancy,            ///< a capability that needs more than one cycle before the next one can start
  kEdgeLatency,          ///< cycles of an edge beyond those of its nodes
  kBusWithoutTransfers,  ///< a bus shared by edges other than those between off-chip memory and scratchpads
  kPartsOfBytes          ///< memories whose elements have 1, 2 or 4 bits, which no element type of programs has
};

/// One use of a feature in a machine.
struct FeatureUse {
  Feature feature = Feature::kAccesses;
  SourceLocation where;
  std::string subject;    ///< "memory IBUF"
  std::string offending;  ///< the text that uses it: "data_width = 4"
};

/// All features that the machine uses. Order: memories, compute nodes, edges (within each, the order of Feature), then
/// kPartsOfBytes. Precondition: the machine has passed `validate`.
std::vector<FeatureUse> features(const Machine& machine);

/// The diagnostic ACG0051, for a compiler or model that does not support the feature.
Diagnostic refusal(const FeatureUse& use);

}  // namespace covenant::acg
