/// Which operations go on with a reduction that an earlier word has left in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "acg/isa/unit_kind.h"

namespace covenant::acg {

/// Whether an operation resumes when an open loop marked `reduction` is past its first iteration.
enum class Resumes : uint8_t {
  kNever,
  kAtACost,  ///< one more read of each result: for reductions that fit in no other way
  kFreely,   ///< its sums pass through memory in any case
};

/// Of the operation by which `unit` does `capability` of a compute node ("REDUCE_MAX" of the SIMD array is its
/// reduce_max). Nothing if the unit has none: a node that is only described, or whose operations make it up of several.
std::optional<Resumes> resumes(UnitKind unit, std::string_view capability);

}  // namespace covenant::acg
