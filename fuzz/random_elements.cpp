#include "fuzz/random_elements.h"

#include <algorithm>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "compiler/srdfg/queries.h"

namespace covenant::runtime {

std::vector<int64_t> chunks_of(const acg::Machine& machine) {
  std::vector<int64_t> result;
  for (const acg::Compute& compute : machine.computes) {
    for (const char* name : {"rows", "columns", "lanes"}) {
      if (compute.attributes.contains(name)) result.push_back(acg::integer_attribute(compute, name));
    }
  }
  return result;
}

DType element_of(const acg::Machine& machine, bool is_signed) {
  const std::vector<DType> known = acg::element_dtypes(machine);
  const uint32_t width = known.empty() ? 8 : bits(known.front());
  const auto is_it = [&](const DTypeInfo& one) {
    return one.bits == width && one.is_signed == is_signed && !one.is_float;
  };
  return std::ranges::find_if(kDTypes, is_it)->dtype;
}

std::vector<uint8_t> random_elements(Draw& draw, DType dtype, uint64_t count) {
  std::vector<int64_t> values;
  for (uint64_t i = 0; i < count; ++i) {
    const auto drawn = static_cast<int64_t>(draw.bits() & static_cast<uint64_t>(highest(dtype) - lowest(dtype)));
    values.push_back(drawn > highest(dtype) ? drawn - (int64_t{1} << bits(dtype)) : drawn);
  }
  return compiler::srdfg::integer_data(dtype, values);
}

}  // namespace covenant::runtime
