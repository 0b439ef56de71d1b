/// Lower bounds of layers whose numbers can be computed by hand.
#include "compiler/benchmarks/bound.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/support/acg/edges.h"

namespace covenant::compiler {
namespace {

Bound bound(const std::string& layer, const std::string& machine, uint64_t words) {
  const Result<acg::Machine> loaded = acg::load_machine(machine, {});
  check(static_cast<bool>(loaded), "a machine of ours loads");
  return bound_of(*benchmark_layer(layer), *loaded, words);
}

TEST(Bound, WeightsOfOneRow) {
  const Bound made = bound("DLRM/FC3", "dnnweaver", 33);
  EXPECT_EQ(made.busiest, 512U * 256 / 64);
  EXPECT_EQ(made.limited_by, "DRAM->WBUF");
  // 33 words in beats of 16 after a latency of 40, two trips off the chip, one pass through 64 + 64.
  EXPECT_EQ(made.fixed, (40U + 2 + 2) + 2 * 42 + 130);
  EXPECT_EQ(made.cycles, made.busiest + made.fixed);
}

TEST(Bound, SumsOfAStemLeaveSlowerThanTheyAreMade) {
  const Bound made = bound("MobileNetV3/CONV1", "dnnweaver", 100);
  EXPECT_EQ(made.busiest, 112U * 112 * 16 * 4 / 64);
  EXPECT_EQ(made.limited_by, "OBUF->DRAM");
}

TEST(Bound, ProductsOfLargeMatrices) {
  const Bound made = bound("BERT-LG/GEMM1", "genesys:16x16", 100);
  EXPECT_EQ(made.busiest, 384U * 1024 * 4096 / 256);
  EXPECT_EQ(made.limited_by, "compute");
}

TEST(Bound, WithoutAnEdgeOfTheirOwnSumsTakeLanesAndAVectorMemory) {
  const Result<acg::Machine> whole = acg::load_machine("genesys:07", {});
  ASSERT_TRUE(whole);
  const Bound made = bound_of(*benchmark_layer("BERT-LG/ATN2-GEMM"), test::without_edge(*whole, "OBUF", "DRAM"), 100);
  EXPECT_EQ(made.busiest, 16U * 384 * 384 * 4 / 32);
  EXPECT_EQ(made.limited_by, "VMEM1->DRAM");
}

/// The machine with edges of its off-chip memory on one bus.
acg::Machine sharing(const std::string& machine, const std::vector<std::pair<std::string, std::string>>& edges) {
  Result<acg::Machine> loaded = acg::load_machine(machine, {});
  check(static_cast<bool>(loaded), "a machine of ours loads");
  for (const auto& [from, to] : edges) {
    const auto memory = [&](const std::string& name) { return acg::find_memory(*loaded, name).value(); };
    const auto edge = acg::edge_between(*loaded, memory(from), memory(to));
    loaded->edges.at(edge.value()).bus = "memory";
  }
  return *loaded;
}

TEST(Bound, EdgesOfABusMoveOneAfterTheOther) {
  const acg::Machine all = sharing("dnnweaver", {{"DRAM", "IBUF"}, {"DRAM", "WBUF"}, {"OBUF", "DRAM"}});
  const Bound made = bound_of(*benchmark_layer("DLRM/FC3"), all, 33);
  EXPECT_EQ(made.busiest, 512U * 256 / 64 + 512 / 64 + 256 * 4 / 64);
  EXPECT_EQ(made.limited_by, "memory");
  EXPECT_EQ(made.fixed, bound("DLRM/FC3", "dnnweaver", 33).fixed);
  const Bound dense =
      bound_of(*benchmark_layer("BERT-LG/GEMM1"), sharing("genesys:8x8", {{"DRAM", "IBUF"}, {"OBUF", "DRAM"}}), 9);
  EXPECT_EQ(dense.limited_by, "compute");  // as without the bus
  EXPECT_EQ(dense.busiest, bound("BERT-LG/GEMM1", "genesys:8x8", 9).busiest);
}

TEST(Bound, ABusWithOneBusyEdgeIsThatEdge) {
  const acg::Machine machine = sharing("dnnweaver", {{"DRAM", "WBUF"}, {"DRAM", "VMEM1"}});
  const Bound made = bound_of(*benchmark_layer("DLRM/FC3"), machine, 33);
  EXPECT_EQ(made.busiest, 512U * 256 / 64);
  EXPECT_EQ(made.limited_by, "DRAM->WBUF");
}

TEST(Bound, SumsAfterLanesLeaveWhereTheBusIsFree) {
  const acg::Machine busy = test::without_edge(
      sharing("genesys:07", {{"DRAM", "IBUF"}, {"DRAM", "WBUF"}, {"VMEM1", "DRAM"}}), "OBUF", "DRAM");
  const Bound made = bound_of(*benchmark_layer("BERT-LG/ATN2-GEMM"), busy, 100);
  EXPECT_EQ(made.busiest, 16U * 384 * 384 * 4 / 32);
  EXPECT_EQ(made.limited_by, "VMEM2->DRAM");
}

TEST(Bound, AVerySmallLayerIsAllLatency) { EXPECT_EQ(bound("DLRM/FC4", "dnnweaver", 30).limited_by, "fixed"); }

}  // namespace
}  // namespace covenant::compiler
