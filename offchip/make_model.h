/// Makes the model of an off-chip memory from its name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "offchip/clock.h"
#include "offchip/fixed.h"
#include "offchip/model.h"

namespace covenant::offchip {

/// The default memory model.
inline constexpr std::string_view kFixedMemory = "fixed";

/// Connection of a memory with a machine: a clock, and ports by number. Latencies are used by `fixed` only.
struct Connection {
  Clock clock;
  std::vector<FixedPort> ports;
};

/// `memory` is `fixed`, the name of a parameter set (`ddr4_2400`), or the path of a file with one (it ends in `.json`
/// or contains `/`). If `timeline` is given, what banks and buses are busy with is written into it (nothing of
/// `fixed`); it must outlive the model. Errors: those of load_parameters.
Result<std::unique_ptr<Model>> make_model(std::string_view memory, const Connection& connection,
                                          Timeline* timeline = nullptr);

/// Names that `make_model` knows without a file: `fixed` first, then the parameter sets in alphabetical order.
std::vector<std::string> memory_names();

}  // namespace covenant::offchip
