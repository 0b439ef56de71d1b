/// Decides by the cost model which pairs of layers are fused, so that the tensor between them never leaves the chip.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/layers/layers.h"
#include "compiler/schedule/layer_search.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// A producer with its only reader: what was found out about the two.
struct FusionVerdict {
  std::string producer;  ///< names of layers; a fused one's is that of its layers with `+` between them
  std::string consumer;
  std::vector<std::string> layers;  ///< the model's, of both
  bool is_fused = false;
  std::optional<uint64_t> cycles_apart;     ///< predicted, both together; none if one of them cannot be done
  std::optional<uint64_t> cycles_together;  ///< none if the fused codelet cannot be done
  std::string reason;                       ///< why they stay two layers; empty if they do not
};

struct FusedNetwork {
  Network network;
  std::vector<codelet::Codelet> codelets;  ///< bound, one for each layer
  /// One for each layer: its schedules where they were searched for, and nothing of them is pinned.
  std::vector<std::optional<ScheduleSearch>> searches;
  std::vector<FusionVerdict> verdicts;  ///< in the order in which the pairs were considered
};

/// Fuses pairs of layers of which the second alone reads what the first makes, where `fuse` can do it, the machine can
/// do the result, and fewer cycles are predicted for it than for the two; a fused layer may be fused again. Candidates
/// are taken in the order of the layers, so equal inputs give equal networks, and at most 16 become one. Layers that a
/// schedule lists with `+` between them are fused whatever it costs, others that have a schedule are not. Precondition:
/// `codelets[i]` is the bound codelet of `network.layers[i]`.
///
/// A layer that stays by itself, and has no schedule, takes the form with the fewest cycles: other rows
/// (compiler/lowerings/pixel_vectors.h), or the product that does a copy's work (compiler/layers/gathered_copies.h).
/// \param joins false: no layers are fused; copies alone have other forms
FusedNetwork fuse_layers(const Network& network, const std::vector<codelet::Codelet>& codelets, LayerSearch& search,
                         const std::vector<LayerSchedule>& schedules = {}, bool joins = true);

}  // namespace covenant::compiler
