/// The table of unit kinds that the RTL has modules for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "acg/operations/operation.h"
#include "rtl/gen/common/unit_kind.h"

namespace covenant::rtl {

std::span<const UnitKindRow> unit_kinds();
/// The row of a kind; null if there is none.
const UnitKindRow* find_unit_kind(acg::UnitKind kind);

/// Operations of these kinds and of the parts that every unit has, in the order of acg::operations.
std::vector<acg::OperationInfo> built_operations();
/// Name of such an operation in covenant_pkg: "OpReduceSum".
std::string enumerator(acg::Operation operation);

}  // namespace covenant::rtl
