/// Runs one program on both models of a machine: every record and every byte must be equal.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rtl/cosim/model.h"
#include "runtime/lockstep/lockstep.h"
#include "tests/support/folders.h"
#include "tests/support/sim/assembly.h"

namespace covenant::rtl::testing {

/// The Verilated model of `machine`, built once and kept in the build tree.
inline Model model_of(const acg::Machine& machine) {
  auto model = build_model(machine, {.cache = rtl_models_folder(), .checked = true, .quick = true});
  if (!model) throw std::runtime_error(render(model.error()));
  return std::move(*model);
}

enum class Outcome { kSame, kDifferent, kRefused };

/// Runs `program` on both, compared as by `covenant cosim`; a difference fails the test. kRefused: the SystemC model
/// refuses the program; nothing is compared then, and `reason` (if given) is its diagnostic. `memory`: the model of
/// off-chip memory on both sides.
inline Outcome lockstep(const Model& model, const acg::Program& program, const std::vector<uint8_t>& image,
                        Diagnostic* reason = nullptr, const std::string& memory = "fixed") {
  const auto result = runtime::lockstep(model, program, image, {.max_cycles = 2'000'000, .memory = memory});
  if (!result) {
    if (reason != nullptr) *reason = result.error();
    return Outcome::kRefused;
  }
  if (result->differences == 0) return Outcome::kSame;
  ADD_FAILURE() << result->differences << " differences\n" << (result->first ? render(*result->first) : "");
  return Outcome::kDifferent;
}

}  // namespace covenant::rtl::testing
