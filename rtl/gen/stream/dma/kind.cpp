#include "rtl/gen/stream/dma/directions.h"

namespace covenant::rtl {

std::unique_ptr<Unit> make_dma(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan) {
  const acg::TransferEnds ends = acg::transfer_ends(machine, machine.edges.at(engine.edge.value())).value();
  const auto make = !ends.has_offchip ? make_copy : ends.loads ? make_load : make_store;
  return make(machine, engine, std::move(plan));
}

PackagePart dma_package(const Plan& /*plan*/) { return {.pipelined = {acg::Operation::kLoad, acg::Operation::kStore}}; }

}  // namespace covenant::rtl
