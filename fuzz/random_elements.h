/// Random elements of the widths that a machine has.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/dtype.h"
#include "acg/graph/graph.h"
#include "fuzz/draw.h"

namespace covenant::runtime {

/// Sizes that the machine works on at once: rows, columns, lanes.
std::vector<int64_t> chunks_of(const acg::Machine& machine);

/// Element type of the machine's tensors; bytes if its capabilities do not determine one.
DType element_of(const acg::Machine& machine, bool is_signed);

/// Any values, as the data of a constant.
std::vector<uint8_t> random_elements(Draw& draw, DType dtype, uint64_t count);

}  // namespace covenant::runtime
