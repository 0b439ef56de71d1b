/// Table of the operations of dma. Private to acg/operations.
#pragma once

#include <array>

#include "acg/operations/operation.h"

namespace covenant::acg::tables {

using enum OperandKind;

inline constexpr std::array<std::string_view, 2> kAxes{"ROW", "COLUMN"};
inline constexpr std::array<OperandInfo, 2> kLimitOperands{{{"axis", kChoice, kAxes}, {"value"}}};
inline constexpr std::array<OperandInfo, 1> kValueOperand{{{"value"}}};
inline constexpr std::array<OperandInfo, 1> kRunOperand{{{"run_last"}}};

inline constexpr std::array<OperationInfo, 4> kDmaOperations{{
    {Operation::kLimit, UnitKind::kDma, "limit", kLimitOperands},
    {Operation::kFill, UnitKind::kDma, "fill", kValueOperand},
    {Operation::kLoad, UnitKind::kDma, "load", kRunOperand},
    {Operation::kStore, UnitKind::kDma, "store", kRunOperand},
}};

}  // namespace covenant::acg::tables
