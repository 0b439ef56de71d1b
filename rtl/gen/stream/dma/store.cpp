/// Stores: bytes of a scratchpad are written to off-chip memory.
#include <fmt/format.h>

#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/stream/dma/directions.h"

namespace covenant::rtl {
namespace {

constexpr uint32_t kStages = 2;  // cycles from a beat to the off-chip port

class Store final : public Dma {
 public:
  Store(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) : Dma(machine, engine, std::move(plan)) {
    offchip->stages = kStages;
  }

  void claim(Plan& plan) const override { claim_read(plan, near_); }
  std::string wires(const Plan& plan) const override { return read_wires(signal, bytes_at_once(plan, near_)); }

 private:
  bool stores() const override { return true; }

  void add_path(Path& path, const Plan& /*plan*/) const override {
    path.module = "covenant_dma_store";
    connect(path, "beat_ends_i", "beat_ends");
    connect_read(path);
    connect_offchip(path);
  }

  void observe_writes(ObserverPart& part, const Plan& /*plan*/, Observed& /*observed*/) const override {
    part.add_tags(signal, kStages, 1, fmt::format("{0}_beat_valid && {0}_beat_inside", signal), last_step());
  }
};

}  // namespace

std::unique_ptr<Unit> make_store(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) {
  return std::make_unique<Store>(machine, engine, std::move(plan));
}

}  // namespace covenant::rtl
