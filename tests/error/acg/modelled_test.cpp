// What can be described but would be ignored by compiler and model: ACG0051.
#include "acg/graph/modelled.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::parsed;
using testing::with;

void expect_unmodelled(const std::string& text, uint32_t line, uint32_t column, const std::string& offending,
                       const std::string& attribute) {
  const Status status = check_modelled(parsed(text));
  ASSERT_FALSE(status) << text;
  EXPECT_EQ(status.error().code, "ACG0051");
  EXPECT_EQ(status.error().where, (SourceLocation{"small.acg", line, column}));
  EXPECT_EQ(status.error().offending, offending);
  EXPECT_EQ(status.error().fix, "leave out " + attribute + " to run programs on this machine");
}

TEST(ModelledErrors, AttributesThatNothingHonours) {
  expect_unmodelled(with("IN { banks = M;", "IN { accesses = 2; banks = M;"), 8, 10, "2", "accesses");
  expect_unmodelled(with("columns = N;", "columns = N; trigger = dataflow;"), 12, 11, "dataflow", "trigger");
  expect_unmodelled(with("{ latency = 2; }", "{ occupancy = 3; }"), 17, 11, "3", "occupancy");
  expect_unmodelled(with("DRAM -> IN { ", "DRAM -> IN { latency = 4; "), 24, 8, "4", "latency");
  expect_unmodelled(with("edge IN -> SA;", "edge IN -> SA { bus = axi; }"), 28, 8, "axi",
                    "bus of an edge without transfers");
}

TEST(ModelledErrors, PartsOfBytes) {
  const Machine machine = testing::genesys("01");
  EXPECT_TRUE(check_modelled(machine)) << "the compiler first names the layer that the array cannot do";
  const Status status = check_whole_bytes(machine);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "ACG0051");
  EXPECT_EQ(status.error().subject, "memory IBUF");
  EXPECT_EQ(status.error().where, (get(machine, find_memory(machine, "IBUF").value()).where));
  EXPECT_EQ(status.error().offending, "data_width = 4");
  EXPECT_EQ(status.error().fix, "set data_width to 8 to run programs on this machine");
  EXPECT_TRUE(check_whole_bytes(testing::genesys("03")));
}

TEST(ModelledErrors, ShortWords) {
  Machine machine = parsed(testing::kSmallMachine);
  machine.word_bits = 24;
  const Status status = check_modelled(machine);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "ACG0051");
  EXPECT_EQ(status.error().where, (SourceLocation{"small.acg", 30, 12}));
  EXPECT_EQ(status.error().offending, "word = 24");
  EXPECT_EQ(status.error().fix, "set word to 32 to run programs on this machine");
}

TEST(ModelledErrors, EnergiesAndPortsChangeNoCycle) {
  EXPECT_TRUE(check_modelled(parsed(with("DRAM -> IN { ", "DRAM -> IN { energy = 1.5; "))));
  EXPECT_TRUE(check_modelled(parsed(with("unit = simd_array;", "unit = simd_array; port a in;"))));
  EXPECT_TRUE(check_modelled(testing::genesys()));
}

TEST(ModelledErrors, TransfersMayShareBuses) {
  EXPECT_TRUE(check_modelled(parsed(with("DRAM -> IN { ", "DRAM -> IN { bus = axi; "))));
  // Instructions come by an edge of their own.
  expect_unmodelled(with("DRAM -> IMEM { ", "DRAM -> IMEM { bus = axi; "), 23, 8, "axi",
                    "bus of an edge without transfers");
}

}  // namespace
}  // namespace covenant::acg
