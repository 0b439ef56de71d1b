/// Gives a Verilated model access to a model of off-chip memory: in cycles, through function pointers.
#pragma once

#include <cstdint>
#include <vector>

#include "offchip/clock.h"
#include "offchip/model.h"
#include "rtl/cosim/model_abi.h"

namespace covenant::rtl {

/// The object that OffchipTiming::model points to. Must outlive the run.
struct AskedModel {
  offchip::Model* model = nullptr;
  offchip::Clock clock{};
  std::vector<offchip::Answer> answers{};  ///< answers of one cycle
};

/// Without a model: a timing that is never asked.
OffchipTiming timing_of(AskedModel& asked);

}  // namespace covenant::rtl
