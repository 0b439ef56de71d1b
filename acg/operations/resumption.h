/// Tells which operations can resume a reduction whose partial result an earlier word has left in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "acg/operations/unit_kind.h"

namespace covenant::acg {

/// Whether an operation resumes if an open loop marked `reduction` is past its first iteration.
enum class Resumes : uint8_t {
  kNever,
  kAtACost,  ///< at the cost of one more read of each result: for reductions that fit in no other way
  kFreely,   ///< at no cost: its sums pass through memory in any case
};

/// For the operation by which `unit` implements a capability (the SIMD array's "REDUCE_MAX" is its reduce_max). Nothing
/// if no single operation does: the node is only described, or combines several operations.
std::optional<Resumes> resumes(UnitKind unit, std::string_view capability);

}  // namespace covenant::acg
