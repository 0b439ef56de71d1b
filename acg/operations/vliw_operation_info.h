/// The entry of an operation of the vliw_core in the tables. Private to acg/isa.
#pragma once

#include <span>
#include <string_view>

#include "acg/operations/operand.h"
#include "acg/operations/vliw_operation.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::acg {

struct VliwOperationInfo {
  VliwOperation operation;
  std::string_view name;
  std::span<const OperandInfo> operands;
  VliwTraits traits;
};

}  // namespace covenant::acg
