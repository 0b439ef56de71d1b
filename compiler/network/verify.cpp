#include "compiler/network/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "compiler/network/copy_views.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {
namespace {

/// More than off-chip memory can hold; products of two such numbers still fit 64 bits.
constexpr uint64_t kMost = uint64_t{1} << 32;

[[noreturn]] void reject(const std::string& code, const std::string& subject, const std::string& message,
                         const std::string& offending, std::vector<std::string> allowed, const std::string& fix) {
  throw Failure{{code, {}, subject, message, offending, std::move(allowed), fix}};
}

std::string text_of(const std::vector<uint64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

/// Indices of a dimension that have an element of their own.
uint64_t elements_apart(const StorageDimension& dimension) {
  const auto stays = [](const acg::Stride& step) { return step.stride == 0; };
  if (std::none_of(dimension.strides.begin(), dimension.strides.end(), stays)) return dimension.size;
  uint64_t count = 1;
  for (const acg::Stride& step : dimension.strides) count = std::min(stays(step) ? count : count * step.count, kMost);
  return count;
}

class Verifier {
 public:
  Verifier(const Network& network, const acg::Machine& machine) : network_(network), machine_(machine) {}

  void storages() const {
    for (const Activation& tensor : network_.activations) storage(tensor);
    for (const Boundary& boundary : network_.inputs) this->boundary(boundary);
    for (const Boundary& boundary : network_.outputs) this->boundary(boundary);
    for (const NetworkLayer& layer : network_.layers) {
      for (const auto& [name, index] : layer.activations) activation(index, layer.layer.name);
    }
  }

 private:
  void storage(const Activation& tensor) const {
    const auto wrong = [&](const std::string& message, const std::string& offending) {
      reject("NET0002", tensor.name, message, offending, {}, "store the tensor as `--emit network` shows it");
    };
    if (tensor.shape.empty()) wrong("a tensor has at least one dimension", text_of(tensor.shape));
    const std::string& outermost = acg::get(machine_, acg::outermost_memory(machine_)).name;
    if (tensor.storage.memory != outermost) wrong("a tensor lies in off-chip memory", tensor.storage.memory);
    if (tensor.storage.allocation >= network_.activations.size()) {
      wrong("allocations are counted from 0, one a tensor at most", fmt::format("{}", tensor.storage.allocation));
    }
    if (tensor.storage.is_filled && !is_narrow(tensor.dtype))
      wrong("padding is filled of quantised elements alone", "filled");
    uint64_t elements = 1;
    uint64_t last = tensor.storage.offset;
    for (const StorageDimension& dimension : tensor.storage.dimensions) {
      uint64_t count = 1;
      const uint64_t size = dimension.before + dimension.size + dimension.after;
      if (dimension.size == 0 || std::max({dimension.before, dimension.size, dimension.after}) >= kMost) {
        wrong("a dimension has no index, or too many", fmt::format("{}", dimension.size));
      }
      for (const acg::Stride& step : dimension.strides) {
        if (step.count == 0 || step.count >= kMost || step.stride >= kMost) {
          wrong("a step is 0 or too long", fmt::format("{}x{}", step.count, step.stride));
        }
        count = std::min(count * step.count, kMost);
      }
      if (dimension.strides.size() > 1 && count < dimension.size + dimension.after) {
        wrong("the steps of a dimension do not count its indices", fmt::format("{} of {}", count, size));
      }
      elements = std::min(elements * elements_apart(dimension), kMost);
      last = std::min(last + acg::steps_to(dimension.strides, dimension.size + dimension.after - 1), kMost);
    }
    if (last >= kMost || elements > last + 1) {
      wrong("elements do not lie apart within 32 bits of addresses", print(tensor.storage));
    }
  }

  const Activation& activation(size_t index, const std::string& subject) const {
    if (index < network_.activations.size()) return network_.activations[index];
    reject("NET0003", subject, "the network has no such tensor", fmt::format("{}", index),
           {fmt::format("0..{}", network_.activations.size())}, "name a tensor by its number");
  }

  void boundary(const Boundary& boundary) const {
    const auto without_ones = [](std::vector<uint64_t> shape) {
      while (!shape.empty() && shape.back() == 1) shape.pop_back();
      return shape;
    };
    const std::vector<uint64_t>& shape = activation(boundary.activation, boundary.name).shape;
    if (without_ones(shape) == without_ones(boundary.shape)) return;
    reject("NET0003", boundary.name, "the tensor has another shape", text_of(boundary.shape), {text_of(shape)},
           "give the boundary the shape of its tensor");
  }

  const Network& network_;
  const acg::Machine& machine_;
};

/// One layer, by the form of its operation.
class FormVerifier {
 public:
  FormVerifier(const Network& network, const NetworkLayer& layer)
      : network_(network), layer_(layer), traits_(traits(layer)) {}

  void run() const {
    if (traits_.form == LayerForm::kCopy) copy();
    if (traits_.form == LayerForm::kAlongAxis) along_axis();
    if (traits_.form == LayerForm::kRows) rows();
  }

 private:
  [[noreturn]] void misfit(const std::string& message, const std::string& offending) const {
    reject("NET0004", layer_.layer.name, message, offending, {},
           "give the layer what its codelet '" + layer_.operation + "' declares");
  }

  const Activation& tensor(const std::string& name) const {
    const auto found = layer_.activations.find(name);
    if (found == layer_.activations.end()) misfit("nothing stands for a tensor of the codelet", name);
    return network_.activations[found->second];
  }

  void copy() const {
    const Result<CommonSteps> steps = common_steps(tensor("x").storage, tensor("y").storage, kCopyDimensions);
    if (!steps) misfit("a copy cannot go through both of its tensors by the same steps", steps.error().offending);
  }

  /// Elements of `x` along one dimension become one.
  void along_axis() const {
    const std::vector<uint64_t>& x = tensor("x").shape;
    const std::vector<uint64_t>& reduced = tensor(layer_.activations.contains("m") ? "m" : "y").shape;
    for (const auto& [name, used] : layer_.activations) {
      const std::vector<uint64_t>& shape = network_.activations[used].shape;
      if (shape.size() != x.size() || x.size() < 2)
        misfit("its tensors have not one rank of at least 2", text_of(shape));
    }
    const bool has_axis = reduced != x || std::ranges::find(x, uint64_t{1}) != x.end();
    if (!has_axis) misfit("no dimension of its tensor becomes one index", text_of(x));
  }

  void rows() const {
    for (const auto& [name, used] : layer_.activations) {
      if (name == "w" || (name == "x" && traits_.multiplies)) continue;
      const bool is_row = !layer_.layer.params.contains("M") || name == "c";
      const std::vector<uint64_t>& shape = network_.activations[used].shape;
      if (is_row && shape.size() < 2) misfit("a tensor of rows has at least two dimensions", text_of(shape));
      number("L");
      if (layer_.layer.params.contains("T")) number("T");
    }
  }

  void number(const std::string& name) const {
    const auto found = layer_.layer.params.find(name);
    const auto* value = found == layer_.layer.params.end() ? nullptr : std::get_if<int64_t>(&found->second);
    if (value == nullptr) misfit("a number of elements is missing", name);
    if (*value < 1 || static_cast<uint64_t>(*value) >= kMost) {
      misfit("a number of elements is 0, or too large", fmt::format("{}={}", name, *value));
    }
  }

  const Network& network_;
  const NetworkLayer& layer_;
  const LayerTraits& traits_;
};

}  // namespace

Status verify_forms(const Network& network) {
  return guarded<Done>([&] {
    for (const NetworkLayer& layer : network.layers) FormVerifier(network, layer).run();
    return Done{};
  });
}

Status verify_storages(const Network& network, const acg::Machine& machine) {
  return guarded<Done>([&] {
    Verifier(network, machine).storages();
    return Done{};
  });
}

}  // namespace covenant::compiler
