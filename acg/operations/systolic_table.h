/// Table of the operations of systolic_array. Private to acg/operations.
#pragma once

#include <array>

#include "acg/operations/operation.h"

namespace covenant::acg::tables {

using enum OperandKind;

inline constexpr std::array<std::string_view, 6> kInputTypes{"I8", "U8", "I16", "U16", "I4", "U4"};
inline constexpr std::array<OperandInfo, 1> kGemmOperands{{{"input_type", kChoice, kInputTypes}}};

inline constexpr std::array<OperationInfo, 1> kSystolicOperations{{
    {Operation::kGemm, UnitKind::kSystolicArray, "gemm", kGemmOperands},
}};

}  // namespace covenant::acg::tables
