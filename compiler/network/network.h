/// A network: the compiler's view of a model as layers with their codelets, tensors with their storage, and constants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/dtype.h"
#include "acg/graph/graph.h"
#include "acg/program/program.h"
#include "compiler/network/constant_tensor.h"
#include "compiler/passes/bind.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// A quantised tensor between layers.
struct Activation {
  std::string name;
  DType dtype = DType::kU8;
  std::vector<uint64_t> shape;  ///< the model's
  int32_t zero_point = 0;
  Storage storage{};
  bool operator==(const Activation&) const = default;
};

/// One layer: the values that `bind` needs, and what its surrogates stand for.
struct NetworkLayer {
  Layer layer;                                        ///< the model's node name, params and dtypes
  std::string operation;                              ///< operation of srdfg, which is also the name of the library
                                                      ///< codelet
  std::string steps{};                                ///< of a float_chain (compiler/srdfg/chain.h)
  std::map<std::string, ConstantTensor> constants{};  ///< surrogate -> content, as the codelet declares it
  std::map<std::string, size_t> activations{};        ///< surrogate -> index into Network::activations
  uint64_t macs = 0;                                  ///< real multiply-accumulates
  uint64_t elementwise = 0;                           ///< real SIMD operations
  std::string lowering = "plain";                     ///< name of its lowering (compiler/lowerings/lowering.h)
  /// Its own codelet, if its lowering brought one: it takes the tensors of the codelet called `operation`, and sees
  /// them in the same form (layer_traits.h).
  std::optional<codelet::Codelet> codelet{};
  /// Maps surrogates that are not rows of whole vectors to their storage, dimensions in the order of memory. Derived
  /// from the activations: `set_storage` keeps it up to date.
  std::map<std::string, Storage> views{};
  std::vector<std::string> fused{};  ///< names of the layers that were fused into it, if any
  bool operator==(const NetworkLayer&) const = default;
};

/// A tensor at the model's boundary.
struct Boundary {
  std::string name;             ///< the model's
  std::vector<uint64_t> shape;  ///< the model's
  size_t activation = 0;
  bool host_quantizes = false;
  acg::Quantization quantization;
  std::optional<DType> model_dtype;  ///< the model's quantised type, if the activation has wider elements
  bool operator==(const Boundary&) const = default;
};

struct Network {
  std::string name;   ///< the graph's
  std::string model;  ///< name of the program: the model's file, without its folder
  std::vector<Activation> activations;
  std::vector<NetworkLayer> layers;  ///< in the order of execution
  std::vector<Boundary> inputs;
  std::vector<Boundary> outputs;
  bool operator==(const Network&) const = default;
};

/// The network with the lifetime of every tensor, in layers; data that the host writes is alive from the first layer
/// on, data that it reads up to the last one. Views share the lifetime of everything in their allocation.
Network with_lifetimes(Network network);

}  // namespace covenant::compiler
