#include "compiler/target/stream/program.h"

#include <map>
#include <optional>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/target/stream/block.h"
#include "compiler/target/stream/encode.h"
#include "compiler/network/memory_plan.h"
#include "compiler/target/stream/block_plan.h"
#include "compiler/target/stream/verify.h"
#include "compiler/codelet/packing.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler::stream {
namespace {

uint64_t size_of(const codelet::Surrogate& surrogate) {
  uint64_t size = bytes(surrogate.dtype.value());
  for (const int64_t extent : numbers(surrogate.shape)) size *= static_cast<uint64_t>(extent);
  return size;
}

/// The same of a surrogate that stands for an activation. A view shows what lies there several times over.
uint64_t size_of(const codelet::Surrogate& surrogate, const Activation& activation) {
  if (surrogate.strides.empty()) return size_of(surrogate);
  const PixelLayout& layout = activation.layout;
  check(activation.shape.size() == 4 && layout.row_pixels > 0, "a view shows pixels that are laid out for it");
  const uint64_t rows = round_up(activation.shape[2], layout.row_group);
  return bytes(surrogate.dtype.value()) * activation.shape[0] * rows * layout.row_pixels * layout.channels;
}

const codelet::Surrogate& surrogate_named(const codelet::Codelet& codelet, const std::string& name) {
  for (const codelet::Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.name == name) return surrogate;
  }
  fail("a layer binds a surrogate that its codelet does not have: " + name);
}

class Assembler {
 public:
  Assembler(const Network& network, const std::vector<codelet::Codelet>& scheduled, const acg::Machine& machine)
      : network_(network), scheduled_(scheduled), machine_(machine), map_(machine) {}

  Result<acg::Program> run(const std::string& model) {
    if (network_.layers.empty()) {
      return Diagnostic{"GEN0014",
                        {},
                        network_.name,
                        "the model has nothing for the machine to do",
                        model,
                        {},
                        "compile a model with at least one layer between quantize and dequantize"};
    }
    program_.machine = machine_;
    program_.model = model;
    if (Status status = measure_activations(); !status) return status.error();
    if (Status status = place_activations(); !status) return status.error();
    if (Status status = place_constants(); !status) return status.error();
    if (Status status = make_blocks(); !status) return status.error();
    for (const Boundary& boundary : network_.inputs) program_.inputs.push_back(binding(boundary));
    for (const Boundary& boundary : network_.outputs) program_.outputs.push_back(binding(boundary));
    program_.segments = map_.segments();
    program_.memory_bytes = map_.end();
    return std::move(program_);
  }

 private:
  /// Sizes and channels come from the scheduled codelets, which must agree about every activation.
  Status measure_activations() {
    sizes_.resize(network_.activations.size());
    channels_.resize(network_.activations.size());
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      for (const auto& [name, activation] : network_.layers[i].activations) {
        const codelet::Surrogate& surrogate = surrogate_named(scheduled_[i], name);
        const uint64_t size = size_of(surrogate, network_.activations[activation]);
        check(sizes_[activation] == 0 || sizes_[activation] == size, "layers agree about the size of an activation");
        sizes_[activation] = size;
        const std::vector<uint64_t>& shape = network_.activations[activation].shape;
        uint64_t pixels = bytes(surrogate.dtype.value());
        const PixelLayout& layout = network_.activations[activation].layout;
        for (size_t d = 0; d < shape.size(); ++d) {
          pixels *= d == 1                            ? 1
                    : d == 2                          ? round_up(shape[d], layout.row_group)
                    : d == 3 && layout.row_pixels > 0 ? layout.row_pixels
                                                      : shape[d];
        }
        channels_[activation] = size / pixels;
      }
    }
    for (const std::vector<Boundary>* boundaries : {&network_.inputs, &network_.outputs}) {
      for (const Boundary& boundary : *boundaries) {
        if (sizes_[boundary.activation] != 0) continue;
        return Diagnostic{"GEN0015",
                          {},
                          boundary.name,
                          "no layer of the machine touches this tensor",
                          boundary.name,
                          {},
                          "take it out of the model"};
      }
    }
    return Done{};
  }

  acg::SegmentKind kind_of(size_t activation) const {
    for (const Boundary& boundary : network_.inputs) {
      if (boundary.activation == activation) return acg::SegmentKind::kInput;
    }
    for (const Boundary& boundary : network_.outputs) {
      if (boundary.activation == activation) return acg::SegmentKind::kOutput;
    }
    return acg::SegmentKind::kIntermediate;
  }

  Status place_activations() {
    for (const acg::SegmentKind kind :
         {acg::SegmentKind::kInput, acg::SegmentKind::kIntermediate, acg::SegmentKind::kOutput}) {
      for (size_t i = 0; i < network_.activations.size(); ++i) {
        if (kind_of(i) != kind || sizes_[i] == 0) continue;
        Result<uint64_t> address = map_.add(network_.activations[i].name, kind, sizes_[i]);
        if (!address) return address.error();
        addresses_[i] = *address;
      }
    }
    return Done{};
  }

  Status place_constants() {
    constants_.resize(network_.layers.size());
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      for (const auto& [name, constant] : network_.layers[i].constants) {
        const codelet::Surrogate& surrogate = surrogate_named(scheduled_[i], name);
        std::vector<uint8_t> packed = codelet::to_packed(surrogate, constant.data);
        check(packed.size() == size_of(surrogate), "a packed constant fills its surrogate");
        Result<uint64_t> address =
            map_.add(constant_segment(i, name), acg::SegmentKind::kConstant, packed.size(), packed);
        if (!address) return address.error();
        constants_[i][name] = *address;
      }
    }
    return Done{};
  }

  std::string constant_segment(size_t layer, const std::string& surrogate) const {
    return network_.layers[layer].layer.name + "/" + surrogate;
  }

  Status make_blocks() {
    const acg::Codec codec(machine_);
    const uint64_t beat_words = std::max<uint64_t>(1, instruction_alignment(machine_) / 4);
    std::vector<uint32_t> stream;
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const NetworkLayer& layer = network_.layers[i];
      std::map<std::string, uint64_t> addresses = constants_[i];
      acg::Block block{
          layer.layer.name, layer.operation, 0, 0, layer.macs, layer.elementwise, codelet::print(scheduled_[i]), {},
          layer.fused};
      for (const auto& [name, address] : constants_[i]) block.bindings[name] = constant_segment(i, name);
      for (const auto& [name, activation] : layer.activations) {
        addresses[name] = addresses_.at(activation);
        block.bindings[name] = network_.activations[activation].name;
      }
      const Result<BlockCode> code = generate(scheduled_[i], machine_, addresses, layer.layer.name);
      if (!code) return code.error();
      const std::optional<std::string> problem = find_problem(*code, machine_, map_.end());
      check(!problem, layer.layer.name + ": " + problem.value_or(""));
      const bool is_last = i + 1 == network_.layers.size();
      const Result<std::vector<uint32_t>> words = encode_block(*code, machine_, codec, is_last, layer.layer.name);
      if (!words) return words.error();
      while (stream.size() % beat_words != 0) stream.push_back(0);
      block.first_word = stream.size();
      block.words = words->size();
      stream.insert(stream.end(), words->begin(), words->end());
      program_.blocks.push_back(std::move(block));
    }
    std::vector<uint8_t> data;
    for (const uint32_t word : stream) {
      for (uint32_t byte = 0; byte < 4; ++byte) data.push_back(static_cast<uint8_t>(word >> (8 * byte)));
    }
    const uint64_t size = data.size();
    Result<uint64_t> entry = map_.add("instructions", acg::SegmentKind::kInstructions, size, std::move(data));
    if (!entry) return entry.error();
    program_.entry = *entry;
    return Done{};
  }

  acg::TensorBinding binding(const Boundary& boundary) const {
    const Activation& activation = network_.activations[boundary.activation];
    acg::TensorBinding made;
    made.name = boundary.name;
    made.dtype = activation.dtype;
    made.shape = boundary.shape;
    made.padded_channels = channels_[boundary.activation];
    made.pad_value = activation.zero_point;
    made.left_pixels = activation.layout.left_pixels;
    made.row_pixels = activation.layout.row_pixels;
    made.row_group = activation.layout.row_group;
    made.address = addresses_.at(boundary.activation);
    made.host_quantizes = boundary.host_quantizes;
    made.quantization = boundary.quantization;
    return made;
  }

  const Network& network_;
  const std::vector<codelet::Codelet>& scheduled_;
  const acg::Machine& machine_;
  MemoryPlan map_;
  acg::Program program_;
  std::vector<uint64_t> sizes_;     ///< bytes by activation; 0 if no layer uses it
  std::vector<uint64_t> channels_;  ///< in memory, by activation
  std::map<size_t, uint64_t> addresses_;
  std::vector<std::map<std::string, uint64_t>> constants_;  ///< by layer: surrogate -> address
};

}  // namespace

Result<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                                  const acg::Machine& machine, const std::string& model) {
  check(network.layers.size() == scheduled.size(), "one scheduled codelet per layer");
  return Assembler(network, scheduled, machine).run(model);
}

}  // namespace covenant::compiler::stream
