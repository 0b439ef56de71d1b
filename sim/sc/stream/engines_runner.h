/// Runs programs of words on the engines of a machine.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acg/program/program.h"
#include "platform/storage.h"
#include "sim/sc/common/program_runner.h"
#include "sim/sc/stream/machine_module.h"

namespace covenant::sim::sc {

class EnginesRunner : public ProgramRunner {
 public:
  EnginesRunner(const acg::Machine& machine, const RunnerOptions& options);

  std::vector<covenant::sc::MemorySocket*> sockets_of(uint32_t memory) override { return machine_.sockets_of(memory); }
  uint32_t alignment() const override;
  void start(uint32_t entry, const CycleTime& time) override;
  RunCounters counters() const override;
  std::optional<Fault> fault() const override;
  void detach() override;

 private:
  const acg::Machine& machine() const { return program_.machine; }
  MemoryImage copied_memories();

  acg::Program program_;  ///< nothing but its machine and the entry of the run
  uint32_t outstanding_;
  CycleTime time_;
  MachineModule machine_;
  std::vector<std::unique_ptr<covenant::sc::Storage>> copies_;  ///< by memory: what is read of those off chip
  std::optional<Simulation> simulation_;
};

}  // namespace covenant::sim::sc
