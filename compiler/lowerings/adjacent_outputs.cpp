#include "compiler/lowerings/adjacent_outputs.h"

#include <fmt/format.h>
#include <optional>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/dense_storage.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/storage/padding.h"

namespace covenant::compiler {
namespace {

using codelet::Expression;

/// Weights [KH,KW,IC,OC] of `outputs` neighbours side by side: that of output p3 sees the window p3 strides further.
Packing packed_weights(const NetworkLayer& plain, int64_t outputs) {
  const int64_t columns = param(plain, "KW") + (outputs - 1) * param(plain, "SW");
  const auto p = [](size_t i) { return Expression::variable(fmt::format("p{}", i)); };
  return {{{count(plain, "KH")},
           {static_cast<uint64_t>(columns)},
           {count(plain, "IC")},
           {static_cast<uint64_t>(outputs), count(plain, "OC")}},
          {p(0), p(1) - p(3) * param(plain, "SW"), p(2), p(4)}};
}

Lowering outputs_of(const NetworkLayer& plain, const Storage& y, int64_t outputs) {
  Lowering made{.name = fmt::format("{} outputs", outputs),
                .maker = "adjacent_outputs",
                .operation = plain.operation,
                .params = plain.layer.params};
  made.params["OW"] = param(plain, "OW") / outputs;
  made.params["OC"] = param(plain, "OC") * outputs;
  made.params["KW"] = param(plain, "KW") + (outputs - 1) * param(plain, "SW");
  made.params["SW"] = param(plain, "SW") * outputs;
  made.storages["y"] = y;
  made.packings["w"] = packed_weights(plain, outputs);
  for (const char* name : {"b", "s"}) {
    if (plain.layer.dtypes.contains(name)) made.packings[name] = repeated_channels(plain, outputs);
  }
  return made;
}

/// The present storage, if its pixels are adjacent, or one in which they are.
std::optional<Storage> result_storage(const Network& network, const TensorUses& uses, size_t y,
                                      const acg::Machine& machine) {
  const Storage& present = network.activations[y].storage;
  return has_adjacent_pixels(present) ? present : dense_storage(network, uses, y, machine);
}

}  // namespace

Storage dense_outputs(const NetworkLayer& plain, const Activation& y, int64_t outputs) {
  const auto channels = static_cast<uint64_t>(param(plain, "OC"));
  const auto pixels = static_cast<uint64_t>(round_up(param(plain, "OW"), outputs));
  const StorageDimension& columns = y.storage.dimensions.at(kColumnAxis);
  // Pads that others read are not written over.
  const bool has_room = columns.size == pixels || (!y.storage.is_filled && columns.size + columns.after >= pixels);
  if (has_room && has_adjacent_pixels(y.storage)) return y.storage;
  return channels_last(y.storage.memory, y.shape, {.channels = channels, .row_pixels = pixels});
}

Packing repeated_channels(const NetworkLayer& plain, int64_t outputs) {
  return {{{static_cast<uint64_t>(outputs), count(plain, "OC")}}, {Expression::variable("p1")}};
}

std::vector<int64_t> outputs_in_lanes(const TensorUses& uses, const NetworkLayer& plain, const acg::Machine& machine) {
  const size_t y = plain.activations.at("y");
  if (!uses.moves_with_slices(y)) return {};
  const auto room = static_cast<int64_t>(codelet::written_at_once(machine, DType::kI32) / count(plain, "OC"));
  std::vector<int64_t> outputs;
  for (int64_t beside = 2; beside < room; beside *= 2) outputs.push_back(beside);
  if (room > 1) outputs.push_back(room);
  return outputs;
}

std::vector<Lowering> adjacent_output_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                                const acg::Machine& machine) {
  const NetworkLayer& plain = network.layers.at(index);
  if (traits(plain).by_rows.empty() || param(plain, "DW") != 1) return {};
  if (network.activations[plain.activations.at("y")].shape.size() != 4) return {};
  const std::optional<Storage> y = result_storage(network, uses, plain.activations.at("y"), machine);
  if (!y) return {};
  std::vector<Lowering> made;
  for (const int64_t outputs : outputs_in_lanes(uses, plain, machine)) {
    if (param(plain, "OW") % outputs == 0) made.push_back(outputs_of(plain, *y, outputs));
  }
  return made;
}

}  // namespace covenant::compiler
