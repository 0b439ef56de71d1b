#include "compiler/emission/assemble.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/packed_elements.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/packing.h"
#include "compiler/codelet/print.h"
#include "compiler/emission/layer_results.h"
#include "compiler/emission/memory_plan.h"

namespace covenant::compiler {
namespace {

struct Tenants {
  std::optional<size_t> first{};   ///< activation
  std::optional<size_t> filled{};  ///< the first one with padding that no layer writes
  acg::SegmentKind kind = acg::SegmentKind::kIntermediate;
};

class Assembler {
 public:
  Assembler(Network network, const std::vector<codelet::Codelet>& scheduled, const acg::Machine& machine,
            const WriteCode& write_code)
      : network_(std::move(network)),
        scheduled_(scheduled),
        machine_(machine),
        write_code_(write_code),
        map_(machine) {}

  Staged<acg::Program> run(const std::string& model) {
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
    network_ = with_lifetimes(std::move(network_));  // fused layers are fewer
    if (Status status = measure_activations(); !status) return status.error();
    if (Status status = place_activations(); !status) return status.error();
    if (Status status = place_constants(); !status) return status.error();
    if (Staged<Done> made = make_blocks(); !made) return made.ended();
    lay_out();
    return std::move(program_);
  }

 private:
  /// Everything has its address in its memory; the image holds one memory after the other.
  void lay_out() {
    const std::vector<acg::MemoryRange> ranges = map_.ranges();
    program_.segments = map_.segments_of_image();
    program_.memory_bytes = ranges.back().first + ranges.back().bytes;
    program_.entry = image_address(ranges, map_.words(), program_.entry);
    const uint64_t activations = image_address(ranges, map_.activations(), 0);
    for (const Boundary& boundary : network_.inputs) program_.inputs.push_back(binding(boundary, activations));
    for (const Boundary& boundary : network_.outputs) program_.outputs.push_back(binding(boundary, activations));
    if (ranges.size() > 1) program_.ranges = ranges;
  }

  Status measure_activations() {
    sizes_.resize(network_.activations.size());
    find_tenants();
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      for (const auto& [name, index] : network_.layers[i].activations) {
        Activation& activation = network_.activations[index];
        const codelet::Surrogate& surrogate = surrogate_named(scheduled_[i], name);
        Storage seen = storage_seen(activation, surrogate);
        check(sizes_[activation.storage.allocation] == 0 || seen.dimensions == activation.storage.dimensions,
              "layers agree about the storage of an activation");
        activation.storage = std::move(seen);
        uint64_t& size = sizes_[activation.storage.allocation];
        const uint64_t elements = std::max(elements_of(activation.storage), elements_spanned(surrogate));
        size = std::max(size, packed_bytes(activation.dtype, elements));
      }
    }
    // For a tensor that layers only read in parts: all of it.
    for (const Activation& activation : network_.activations) {
      uint64_t& size = sizes_[activation.storage.allocation];
      if (size != 0) size = std::max(size, packed_bytes(activation.dtype, elements_of(activation.storage)));
    }
    for (const std::vector<Boundary>* boundaries : {&network_.inputs, &network_.outputs}) {
      for (const Boundary& boundary : *boundaries) {
        if (sizes_[allocation_of(boundary.activation)] != 0) continue;
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

  size_t allocation_of(size_t activation) const { return network_.activations[activation].storage.allocation; }

  /// Lists the activations in each allocation: views share its segment, which is named after the first of them.
  void find_tenants() {
    tenants_.resize(network_.activations.size());
    for (size_t i = 0; i < network_.activations.size(); ++i) {
      Tenants& tenants = tenants_.at(allocation_of(i));
      if (!tenants.first) tenants.first = i;
      if (!tenants.filled && network_.activations[i].storage.is_filled) tenants.filled = i;
    }
    const auto mark = [&](const std::vector<Boundary>& boundaries, acg::SegmentKind kind) {
      for (const Boundary& boundary : boundaries) tenants_[allocation_of(boundary.activation)].kind = kind;
    };
    mark(network_.outputs, acg::SegmentKind::kOutput);
    mark(network_.inputs, acg::SegmentKind::kInput);
  }

  acg::SegmentKind kind_of(size_t allocation) const { return tenants_[allocation].kind; }

  const Activation& named_after(size_t allocation) const {
    const std::optional<size_t> first = tenants_[allocation].first;
    check(first.has_value(), "an allocation holds an activation");
    return network_.activations[*first];
  }

  /// Content before the first layer runs: zero points, if padding is read that no layer writes.
  std::vector<uint8_t> content_of(size_t allocation) const {
    if (!tenants_[allocation].filled) return {};
    const Activation& activation = network_.activations[*tenants_[allocation].filled];
    check(is_narrow(activation.dtype), "padding is of quantised elements");
    std::vector<uint8_t> content(sizes_[allocation]);
    const uint64_t elements = content.size() * 8 / bits(activation.dtype);
    fill_packed(activation.dtype, content, elements, activation.zero_point);
    return content;
  }

  Status place_activations() {
    if (Status placed = place_each(acg::SegmentKind::kInput); !placed) return placed;
    if (Status placed = place_intermediates(); !placed) return placed;
    return place_each(acg::SegmentKind::kOutput);
  }

  Status place_each(acg::SegmentKind kind) {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] == 0 || kind_of(i) != kind) continue;
      Result<uint64_t> address = map_.add(named_after(i).name, kind, sizes_[i], content_of(i));
      if (!address) return address.error();
      addresses_[i] = *address;
    }
    return Done{};
  }

  /// Segments written before the first layer keep their bytes; all others share theirs.
  Status place_intermediates() {
    std::vector<Tenant> tenants;
    std::vector<size_t> allocations;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] == 0 || kind_of(i) != acg::SegmentKind::kIntermediate) continue;
      if (std::vector<uint8_t> content = content_of(i); !content.empty()) {
        Result<uint64_t> address =
            map_.add(named_after(i).name, acg::SegmentKind::kIntermediate, sizes_[i], std::move(content));
        if (!address) return address.error();
        addresses_[i] = *address;
        continue;
      }
      tenants.push_back({named_after(i).name, sizes_[i], named_after(i).storage.lifetime.value()});
      allocations.push_back(i);
    }
    const Result<std::vector<uint64_t>> shared = map_.add_shared(tenants);
    if (!shared) return shared.error();
    for (size_t i = 0; i < allocations.size(); ++i) addresses_[allocations[i]] = shared->at(i);
    return Done{};
  }

  Status place_constants() {
    constants_.resize(network_.layers.size());
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      for (const auto& [name, constant] : network_.layers[i].constants) {
        const codelet::Surrogate& surrogate = surrogate_named(scheduled_[i], name);
        std::vector<uint8_t> packed =
            covenant::packed(surrogate.dtype.value(), codelet::to_packed(surrogate, constant.data));
        check(packed.size() == size_of(surrogate), "a packed constant fills its surrogate");
        const acg::MemoryId memory = acg::find_memory(machine_, surrogate.location).value();
        Result<uint64_t> address =
            map_.add_in(memory, constant_segment(i, name), acg::SegmentKind::kConstant, packed.size(), packed);
        if (!address) return address.error();
        constants_[i][name] = *address;
      }
    }
    return Done{};
  }

  std::string constant_segment(size_t layer, const std::string& surrogate) const {
    return network_.layers[layer].layer.name + "/" + surrogate;
  }

  Staged<Done> make_blocks() {
    std::vector<AddressedLayer> layers;
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const NetworkLayer& layer = network_.layers[i];
      AddressedLayer placed{layer, scheduled_[i], constants_[i], {}};
      placed.block = {
          layer.layer.name, layer.operation, 0, 0, layer.macs, layer.elementwise, codelet::print(scheduled_[i]), {},
          layer.fused};
      for (const auto& [name, address] : constants_[i]) placed.block.bindings[name] = constant_segment(i, name);
      for (const auto& [name, activation] : layer.activations) {
        placed.addresses[name] = addresses_.at(allocation_of(activation));
        placed.block.bindings[name] = named_after(allocation_of(activation)).name;
      }
      layers.push_back(std::move(placed));
    }
    Staged<std::vector<uint8_t>> data = write_code_(layers, map_);
    if (!data) return data.ended();
    for (AddressedLayer& layer : layers) program_.blocks.push_back(std::move(layer.block));
    const uint64_t size = data->size();
    Result<uint64_t> entry = map_.add("instructions", acg::SegmentKind::kInstructions, size, std::move(*data));
    if (!entry) return entry.error();
    program_.entry = *entry;
    return Done{};
  }

  /// `first`: byte of the image with which the memory of activations begins.
  acg::TensorBinding binding(const Boundary& boundary, uint64_t first) const {
    const Activation& activation = network_.activations[boundary.activation];
    acg::TensorBinding made;
    made.name = boundary.name;
    made.dtype = activation.dtype;
    made.shape = boundary.shape;
    for (const uint64_t size : boundary.shape) {
      // The model may show [N,C] as [N,C,1,1] and the other way round: dimensions of one index make no difference.
      const size_t d = made.strides.size();
      made.strides.push_back(d < activation.shape.size() ? activation.storage.dimensions[d].strides
                                                         : std::vector<acg::Stride>{{size, 0}});
    }
    made.offset = activation.storage.offset;
    made.elements = sizes_[activation.storage.allocation] * 8 / bits(activation.dtype);
    made.pad_value = activation.zero_point;
    made.address = first + addresses_.at(activation.storage.allocation);
    made.host_quantizes = boundary.host_quantizes;
    made.quantization = boundary.quantization;
    made.model_dtype = boundary.model_dtype;
    return made;
  }

  Network network_;
  const std::vector<codelet::Codelet>& scheduled_;
  const acg::Machine& machine_;
  const WriteCode& write_code_;
  MemoryPlan map_;
  acg::Program program_;
  std::vector<Tenants> tenants_;                            ///< by allocation
  std::vector<uint64_t> sizes_;                             ///< bytes by allocation; 0 if no layer uses it
  std::map<size_t, uint64_t> addresses_;                    ///< by allocation
  std::vector<std::map<std::string, uint64_t>> constants_;  ///< by layer: surrogate -> address
};

}  // namespace

Staged<acg::Program> assemble(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                              const acg::Machine& machine, const std::string& model, const WriteCode& write_code) {
  check(network.layers.size() == scheduled.size(), "one scheduled codelet per layer");
  return Assembler(network, scheduled, machine, write_code).run(model);
}

}  // namespace covenant::compiler
