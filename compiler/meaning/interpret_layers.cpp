#include "compiler/meaning/interpret_layers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "acg/base/check.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/packing.h"
#include "compiler/emission/layer_results.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Surrogate;
using codelet::SurrogateKind;

/// In what nothing has written. As f32 it is a number.
constexpr uint8_t kArbitrary = 0x55;

/// Calls `with` for each element, row-major, with its place in the allocation.
void for_each_element(const Storage& storage, const std::function<void(uint64_t)>& with) {
  std::vector<uint64_t> index(storage.dimensions.size());
  while (true) {
    uint64_t place = storage.offset;
    for (size_t d = 0; d < index.size(); ++d) place += acg::steps_to(storage.dimensions[d].strides, index[d]);
    with(place);
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == storage.dimensions[d - 1].size) index[--d] = 0;
    if (d == 0) return;
  }
}

class Memory {
 public:
  /// `codelets[i]`: the packed codelet of layer i.
  Memory(const Network& network, const std::vector<Codelet>& codelets) : network_(network) {
    std::map<size_t, uint64_t> elements;
    for (const Activation& tensor : network.activations) {
      uint64_t& all = elements[tensor.storage.allocation];
      all = std::max(all, elements_of(tensor.storage));
    }
    for (size_t i = 0; i < codelets.size(); ++i) {
      for (const auto& [name, index] : network.layers[i].activations) {
        const Surrogate& surrogate = surrogate_named(codelets[i], name);
        const uint64_t seen = surrogate.strides.empty() ? elements_of(surrogate) : elements_spanned(surrogate);
        uint64_t& all = elements[network.activations[index].storage.allocation];
        all = std::max(all, seen);
      }
    }
    for (const Activation& tensor : network.activations) {
      std::vector<uint8_t>& content = contents_[tensor.storage.allocation];
      if (content.empty()) content.assign(elements.at(tensor.storage.allocation) * bytes(tensor.dtype), kArbitrary);
      if (tensor.storage.is_filled) fill(tensor);
    }
  }

  void write(const Boundary& boundary, const reference::Tensor& tensor) {
    const Activation& activation = network_.activations[boundary.activation];
    if (is_narrow(activation.dtype)) fill(activation);  // the host writes all padding, too
    std::vector<uint8_t>& content = contents_.at(activation.storage.allocation);
    const size_t width = bytes(activation.dtype);
    auto from = tensor.bytes.begin();
    for_each_element(activation.storage, [&](uint64_t place) {
      std::copy_n(from, width, &content[place * width]);
      from += static_cast<std::ptrdiff_t>(width);
    });
  }

  reference::Tensor read(const Boundary& boundary) const {
    const Activation& activation = network_.activations[boundary.activation];
    const std::vector<uint8_t>& content = contents_.at(activation.storage.allocation);
    const size_t width = bytes(activation.dtype);
    reference::Tensor tensor{activation.dtype, boundary.shape, {}};
    for_each_element(activation.storage, [&](uint64_t place) {
      tensor.bytes.insert(tensor.bytes.end(), &content[place * width], &content[place * width] + width);
    });
    return tensor;
  }

  Status run(const NetworkLayer& layer, const Codelet& codelet, const acg::Machine& machine) {
    codelet::Bindings tensors;
    for (const Surrogate& surrogate : codelet.surrogates) {
      const auto constant = layer.constants.find(surrogate.name);
      if (constant != layer.constants.end()) {
        tensors[surrogate.name] = codelet::to_packed(surrogate, constant->second.data);
      } else if (layer.activations.contains(surrogate.name)) {
        const std::vector<uint8_t>& content = content_of(layer, surrogate.name);
        const size_t seen = elements_of(surrogate) * bytes(surrogate.dtype.value());
        const bool is_view = !surrogate.strides.empty();
        tensors[surrogate.name].assign(content.begin(), is_view ? content.end() : content.begin() + seen);
      }
    }
    if (Status ran = codelet::interpret(codelet, &machine, tensors); !ran) return ran;
    for (const Surrogate& surrogate : codelet.surrogates) {
      if (surrogate.kind != SurrogateKind::kOut || !layer.activations.contains(surrogate.name)) continue;
      const std::vector<uint8_t>& made = tensors.at(surrogate.name);
      std::copy(made.begin(), made.end(), content_of(layer, surrogate.name).begin());
    }
    return Done{};
  }

 private:
  void fill(const Activation& tensor) {
    std::vector<uint8_t>& content = contents_.at(tensor.storage.allocation);
    const size_t width = bytes(tensor.dtype);
    for (size_t i = 0; i < content.size(); ++i) {
      content[i] = static_cast<uint8_t>(static_cast<uint32_t>(tensor.zero_point) >> (8 * (i % width)));
    }
  }

  std::vector<uint8_t>& content_of(const NetworkLayer& layer, const std::string& name) {
    return contents_.at(network_.activations[layer.activations.at(name)].storage.allocation);
  }

  const Network& network_;
  std::map<size_t, std::vector<uint8_t>> contents_;  ///< by allocation
};

}  // namespace

Result<reference::Tensors> interpret_layers(const Network& network, const acg::Machine& machine,
                                            const reference::Tensors& inputs, const std::vector<Codelet>& declared) {
  std::vector<Codelet> codelets;
  for (const NetworkLayer& layer : network.layers) {
    Result<Codelet> codelet = packed_codelet(layer, machine, declared);
    if (!codelet) return codelet.error();
    codelets.push_back(std::move(*codelet));
  }
  Memory memory(network, codelets);
  for (const Boundary& input : network.inputs) {
    check(!input.host_quantizes, "the host of the interpreter quantises nothing");
    memory.write(input, inputs.at(input.name));
  }
  for (size_t i = 0; i < codelets.size(); ++i) {
    if (const Status ran = memory.run(network.layers[i], codelets[i], machine); !ran) return ran.error();
  }
  reference::Tensors outputs;
  for (const Boundary& output : network.outputs) outputs[output.name] = memory.read(output);
  return outputs;
}

}  // namespace covenant::compiler
