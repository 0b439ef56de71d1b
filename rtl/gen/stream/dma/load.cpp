/// Loads: answers of off-chip memory are aligned and written into a scratchpad.
#include <fmt/format.h>

#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/stream/dma/directions.h"

namespace covenant::rtl {
namespace {

class Load final : public Dma {
 public:
  Load(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) : Dma(machine, engine, std::move(plan)) {}

  void claim(Plan& plan) const override { claim_write(plan, near_); }
  std::string wires(const Plan& plan) const override { return write_wires(signal, bytes_at_once(plan, near_)); }

 private:
  bool stores() const override { return false; }

  void add_path(Path& path, const Plan& plan) const override {
    path.module = "covenant_dma_load";
    connect_fill(path, plan);
    connect_offchip(path);
    connect_write(path);
  }

  void observe_writes(ObserverPart& part, const Plan& plan, Observed& observed) const override {
    observed.writes = show_writes(part, plan);
    // An entry writes in the cycle in which it leaves the queue.
    part.add_tags(signal, 0, 1, signal + "_write_valid", fmt::format("{0}_write_valid && u_{0}_path.is_last", signal));
  }
};

}  // namespace

std::unique_ptr<Unit> make_load(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) {
  return std::make_unique<Load>(machine, engine, std::move(plan));
}

}  // namespace covenant::rtl
