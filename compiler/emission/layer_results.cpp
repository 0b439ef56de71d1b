#include "compiler/emission/layer_results.h"

#include <algorithm>

#include "acg/base/check.h"
#include "compiler/codelet/expression.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

const acg::Segment& segment_named(const acg::Program& program, const std::string& name) {
  const auto found = std::find_if(program.segments.begin(), program.segments.end(),
                                  [&](const acg::Segment& segment) { return segment.name == name; });
  check(found != program.segments.end(), "a program has the segments that its blocks bind: " + name);
  return *found;
}

acg::TensorBinding binding_of(const Activation& activation, const Storage& storage, const acg::Segment& segment) {
  acg::TensorBinding made;
  made.name = activation.name;
  made.dtype = activation.dtype;
  made.shape = activation.shape;
  for (const StorageDimension& dimension : storage.dimensions) made.strides.push_back(dimension.strides);
  made.offset = storage.offset;
  made.elements = segment.size * 8 / bits(activation.dtype);
  made.pad_value = activation.zero_point;
  made.address = segment.address;
  return made;
}

}  // namespace

uint64_t elements_of(const codelet::Surrogate& surrogate) {
  uint64_t elements = 1;
  for (const codelet::Expression& extent : surrogate.shape)
    elements *= static_cast<uint64_t>(extent.constant().value());
  return elements;
}

uint64_t size_of(const codelet::Surrogate& surrogate) {
  return packed_bytes(surrogate.dtype.value(), elements_of(surrogate));
}

uint64_t elements_spanned(const codelet::Surrogate& surrogate) {
  if (surrogate.strides.empty()) return 0;
  const std::vector<int64_t> strides = element_strides(surrogate), shape = constants(surrogate.shape);
  int64_t last = surrogate.offset.constant().value();
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return static_cast<uint64_t>(last) + 1;
}

const codelet::Surrogate& surrogate_named(const codelet::Codelet& codelet, const std::string& name) {
  for (const codelet::Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.name == name) return surrogate;
  }
  fail("a layer binds a surrogate that its codelet does not have: " + name);
}

Storage storage_seen(const Activation& activation, const codelet::Surrogate& surrogate) {
  if (!surrogate.strides.empty() || !surrogate.packing.empty()) return activation.storage;
  uint64_t pixels = 1;
  for (size_t d = 0; d < activation.shape.size(); ++d) pixels *= d == 1 ? 1 : activation.shape[d];
  Storage seen = activation.storage;
  seen.dimensions =
      channels_last(activation.storage.memory, activation.shape, {.channels = elements_of(surrogate) / pixels})
          .dimensions;
  return seen;
}

std::vector<acg::BlockResult> layer_results(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                                            const acg::Program& program) {
  std::vector<acg::BlockResult> results;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    for (const auto& [name, index] : network.layers[i].activations) {
      const codelet::Surrogate& surrogate = surrogate_named(scheduled[i], name);
      if (surrogate.kind != codelet::SurrogateKind::kOut) continue;
      const Activation& activation = network.activations[index];
      const acg::Segment& segment = segment_named(program, program.blocks[i].bindings.at(name));
      results.push_back({i, binding_of(activation, storage_seen(activation, surrogate), segment)});
    }
  }
  return results;
}

}  // namespace covenant::compiler
