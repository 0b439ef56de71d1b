/// Detects results whose rows are written past their end, over elements of the following rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace covenant::compiler {

/// Dimensions whose indices must be written in ascending order, the outermost step first: the data of each index begins
/// within what was written for an earlier one. Empty if no row reaches into another one. Precondition: the last
/// dimension is that of rows, and `shape` holds everything that is written for a row.
std::vector<std::size_t> written_in_order(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides);

}  // namespace covenant::compiler
