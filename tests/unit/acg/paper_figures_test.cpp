// Statements of the Covenant paper about its figures, checked on the machines drawn there (bandwidths and sizes that a
// figure does not give are our own).
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/print.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::parsed;

std::vector<std::string> path_names(const Machine& machine, const std::string& from, const std::string& to) {
  const NodeId start = find_memory(machine, from).value();
  NodeId goal = start;
  if (const auto memory = find_memory(machine, to)) goal = *memory;
  if (const auto compute = find_compute(machine, to)) goal = *compute;
  std::vector<std::string> names;
  for (NodeId node : shortest_path(machine, start, goal)) names.push_back(name_of(machine, node));
  return names;
}

using Names = std::vector<std::string>;

// Figures 2 to 5: a 2x2 matrix unit that starts when its operands arrive, a vector unit of two lanes, a scalar unit.
constexpr std::string_view kFigure2 = R"(acg paper_fig2 {
  memory DRAM { kind = offchip; depth = 1G; latency = 40; }
  memory GlobalScratchpad { data_width = 32; banks = 7; depth = 1024; }
  compute MatrixUnit { unit = described; trigger = dataflow; (i16,2) = MVMUL((i16,2),(i16,2,2)); }
  compute VectorUnit { unit = described; (i16,2) = ADD((i16,2),(i16,2)); (i16,2) = SUB((i16,2),(i16,2)); }
  compute ScalarUnit { unit = described; (i16,1) = ADD((i16,1),(i16,1)); }
  edge DRAM <-> GlobalScratchpad { bandwidth = 64; }
  edge GlobalScratchpad -> MatrixUnit { bandwidth = 96; }
  edge MatrixUnit -> GlobalScratchpad { bandwidth = 32; }
  edge GlobalScratchpad <-> VectorUnit { bandwidth = 64; }
  edge GlobalScratchpad <-> ScalarUnit { bandwidth = 32; }
})";

TEST(PaperFigures, Figure2) {
  const Machine machine = parsed(kFigure2);
  const Memory& scratchpad = get(machine, find_memory(machine, "GlobalScratchpad").value());
  EXPECT_EQ(capacity_bytes(scratchpad), 28'672U);
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
  EXPECT_EQ(path_names(machine, "DRAM", "MatrixUnit"), (Names{"DRAM", "GlobalScratchpad", "MatrixUnit"}));
  EXPECT_EQ(machine.computes[0].trigger, Trigger::kDataflow);
  const auto adders = find_capability(machine, "ADD", DType::kI16, {DType::kI16, DType::kI16});
  ASSERT_EQ(adders.size(), 2U);
  EXPECT_EQ(get(machine, adders[0].compute).name, "VectorUnit") << "the largest granularity first";
}

// Figure 8: MEM1 outside, MEM2 in between, two processing engines of one and of two additions.
constexpr std::string_view kFigure8 = R"(acg paper_fig8 {
  memory MEM1 { kind = offchip; depth = 4K; }
  memory MEM2 { data_width = 16; banks = 3; depth = 64; }
  compute PE1 { unit = described; (i16,1) = ADD((i16,1),(i16,1)); }
  compute PE2 { unit = described; (i16,2) = ADD((i16,2),(i16,2)); }
  edge MEM1 <-> MEM2 { bandwidth = 96; }
  edge MEM2 <-> PE1 { bandwidth = 16; }
  edge MEM2 <-> PE2 { bandwidth = 32; latency = 1; }
})";

TEST(PaperFigures, Figure8) {
  const Machine machine = parsed(kFigure8);
  const CapabilityOperand halves{DType::kI16, {}, {}};
  const auto adders = find_capability(machine, "ADD", halves, {halves, halves}, UINT64_MAX);
  ASSERT_EQ(adders.size(), 2U);
  EXPECT_EQ(get(machine, adders[0].compute).name, "PE2") << "it does two additions at a time";
  EXPECT_EQ(path_names(machine, "MEM1", "PE2"), (Names{"MEM1", "MEM2", "PE2"}));
  const auto narrow = find_capability(machine, "ADD", halves, {halves, halves}, 1);
  ASSERT_EQ(narrow.size(), 1U) << "granularity bounds the choice";
  EXPECT_EQ(get(machine, narrow[0].compute).name, "PE1");
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "MEM1");
}

// Figure 10, left: DNNWeaver.
TEST(PaperFigures, Figure10) {
  const Machine machine = testing::genesys();
  EXPECT_EQ(path_names(machine, "DRAM", "SA"), (Names{"DRAM", "IBUF", "SA"}));
  EXPECT_EQ(path_names(machine, "DRAM", "SIMD"), (Names{"DRAM", "VMEM1", "SIMD"}));
  EXPECT_EQ(path_names(machine, "OBUF", "DRAM"), (Names{"OBUF", "DRAM"}));
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
}

TEST(Hierarchy, ParentsAndChildren) {
  const Machine machine = parsed(R"(acg nested {
    memory SPAD { data_width = 32; depth = 64; port all out; }
    compute CORE {
      unit = described; port data in;
      memory REG { kind = register_file; data_width = 32; depth = 8; }
      for i in 0..1 { compute LANE$i { unit = described; (i32,1) = ADD((i32,1),(i32,1)); } edge REG <-> LANE$i; }
      edge SPAD.all -> REG; edge SPAD -> data;
    }
    compute CORE.EXTRA { unit = described; }
  })");
  const NodeId core = find_compute(machine, "CORE").value();
  Names inner;
  for (NodeId node : children(machine, core)) inner.push_back(name_of(machine, node));
  EXPECT_EQ(inner, (Names{"CORE.REG", "CORE.LANE0", "CORE.LANE1", "CORE.EXTRA"}));
  for (NodeId node : children(machine, core)) EXPECT_EQ(parent(machine, node), std::optional<NodeId>(core));
  EXPECT_EQ(parent(machine, core), std::nullopt);
  EXPECT_EQ(path_names(machine, "SPAD", "CORE.LANE1"), (Names{"SPAD", "CORE.REG", "CORE.LANE1"}));
  const NodeId spad = find_memory(machine, "SPAD").value();
  const Edge& to_core = machine.edges.at(edge_between(machine, spad, core).value());
  EXPECT_EQ(to_core.to_port, "data") << "within a node its ports go by their bare names";
  EXPECT_EQ(machine.edges.at(edge_between(machine, spad, find_memory(machine, "CORE.REG").value()).value()).from_port,
            "all");
  EXPECT_EQ(parsed(print(machine)), machine);
}

TEST(Hierarchy, BusesAreShared) {
  const Machine machine = parsed(R"(acg bus {
    memory DRAM { kind = offchip; depth = 1M; }
    memory A { depth = 64; } memory B { depth = 64; } memory C { depth = 64; }
    edge DRAM -> A { bandwidth = 64; bus = axi; }
    edge DRAM -> B { bandwidth = 64; }
    edge DRAM -> C { bandwidth = 64; bus = axi; }
  })");
  EXPECT_EQ(sharing_bus(machine, 0), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(sharing_bus(machine, 1), std::vector<uint32_t>{1});
}

}  // namespace
}  // namespace covenant::acg
