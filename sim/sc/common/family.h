/// The SystemC model of one family of machines: a folder beside this one and a row of `sim/sc/families.cpp`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "acg/program/program.h"
#include "sim/run/simulate.h"
#include "sim/run/statistics_from_records.h"
#include "sim/sc/common/program_model.h"
#include "sim/sc/common/program_runner.h"

namespace covenant::sim {

/// All functions take machines that the family owns, and their programs. A refusal is thrown.
struct Family {
  std::string_view name;
  bool (*owns)(const acg::Machine& machine);
  /// Faults SIM0061, ACG0051: there is no model of the machine.
  void (*check_runnable)(const acg::Machine& machine);
  /// Precondition of both: check_runnable. Their arguments must outlive their results.
  std::unique_ptr<ProgramModel> (*make_model)(const acg::Program& program);
  /// For an accelerator. Fault SIM0092: a family without AXI masters is to have some.
  std::unique_ptr<sc::ProgramRunner> (*make_runner)(const acg::Machine& machine, const sc::RunnerOptions& options);
  /// As sim::simulate_together; null: its machines have no hardware contexts.
  SimulateTogetherResult (*simulate_together)(const acg::Program& program, std::vector<std::vector<uint8_t>>& memories,
                                              const SimulateOptions& options) = nullptr;
  /// As sim::statistics_from_records; null: its commands leave no retire records.
  StatisticsFromRecords (*statistics_from_records)(const acg::Program& program,
                                                   std::span<const acg::RetireRecord> records,
                                                   std::span<const BlockTimes> times) = nullptr;
};

}  // namespace covenant::sim
