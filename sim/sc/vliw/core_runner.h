/// Runs programs of packets on the core of a machine.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "platform/storage.h"
#include "sim/sc/common/program_runner.h"
#include "sim/sc/vliw/core_module.h"

namespace covenant::sim::sc {

/// On one of its contexts, the others at rest; caches are empty when a run begins. Addresses of the core are those of
/// the memory.
class CoreRunner : public ProgramRunner {
 public:
  CoreRunner(const acg::Machine& machine, uint32_t first_port);

  std::vector<covenant::sc::MemorySocket*> sockets_of(uint32_t memory) override;
  uint32_t alignment() const override;
  void start(uint32_t entry, const CycleTime& time) override;
  RunCounters counters() const override;
  std::optional<Fault> fault() const override;
  void detach() override;

 private:
  void note_end();
  vliw::AddressSpace open_memory();
  void bring(uint32_t address, uint32_t bytes);
  void pass_stores_on();
  std::span<uint8_t> line_at(uint64_t address);

  const acg::Machine& machine_;
  uint32_t engine_;          ///< engine number of the core
  uint32_t memory_ = 0;      ///< the one off chip
  uint64_t line_bytes_ = 1;  ///< bytes per request
  CycleTime time_;
  CoreModule module_;
  std::shared_ptr<vliw::Contexts> contexts_;     ///< of the current or last run
  std::unique_ptr<covenant::sc::Storage> copy_;  ///< what is read of the memory
  std::vector<bool> is_there_;                   ///< by line of the copy: read in this run
  uint64_t end_ = UINT64_MAX;                    ///< cycle in which the run ends, once that is known
};

}  // namespace covenant::sim::sc
