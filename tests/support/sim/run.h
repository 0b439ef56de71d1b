/// Runs hand-written programs on small machines.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "acg/lang/load.h"
#include "sim/run/simulate.h"
#include "tests/support/sim/assembly.h"

namespace covenant::sim::testing {

inline acg::Machine machine_with(const std::vector<std::pair<std::string, std::string>>& set) {
  auto machine = acg::load_machine("genesys", set);
  if (!machine) throw std::runtime_error(render(machine.error()));
  return *machine;
}
/// GeneSys with a small array: `rows` x `columns`, everything else as published.
inline acg::Machine small_machine(uint32_t rows, uint32_t columns) {
  return machine_with({{"M", std::to_string(rows)}, {"N", std::to_string(columns)}});
}

/// The result of a run, with its memory.
struct Ran {
  SimulateResult result;
  std::vector<uint8_t> memory;

  /// Records of one engine, in order.
  std::vector<acg::RetireRecord> of(uint32_t engine) const {
    std::vector<acg::RetireRecord> some;
    for (const auto& record : result.records) {
      if (record.engine == engine) some.push_back(record);
    }
    return some;
  }
};

inline Ran run(Assembly& assembly, const std::vector<uint8_t>& data = {}, SimulateOptions options = {}) {
  options.records = true;
  const acg::Program program = assembly.program();
  Ran ran;
  ran.memory = assembly.image(data);
  auto result = simulate(program, ran.memory, options);
  if (!result) throw std::runtime_error(render(result.error()));
  ran.result = std::move(*result);
  return ran;
}

/// The diagnostic of a program that must fail.
inline Diagnostic failure(Assembly& assembly, const SimulateOptions& options = {}) {
  const acg::Program program = assembly.program();
  std::vector<uint8_t> memory = assembly.image();
  const auto result = simulate(program, memory, options);
  if (result) return {};
  return result.error();
}

}  // namespace covenant::sim::testing
