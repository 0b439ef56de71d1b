#include "acg/graph/graph.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

/// Section 2.1.1 of the Covenant paper: 32 bits x 7 banks = 224 bit entries, 1024 of them.
TEST(Graph, GlobalScratchpadOfThePaper) {
  const Machine machine =
      testing::parsed("acg paper { memory GlobalScratchpad { data_width = 32; banks = 7; depth = 1024; } }");
  const Memory& memory = machine.memories.at(0);
  EXPECT_EQ(memory.element_bits(), 224U);
  EXPECT_EQ(memory.buffer_bits(), 229'376U);
  EXPECT_EQ(memory.buffer_bytes(), 28'672U);
  EXPECT_EQ(memory.unit_bytes(), 28U);
}

TEST(Graph, EqualityIgnoresPlaces) {
  const Machine machine = testing::parsed(testing::kSmallMachine);
  Machine other = machine;
  for (Memory& memory : other.memories) memory.where = {"elsewhere", 1, 1};
  for (Compute& compute : other.computes) compute.where = {};
  for (Edge& edge : other.edges) edge.where = {};
  for (Mnemonic& mnemonic : other.mnemonics) mnemonic.where = {};
  EXPECT_EQ(machine, other);
}

TEST(Graph, EqualitySeesEveryPart) {
  const Machine machine = testing::parsed(testing::kSmallMachine);
  const auto differs = [&](auto change) {
    Machine other = machine;
    change(other);
    return !(other == machine);
  };
  EXPECT_TRUE(differs([](Machine& m) { m.memories[2].name = "X"; }));
  EXPECT_TRUE(differs([](Machine& m) { m.memories[2].kind = MemoryKind::kImmediate; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.memories[2].data_width; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.memories[2].banks; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.memories[2].depth; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.memories[2].buffers; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.memories[2].latency; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.memories[2].granularity; }));
  EXPECT_TRUE(differs([](Machine& m) { m.computes[0].unit = UnitKind::kDescribed; }));
  EXPECT_TRUE(differs([](Machine& m) { m.computes[0].attributes["rows"] = int64_t{5}; }));
  EXPECT_TRUE(differs([](Machine& m) { m.computes[0].capabilities[0].latency = 9; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.edges[0].bandwidth; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.edges[0].burst; }));
  EXPECT_TRUE(differs([](Machine& m) { std::swap(m.edges[0].from, m.edges[0].to); }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.mnemonics[0].opcode; }));
  EXPECT_TRUE(differs([](Machine& m) { ++m.mnemonics[0].fields[0].width; }));
  EXPECT_TRUE(differs([](Machine& m) { m.mnemonics[0].does = Operation::kEnd; }));
  EXPECT_TRUE(differs([](Machine& m) { m.clock_hertz = 1; }));
}

}  // namespace
}  // namespace covenant::acg
