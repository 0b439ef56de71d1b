#include "compiler/binding/verify_layers.h"

#include <algorithm>
#include <map>
#include <set>

#include "acg/base/failure.h"
#include "compiler/binding/bind_layer.h"
#include "compiler/binding/doubled_sums.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Surrogate;
using codelet::SurrogateKind;

/// More than off-chip memory can hold; products of two such numbers still fit 64 bits.
constexpr uint64_t kMostElements = uint64_t{1} << 32;

[[noreturn]] void reject(const std::string& code, const std::string& subject, const std::string& message,
                         const std::string& offending, std::vector<std::string> allowed, const std::string& fix) {
  throw Failure{{code, {}, subject, message, offending, std::move(allowed), fix}};
}

class Verifier {
 public:
  Verifier(const Network& network, const std::vector<Codelet>& declared) : network_(network), declared_(declared) {
    for (const Activation& tensor : network_.activations) {
      uint64_t& elements = elements_[tensor.storage.allocation];
      elements = std::max(elements, elements_of(tensor.storage));
    }
  }

  void layers() {
    for (const Boundary& boundary : network_.inputs) written_.insert(allocation_of(boundary.activation));
    for (const NetworkLayer& one : network_.layers) {
      layer(one);
      order(one);
    }
    for (const Boundary& boundary : network_.outputs) require_written(boundary.activation, boundary.name);
  }

  void layer(const NetworkLayer& layer) const {
    const Codelet codelet = value(layer, codelet_of(layer, declared_));
    for (const auto& [name, index] : layer.activations) surrogate_of(layer, codelet, name);
    for (const auto& [name, constant] : layer.constants) surrogate_of(layer, codelet, name);
    if (Status doubled = verify_doublings(codelet, layer); !doubled) throw Failure{doubled.error()};
    const Codelet bound = value(layer, bind_layer(codelet, layer));
    for (const Surrogate& surrogate : bound.surrogates) {
      if (surrogate.kind == SurrogateKind::kInp || surrogate.kind == SurrogateKind::kOut) tensor(layer, surrogate);
    }
  }

 private:
  size_t allocation_of(size_t activation) const { return network_.activations[activation].storage.allocation; }

  void require_written(size_t activation, const std::string& subject) const {
    if (written_.contains(allocation_of(activation))) return;
    reject("NET0005", subject, "a tensor is read that nothing has written", network_.activations[activation].name, {},
           "let an input or a layer before write it");
  }

  /// Reads what was written before, and writes the rest: loads of a tile may come after stores of another.
  void order(const NetworkLayer& layer) {
    const Codelet codelet = value(layer, codelet_of(layer, declared_));
    std::set<size_t> read;
    for (const auto& [name, index] : layer.activations) {
      if (find_surrogate(codelet, name)->kind != SurrogateKind::kInp) continue;
      require_written(index, layer.layer.name);
      read.insert(allocation_of(index));
    }
    for (const auto& [name, index] : layer.activations) {
      const bool is_read = find_surrogate(codelet, name)->kind == SurrogateKind::kInp;
      if (!is_read && read.contains(allocation_of(index))) {
        reject("NET0008", layer.layer.name, "a layer writes what it reads: both lie in one allocation",
               network_.activations[index].name, {}, "give the result an allocation of its own");
      }
      written_.insert(allocation_of(index));
    }
  }

  Codelet value(const NetworkLayer& layer, Result<Codelet> result) const {
    if (result) return std::move(*result);
    Diagnostic diagnostic = result.error();
    diagnostic.subject = layer.layer.name;
    throw Failure{std::move(diagnostic)};
  }

  [[noreturn]] void misfit(const NetworkLayer& layer, const std::string& message, const std::string& offending) const {
    reject("NET0004", layer.layer.name, message, offending, {},
           "give the layer what its codelet '" + layer.operation + "' declares");
  }

  void surrogate_of(const NetworkLayer& layer, const Codelet& codelet, const std::string& name) const {
    const Surrogate* surrogate = find_surrogate(codelet, name);
    const bool is_tensor =
        surrogate != nullptr && (surrogate->kind == SurrogateKind::kInp || surrogate->kind == SurrogateKind::kOut);
    if (!is_tensor) misfit(layer, "the codelet has no such tensor", name);
    const bool is_both = layer.activations.contains(name) && layer.constants.contains(name);
    if (is_both) misfit(layer, "a tensor and a constant stand for one", name);
    const bool is_written = surrogate->kind == SurrogateKind::kOut && layer.constants.contains(name);
    if (is_written) misfit(layer, "a constant is written", name);
  }

  void tensor(const NetworkLayer& layer, const Surrogate& surrogate) const {
    uint64_t count = 1;
    for (const int64_t size : constants(surrogate.shape))
      count = std::min(count * static_cast<uint64_t>(size), kMostElements);
    const auto constant = layer.constants.find(surrogate.name);
    if (constant != layer.constants.end()) {
      if (constant->second.data.size() == count * bytes(surrogate.dtype.value())) return;
      misfit(layer, "a constant has not the size that the codelet declares", surrogate.name);
    }
    const auto used = layer.activations.find(surrogate.name);
    if (used == layer.activations.end()) misfit(layer, "nothing stands for a tensor of the codelet", surrogate.name);
    const Activation& activation = network_.activations[used->second];
    const bool is_byte_of_table = traits(layer).is_table && surrogate.kind == SurrogateKind::kInp &&
                                  is_narrow(surrogate.dtype.value()) &&
                                  bits(surrogate.dtype.value()) == bits(activation.dtype);
    if (!is_byte_of_table && !reads_as(activation.dtype, surrogate))
      misfit(layer, "a tensor has another dtype", activation.name);
    // Padded to whole tiles, of which the codelet counts its own part (compiler/network/views.h).
    const bool is_in_tiles = traits(layer).form == LayerForm::kRows && surrogate.name == "w";
    if (!covers(surrogate, activation, count, is_in_tiles)) {
      misfit(layer, "a tensor has another shape than the codelet declares", activation.name);
    }
  }

  /// 32-bit sums are defined modulo 2^32: a reader may take them for unsigned.
  static bool reads_as(DType dtype, const Surrogate& surrogate) {
    const bool is_unsigned = surrogate.kind == SurrogateKind::kInp && surrogate.dtype == DType::kU32;
    return surrogate.dtype == dtype || (is_unsigned && dtype == DType::kI32);
  }

  /// True if the surrogate covers only elements of the allocation. Without strides it covers all of them, perhaps with
  /// padding.
  bool covers(const Surrogate& surrogate, const Activation& activation, uint64_t count, bool is_in_tiles) const {
    if (surrogate.strides.empty()) {
      uint64_t elements = 1;
      for (const uint64_t size : activation.shape) elements *= size;
      const uint64_t all = elements_of(activation.storage);
      return count == elements || count == all || (is_in_tiles && count > elements && count < all);
    }
    const uint64_t memory = elements_.at(activation.storage.allocation);
    const std::vector<int64_t> shape = constants(surrogate.shape);
    const std::vector<int64_t> strides = constants(surrogate.strides);
    int64_t last = surrogate.offset.constant().value_or(-1);
    bool is_inside = last >= 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t far = 0;
      is_inside = is_inside && strides[d] >= 0 && !__builtin_mul_overflow(shape[d] - 1, strides[d], &far) &&
                  !__builtin_add_overflow(last, far, &last);
    }
    return is_inside && static_cast<uint64_t>(last) < memory;
  }

  const Network& network_;
  const std::vector<Codelet>& declared_;
  std::set<size_t> written_;               ///< allocations
  std::map<size_t, uint64_t> elements_{};  ///< by allocation
};

}  // namespace

Status verify_layers(const Network& network, const std::vector<Codelet>& declared) {
  return guarded<Done>([&] {
    Verifier(network, declared).layers();
    return Done{};
  });
}

Status verify_layer(const Network& network, const NetworkLayer& layer, const std::vector<Codelet>& declared) {
  return guarded<Done>([&] {
    Verifier(network, declared).layer(layer);
    return Done{};
  });
}

}  // namespace covenant::compiler
