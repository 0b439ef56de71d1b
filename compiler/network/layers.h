/// From the normalised graph to layers: which codelet does each node, on what, with which constants; where layout is
/// decided (activations NHWC, flattening folded into weights, quantisation at the boundary left to the host).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/program.h"
#include "compiler/network/constants.h"
#include "compiler/passes/bind.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// How the pixels of a tensor of rank 4 lie in memory where the host alone decides; 0: as all others.
struct PixelLayout {
  uint64_t channels = 0;     ///< as many and no more
  uint64_t left_pixels = 0;  ///< of padding in front of each row
  uint64_t row_pixels = 0;   ///< of a row, with all padding
  uint64_t row_group = 1;    ///< rows that lie pixel beside pixel
  bool operator==(const PixelLayout&) const = default;
};

/// A quantised tensor between layers. Rank 4 lies in memory as NHWC, rank 2 as [N, C].
struct Activation {
  std::string name;
  DType dtype = DType::kU8;
  std::vector<uint64_t> shape;  ///< the model's
  int32_t zero_point = 0;
  PixelLayout layout{};
  bool operator==(const Activation&) const = default;
};

/// One node of the model: what `bind` needs to know of it, and what its surrogates stand for.
struct NetworkLayer {
  Layer layer;                                               ///< the model's node name, params and dtypes
  std::string operation;                                     ///< of srdfg, also the name of the library codelet
  std::map<std::string, ConstantTensor> constants;  ///< surrogate -> content, as the codelet declares it
  std::map<std::string, size_t> activations;                 ///< surrogate -> index into Network::activations
  uint64_t macs = 0;                                         ///< real multiply-accumulates
  uint64_t elementwise = 0;                                  ///< real SIMD operations
  std::string lowering = "plain";                           ///< the way it is done (compiler/network/conv_lowerings.h)
  std::vector<std::string> fused;                            ///< names of the layers that were fused into it, if any
};

/// A tensor at the model's boundary.
struct Boundary {
  std::string name;             ///< the model's
  std::vector<uint64_t> shape;  ///< the model's
  size_t activation = 0;
  bool host_quantizes = false;
  acg::Quantization quantization;
  bool operator==(const Boundary&) const = default;
};

struct Network {
  std::string name;
  std::vector<Activation> activations;
  std::vector<NetworkLayer> layers;  ///< in the order in which they run
  std::vector<Boundary> inputs;
  std::vector<Boundary> outputs;
};

/// Channels as they lie in memory: a multiple of what the machine writes at once in this dtype.
uint64_t padded_channels(const acg::Machine& machine, DType dtype, uint64_t channels);

/// Precondition: `graph` has passed srdfg::verify_normalized.
/// Fails: GEN0020 (an operation that no codelet of the library does), GEN0021 (a reshape that is neither trivial nor in
/// front of a gemm), GEN0022 (a tensor of a rank without layout), GEN0023 (an output that no layer makes).
/// `declared`: codelets of operators beside those of the library; their nodes are called by the codelet's name.
Result<Network> make_layers(const srdfg::Graph& graph, const acg::Machine& machine,
                            const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
