#include "acg/graph/queries.h"

#include <gtest/gtest.h>

#include "acg/base/check.h"
#include "acg/graph/ways.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::genesys;
using testing::kSmallMachine;
using testing::parsed;

std::vector<std::string> path_names(const Machine& machine, const char* from, NodeId to) {
  std::vector<std::string> names;
  for (NodeId node : shortest_path(machine, find_memory(machine, from).value(), to))
    names.push_back(name_of(machine, node));
  return names;
}

TEST(Queries, EnginesInFixedOrder) {
  const Machine machine = parsed(kSmallMachine);
  std::vector<std::string> names;
  for (const Engine& engine : engines(machine)) names.push_back(engine.name + " " + std::string(name_of(engine.unit)));
  EXPECT_EQ(names, (std::vector<std::string>{"SA systolic_array", "SIMD simd_array", "DRAM->IN dma", "DRAM->W dma",
                                             "DRAM->B dma", "DRAM->OUT dma", "OUT->DRAM dma"}));
  EXPECT_EQ(find_engine(engines(machine), "OUT->DRAM"), std::optional<uint32_t>(6));
  EXPECT_EQ(find_engine(engines(machine), "DRAM->IMEM"), std::nullopt) << "the fetch unit is no engine";
  EXPECT_EQ(beat_bytes(machine, engines(machine)[4]), 4U);
  EXPECT_THROW((void)beat_bytes(machine, engines(machine)[0]), InternalError);
}

TEST(Queries, OutermostMemoryIsOffchip) {
  for (const Machine& machine : {genesys(), parsed(kSmallMachine)}) {
    EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
  }
}

/// The machine of Figure 2 of the paper, from DRAM by way of one scratchpad to three units; here two.
/// A spare scratchpad is as far from the compute nodes as the off-chip memory beside it, and is not taken for it.
TEST(Queries, OutermostMemoryIsTheOffchipOneWhereThereIsOne) {
  const Machine machine = testing::parsed(R"(acg spare {
    memory SPARE { data_width = 32; depth = 64; }
    memory DRAM { kind = offchip; depth = 1M; }
    memory PAD { data_width = 32; depth = 64; }
    compute UNIT { unit = described; trigger = dataflow; (i32,1) = ADD((i32,1),(i32,1)); }
    edge SPARE <-> DRAM { bandwidth = 32; }
    edge DRAM <-> PAD { bandwidth = 32; }
    edge PAD <-> UNIT;
  })");
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
}

TEST(Queries, OutermostMemoryOfThePaper) {
  const Machine machine = parsed(R"(acg paper {
    memory GlobalScratchpad { data_width = 32; banks = 2; depth = 1024; }
    memory DRAM { kind = offchip; depth = 1M; }
    compute Vector { unit = simd_array; lanes = 2; (i16,2) = ADD((i16,2),(i16,2)); (i32,2) = ADD((i32,2),(i32,2)); }
    compute Scalar { unit = described; trigger = dataflow; (i32,1) = ADD((i32,1),(i32,1)); }
    edge DRAM <-> GlobalScratchpad { bandwidth = 32; }
    edge GlobalScratchpad <-> Vector; edge GlobalScratchpad <-> Scalar;
  })");
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
  EXPECT_EQ(path_names(machine, "DRAM", find_compute(machine, "Scalar").value()),
            (std::vector<std::string>{"DRAM", "GlobalScratchpad", "Scalar"}));
}

TEST(Queries, ShortestPaths) {
  const Machine machine = genesys();
  const NodeId array = find_compute(machine, "SA").value();
  EXPECT_EQ(path_names(machine, "DRAM", array), (std::vector<std::string>{"DRAM", "IBUF", "SA"}))
      << "of equal paths the one by the memory declared first";
  EXPECT_EQ(path_names(machine, "VMEM1", array), (std::vector<std::string>{"VMEM1", "DRAM", "IBUF", "SA"}));
  EXPECT_EQ(path_names(machine, "OBUF", array), (std::vector<std::string>{"OBUF", "DRAM", "IBUF", "SA"}));
  EXPECT_TRUE(path_names(machine, "IMEM", array).empty());
  EXPECT_EQ(path_names(machine, "DRAM", find_memory(machine, "DRAM").value()), std::vector<std::string>{"DRAM"});
}

TEST(Queries, WaysLeadThroughNoOffchipMemory) {
  const Machine machine = genesys();
  const auto memory = [&](const char* name) { return NodeId{find_memory(machine, name).value()}; };
  EXPECT_TRUE(shortest_way(machine, memory("VMEM1"), memory("IBUF")).empty());
  EXPECT_EQ(shortest_way(machine, memory("DRAM"), memory("IBUF")).size(), 2U);
  EXPECT_EQ(shortest_way(machine, memory("VMEM1"), memory("DRAM")).size(), 2U);
}

/// A machine whose off-chip memories are `memories`, with the edges between them and a PAD around a unit.
Machine around_pad(const std::string& memories, const std::string& edges) {
  std::string text = "acg around {\n  memory PAD { data_width = 32; depth = 64; }\n" + memories;
  text +=
      "  compute UNIT { unit = described; trigger = dataflow; (i32,1) = ADD((i32,1),(i32,1)); }\n  edge PAD <-> "
      "UNIT;\n";
  return parsed(text + edges + "}\n");
}

TEST(Queries, ActivationsLieWhereTheyGoRound) {
  const std::string both =
      "  memory ROM { kind = offchip; depth = 1M; }\n  memory DRAM { kind = offchip; depth = 1M; }\n";
  const auto edge = [](const std::string& ends) { return "  edge " + ends + " { bandwidth = 32; }\n"; };
  const Machine apart = around_pad(both, edge("ROM -> PAD") + edge("DRAM <-> PAD"));
  EXPECT_EQ(get(apart, outermost_memory(apart)).name, "DRAM") << "nothing is written to ROM";
  const Machine sink = around_pad(both, edge("ROM <-> PAD") + edge("PAD -> DRAM"));
  EXPECT_EQ(get(sink, outermost_memory(sink)).name, "ROM") << "nothing is read from DRAM";
  const Machine equal = around_pad(both, edge("DRAM <-> PAD") + edge("ROM <-> PAD"));
  EXPECT_EQ(get(equal, outermost_memory(equal)).name, "ROM") << "the one declared first";
  std::vector<std::string> names;
  for (const MemoryId memory : constant_memories(apart)) names.push_back(get(apart, memory).name);
  EXPECT_EQ(names, (std::vector<std::string>{"DRAM", "ROM"}));
}

/// Data that an array reads as weights is no activation, even if its results are written beside them.
TEST(Queries, ActivationsEnterByTheFirstRole) {
  std::string text(kSmallMachine);
  text.insert(text.find("  memory DRAM"), "  memory HBM { kind = offchip; depth = 1M; }\n");
  text.insert(text.find("  edge DRAM -> W "),
              "  edge HBM -> W { bandwidth = 64; }\n  edge OUT -> HBM { bandwidth = 64; }\n");
  const Machine machine = parsed(text);
  EXPECT_EQ(get(machine, outermost_memory(machine)).name, "DRAM");
  EXPECT_EQ(get(machine, instruction_source(machine)).name, "DRAM");
}

TEST(Queries, EdgeBetweenIsDirected) {
  const Machine machine = genesys();
  const NodeId dram = find_memory(machine, "DRAM").value();
  const NodeId input = find_memory(machine, "IBUF").value();
  EXPECT_TRUE(edge_between(machine, dram, input).has_value());
  EXPECT_FALSE(edge_between(machine, input, dram).has_value());
}

TEST(Queries, CapabilitiesLargestGranularityFirst) {
  const Machine machine = parsed(kSmallMachine);
  const auto found = find_capability(machine, "ADD", DType::kI32, {DType::kI32, DType::kI32});
  const ComputeId simd = find_compute(machine, "SIMD").value();
  EXPECT_EQ(found, (std::vector<CapabilityMatch>{{simd, 0}, {simd, 1}}));
  EXPECT_TRUE(find_capability(machine, "ADD", DType::kI32, {DType::kI32}).empty());
  EXPECT_TRUE(find_capability(machine, "ADD", DType::kI8, {DType::kI32, DType::kI32}).empty());
  EXPECT_TRUE(find_capability(machine, "SUB", DType::kI32, {DType::kI32, DType::kI32}).empty());
}

TEST(Queries, BrokenCallsAreInternalErrors) {
  const Machine machine = parsed(kSmallMachine);
  EXPECT_THROW((void)integer_attribute(machine.computes[0], "lanes"), InternalError);
  EXPECT_THROW((void)role(machine, machine.computes[1], "input"), InternalError);
  EXPECT_THROW((void)outermost_memory(Machine{}), InternalError);
}

}  // namespace
}  // namespace covenant::acg
