/// The table of the vliw_core's operations, indexed by VliwOperation. Private to acg/isa.
#pragma once

#include <algorithm>
#include <array>

#include "acg/operations/vliw_branch_table.h"
#include "acg/operations/vliw_compiled_table.h"
#include "acg/operations/vliw_memory_table.h"
#include "acg/operations/vliw_scalar_table.h"

namespace covenant::acg {

inline constexpr std::array<VliwOperationInfo, kVliwOperationCount> kVliwOperations = [] {
  std::array<VliwOperationInfo, kVliwOperationCount> all{};
  auto end = std::ranges::copy(vliw::kCompiledOperations, all.begin()).out;
  end = std::ranges::copy(vliw::kScalarOperations, end).out;
  end = std::ranges::copy(vliw::kMemoryOperations, end).out;
  std::ranges::copy(vliw::kBranchOperations, end);
  return all;
}();

}  // namespace covenant::acg
