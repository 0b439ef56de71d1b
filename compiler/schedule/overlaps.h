/// Results of which a row is written further than to its end: over elements of the rows after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace covenant::compiler {

/// Dimensions whose indices have to be written in ascending order, the outermost step first: from each one the next
/// begins within what was written. None if no row reaches into another one. Precondition: the last dimension is that of
/// rows, and `shape` has all that is written of one.
std::vector<std::size_t> written_in_order(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides);

}  // namespace covenant::compiler
