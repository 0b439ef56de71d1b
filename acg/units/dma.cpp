#include "acg/units/dma.h"

#include "acg/graph/queries.h"

namespace covenant::acg::units {
namespace {

uint32_t depth(const Machine& machine, const Engine& engine) {
  const Edge& edge = machine.edges.at(engine.edge.value());
  const TransferEnds ends = transfer_ends(machine, edge).value();
  return get(machine, ends.far).latency + edge.latency + 2;
}

}  // namespace

constinit const UnitInfo kDma{.kind = UnitKind::kDma, .place = UnitPlace::kEdge, .depth = depth};

}  // namespace covenant::acg::units
