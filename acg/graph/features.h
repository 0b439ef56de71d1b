/// What a machine says of itself beyond what every machine does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// The language can say more of cycles and values than those who compile for machines or simulate them need honour.
/// Each of them asks for the features of a machine, and refuses those that it does not honour: its cycles or its bytes
/// would be wrong without a word.
enum class Feature : uint8_t {
  kAccesses,             ///< of a memory: several in one cycle
  kDataflow,             ///< a unit that starts when its operands arrive
  kOccupancy,            ///< of a capability: more than one cycle until the next one
  kEdgeLatency,          ///< cycles of an edge beyond those of its nodes
  kBusWithoutTransfers,  ///< a bus of edges other than those between off-chip memory and scratchpads
  kPartsOfBytes          ///< memories whose elements have 1, 2 or 4 bits, which no element type of programs has
};

/// A place where a machine has a feature.
struct FeatureUse {
  Feature feature = Feature::kAccesses;
  SourceLocation where;
  std::string subject;    ///< "memory IBUF"
  std::string offending;  ///< what it says: "data_width = 4"
};

/// All of them: in the order of Feature within nodes and edges, those of memories before compute nodes, edges, and
/// parts of bytes last. Precondition: the machine has passed `validate`.
std::vector<FeatureUse> features(const Machine& machine);

/// The diagnostic of who does not honour it: ACG0051.
Diagnostic refusal(const FeatureUse& use);

}  // namespace covenant::acg
