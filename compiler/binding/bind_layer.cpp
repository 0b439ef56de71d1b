#include "compiler/binding/bind_layer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "acg/base/check.h"
#include "compiler/binding/doubled_sums.h"
#include "compiler/binding/place_constants.h"
#include "compiler/binding/repeated_rows.h"
#include "compiler/binding/split_views.h"
#include "compiler/binding/verify_matrices.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/scale.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Extends a view into the padding after the last element of a row, for codelets that compute several columns at once,
/// or whole groups of channels.
Storage widened(const Storage& storage, const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (const uint64_t size : shape) count *= size;
  if (storage.dimensions.size() != 4) return storage;
  for (const size_t d : {size_t{2}, size_t{3}}) {  // in the order of memory
    uint64_t others = 1;
    for (size_t other = 0; other < 4; ++other) others *= other == d ? 1 : storage.dimensions[other].size;
    const StorageDimension& own = storage.dimensions[d];
    const uint64_t wanted = count / others;
    if (count % others != 0 || wanted <= own.size || wanted > own.size + own.after) continue;
    Storage result = storage;
    result.dimensions[d].size = wanted;
    result.dimensions[d].after -= wanted - own.size;
    return result;
  }
  return storage;
}

/// A tensor that repeats its elements along dimension `d` has none there.
void drop_dimension(codelet::Codelet& codelet, codelet::Surrogate& surrogate, size_t d) {
  const auto at = static_cast<std::ptrdiff_t>(d);
  surrogate.shape.erase(surrogate.shape.begin() + at);
  for_each_operation(codelet.body, [&](codelet::Operation& operation) {
    auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    for (auto& operand : compute->operands) {
      auto* reference = std::get_if<codelet::Reference>(&operand);
      if (reference == nullptr || reference->surrogate != surrogate.name) continue;
      reference->indices.erase(reference->indices.begin() + at);
    }
  });
}

/// Strides and offset of a surrogate that is seen in `storage`.
Status place_view(codelet::Codelet& codelet, codelet::Surrogate& surrogate, const Storage& storage) {
  std::vector<uint64_t> shape;
  for (const int64_t size : constants(surrogate.shape)) shape.push_back(static_cast<uint64_t>(size));
  const Result<Storage> view = reshaped(widened(storage, shape), shape);
  if (!view) return view.error();
  const auto repeats = [](const StorageDimension& one) { return one.size > 1 && one.strides.back().stride == 0; };
  std::vector<StorageDimension> dimensions = view->dimensions;
  for (size_t d = 0; d + 1 < std::min(shape.size(), storage.dimensions.size()); ++d) {
    // Even for a single index the step matters if windows reach past it.
    const StorageDimension& own = storage.dimensions[d];
    if (own.size != shape[d]) break;
    if (own.size == 1 && own.before + own.after > 0) dimensions[d] = own;
  }
  for (size_t d = dimensions.empty() ? 0 : dimensions.size() - 1; d-- > 0;) {  // the last one is a vector
    if (dimensions[d].strides.size() > 1 || !repeats(dimensions[d])) continue;
    drop_dimension(codelet, surrogate, d);
    dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(d));
  }
  for (const StorageDimension& dimension : dimensions) {
    if (dimension.strides.size() > 1 || repeats(dimension)) {
      return Diagnostic{"NET0020",
                        {},
                        surrogate.name,
                        "a layer cannot read a dimension that lies in tiles, or a vector of one element",
                        print(storage),
                        {},
                        "let the host alone touch it, or store it in one row"};
    }
    // For a single index the step to the next does not matter, but it is not 0 in the text of codelets.
    const uint64_t stride = std::max<uint64_t>(1, dimension.strides[0].stride);
    surrogate.strides.emplace_back(static_cast<int64_t>(stride));
  }
  surrogate.offset = static_cast<int64_t>(view->offset);
  return Done{};
}

/// Rows of views with room after their last elements are extended by it. Vectors that a layer writes there are not cut
/// off, unless an engine moves tiles. A row of one element continues with its neighbours.
void take_room(codelet::Codelet& bound, const NetworkLayer& layer) {
  for (const auto& [name, storage] : layer.views) {
    codelet::Surrogate& surrogate = *find_surrogate(bound, name);
    const StorageDimension& last = storage.dimensions.back();
    if (last.size == 1 && !surrogate.strides.empty()) surrogate.strides.back() = 1;
    if (last.after == 0 || surrogate.shape.back() != codelet::Expression(static_cast<int64_t>(last.size))) continue;
    surrogate.logical_shape = constants(surrogate.shape);
    surrogate.shape.back() = static_cast<int64_t>(last.size + last.after);
  }
}

GreatestScales greatest_scales(const NetworkLayer& layer) {
  GreatestScales result;
  for (const auto& [name, constant] : layer.constants) {
    const auto dtype = layer.layer.dtypes.find(name);
    if (dtype == layer.layer.dtypes.end() || dtype->second != DType::kF32) continue;
    float& greatest = result[name];
    for (size_t at = 0; at + sizeof(float) <= constant.data.size(); at += sizeof(float)) {
      float scale = 0;
      std::memcpy(&scale, &constant.data[at], sizeof scale);
      greatest = std::max(greatest, std::abs(scale));
    }
  }
  return result;
}

}  // namespace

Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer) {
  Result<codelet::Codelet> bound = bind(codelet, without_doublings(layer));
  if (!bound) return bound;
  *bound = with_split_views(with_doubled_sums(*bound, layer), layer);
  for (const auto& [name, storage] : layer.views) {
    codelet::Surrogate* surrogate = find_surrogate(*bound, name);
    check(surrogate != nullptr, "a layer's view is of a tensor of its codelet");
    if (!surrogate->strides.empty()) continue;
    if (Status placed = place_view(*bound, *surrogate, storage); !placed) return placed.error();
  }
  return bound;
}

Result<codelet::Codelet> scaled_layer(const codelet::Codelet& codelet, const NetworkLayer& layer,
                                      const acg::Machine& machine) {
  const Result<codelet::Codelet> bound = bind_layer(codelet, layer);
  return bound ? scale(*bound, greatest_scales(layer), machine) : bound;
}

Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer,
                                    const acg::Machine& machine) {
  Result<codelet::Codelet> bound = bind_layer(codelet, layer);
  if (!bound) return bound;
  if (!has_transfer_engines(machine)) {
    take_room(*bound, layer);
    repeat_rows(*bound, layer, machine);
  }
  const codelet::Codelet scaled = scale(*bound, greatest_scales(layer), machine);
  if (const Status lies = verify_matrices(scaled, layer, machine); !lies) return lies.error();
  return place_constants(scaled, layer, machine);
}

}  // namespace covenant::compiler
