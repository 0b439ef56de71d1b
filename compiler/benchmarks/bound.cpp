#include "compiler/benchmarks/bound.h"

#include <algorithm>
#include <string>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "acg/isa/vliw/packet_peak.h"

namespace covenant::compiler {
namespace {

stream::Volumes volumes_of(const BenchmarkLayer& layer) {
  const uint64_t macs = benchmark_macs(layer);
  if (layer.kind == BenchmarkKind::kGemm) {
    return {macs, layer.heads * layer.m * layer.k, layer.heads * layer.k * layer.n, layer.heads * layer.m * layer.n};
  }
  return {macs, layer.batch * layer.in_channels * layer.input_rows * layer.input_columns,
          layer.kernel * layer.kernel * layer.in_channels * layer.out_channels,
          layer.batch * layer.out_channels * layer.output_rows * layer.output_columns};
}

/// Bound of a machine that issues packets: multiplications divided by those that a packet holds; bytes of inputs and
/// weights, and of outputs, each moved once, divided by the bandwidth of the edges of off-chip memory. Fixed part: one
/// read of that memory.
Bound packet_bound(const stream::Volumes& layer, const acg::Machine& machine) {
  const acg::MemoryId offchip = acg::outermost_memory(machine);
  const auto offer = [](Bound& bound, uint64_t cycles, const std::string& resource) {
    if (cycles <= bound.busiest) return;
    bound.busiest = cycles;
    bound.limited_by = resource;
  };
  Bound bound;
  const uint64_t macs = std::max<uint64_t>(1, acg::macs_in_packet(machine));
  offer(bound, ceil_divide(layer.macs, macs) * machine.packet.interval, "compute");
  for (const acg::Edge& edge : machine.edges) {
    if (edge.bandwidth == 0) continue;
    const std::string name = acg::name_of(machine, edge.from) + "->" + acg::name_of(machine, edge.to);
    if (edge.from == acg::NodeId{offchip})
      offer(bound, ceil_divide<uint64_t>(8 * (layer.inputs + layer.weights), edge.bandwidth), name);
    if (edge.to == acg::NodeId{offchip}) offer(bound, ceil_divide<uint64_t>(32 * layer.outputs, edge.bandwidth), name);
  }
  bound.fixed = acg::get(machine, offchip).latency;
  bound.cycles = bound.busiest + bound.fixed;
  if (bound.fixed > bound.busiest) bound.limited_by = "fixed";
  return bound;
}

}  // namespace

Bound bound_of(const BenchmarkLayer& layer, const acg::Machine& machine, uint64_t words) {
  const stream::Volumes volumes = volumes_of(layer);
  return machine.packet.slots > 0 ? packet_bound(volumes, machine) : stream::bound_of(volumes, machine, words);
}

}  // namespace covenant::compiler
