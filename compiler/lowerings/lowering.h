/// A lowering: one way to do the work of a layer, as a value that says all that it needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/codelet/expression.h"
#include "compiler/network/network.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// How a constant is packed, in the terms of the pass `pack` (compiler/codelet/packing.h): element [p0, p1, ...] is the
/// element `indices` of the constant as the layer holds it, or 0 where there is none.
struct Packing {
  /// Factors of each dimension, outermost first; p0, p1, ... count through all of them.
  std::vector<std::vector<uint64_t>> dimensions;
  std::vector<codelet::Expression> indices;  ///< affine
  bool operator==(const Packing&) const = default;
};

/// Anyone may make one (makers.h); `verify_lowering` (verify.h) checks it without knowing its maker.
struct Lowering {
  std::string name = "plain";  ///< how schedules, options and the text of networks call it; one of each for a layer
  std::string maker;           ///< who made it
  std::string operation;       ///< name of the codelet
  /// The codelet itself, where neither the library nor the user's folder has it.
  std::optional<codelet::Codelet> codelet{};
  decltype(Layer::params) params{};           ///< what the codelet is bound with
  std::map<std::string, Storage> storages{};  ///< by tensor: the storage that it must have; others have any
  std::map<std::string, Packing> packings{};  ///< by constant; others stay as they are
  /// Its rows are not those that a product makes: to be fused with one, the layer takes another form.
  bool has_own_rows = false;
  bool operator==(const Lowering&) const = default;
};

/// The layer done in this way, its tensors in the wanted storages.
NetworkLayer lowered(const NetworkLayer& layer, const Lowering& lowering);

/// Wanted storages that tensors of the layer do not have, by activation.
std::map<size_t, Storage> missing_storages(const Network& network, const NetworkLayer& layer, const Lowering& lowering);

/// The packed constant, of elements of this dtype. Precondition: `packing` has an index for each of its dimensions.
ConstantTensor packed(const ConstantTensor& constant, const Packing& packing, DType dtype);

}  // namespace covenant::compiler
