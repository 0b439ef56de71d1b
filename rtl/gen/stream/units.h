/// The table of unit kinds that the RTL has modules for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "acg/operations/operation.h"
#include "rtl/gen/common/unit_row.h"

namespace covenant::rtl {

std::span<const UnitRow> unit_rows();
/// The row of a kind; null if there is none.
const UnitRow* find_unit_row(acg::UnitKind kind);

/// Operations of these kinds and of the parts that every unit has, in the order of acg::operations.
std::vector<acg::OperationInfo> built_operations();
/// Name of such an operation in covenant_pkg: "OpReduceSum".
std::string enumerator(acg::Operation operation);

}  // namespace covenant::rtl
