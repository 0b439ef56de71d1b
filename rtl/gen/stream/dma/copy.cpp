/// Copies: a load whose bytes come from another scratchpad.
#include <fmt/format.h>

#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/stream/dma/directions.h"

namespace covenant::rtl {
namespace {

class Copy final : public Dma {
 public:
  Copy(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) : Dma(machine, engine, std::move(plan)) {}

  void claim(Plan& plan) const override {
    claim_write(plan, near_);
    claim_read(plan, far_);
  }
  std::string wires(const Plan& plan) const override {
    return write_wires(signal, bytes_at_once(plan, near_)) + read_wires(signal, bytes_at_once(plan, far_));
  }

 private:
  bool stores() const override { return false; }

  std::string far_parameters(const Plan& plan) const override {
    const acg::Memory& far = plan.machine->memories[far_];
    return fmt::format(",\n    .FarOnchip(1'b1),\n    .FarMemory({}),\n    .FarBuffers({}),\n    .FarBufferBytes({})",
                       far_, far.buffers, far.buffer_bytes());
  }

  void add_path(Path& path, const Plan& plan) const override {
    path.module = "covenant_dma_copy";
    path.parameters += fmt::format("    .EdgeLatency({}),\n    .FarDataBytes({}),\n", latency_ - 1,
                                   data_bytes_of(plan.machine->memories[far_]));
    connect_fill(path, plan);
    connect_read(path);
    connect_write(path);
  }

  void observe_writes(ObserverPart& part, const Plan& plan, Observed& observed) const override {
    observed.writes = show_writes(part, plan);
    part.add_tags(signal, uint64_t{latency_} + 1, 1, signal + "_beat_valid", last_step());
  }
};

}  // namespace

std::unique_ptr<Unit> make_copy(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) {
  return std::make_unique<Copy>(machine, engine, std::move(plan));
}

}  // namespace covenant::rtl
