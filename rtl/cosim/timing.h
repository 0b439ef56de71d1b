/// A model of off-chip memory as a Verilated model asks it: in cycles, by functions.
#pragma once

#include <cstdint>
#include <vector>

#include "offchip/clock.h"
#include "offchip/model.h"
#include "rtl/cosim/model_abi.h"

namespace covenant::rtl {

/// What OffchipTiming::model points to. Outlives the run.
struct AskedModel {
  offchip::Model* model = nullptr;
  offchip::Clock clock{};
  std::vector<offchip::Answer> answers{};  ///< of one cycle
};

/// Without a model: nothing that could be asked.
OffchipTiming timing_of(AskedModel& asked);

}  // namespace covenant::rtl
