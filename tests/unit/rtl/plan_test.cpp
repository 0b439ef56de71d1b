/// The plan that the generator derives from a machine before it writes any text.
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "rtl/gen/make_plan.h"

namespace covenant::rtl {
namespace {

using acg::Machine;

/// Their names share no space with those of engines and memories, whose order they do not have either.
TEST(Plan, BusesHaveTheirOwnNames) {
  Machine machine = *acg::load_machine("genesys");
  const acg::MemoryId dram = acg::find_memory(machine, "DRAM").value();
  const auto share = [&](const char* memory, const char* bus) {
    machine.edges.at(acg::edge_between(machine, dram, acg::find_memory(machine, memory).value()).value()).bus = bus;
  };
  share("IBUF", "NORTH");
  share("WBUF", "NORTH");
  share("BBUF", "IBUF");
  share("VMEM1", "IBUF");
  const Result<Plan> made = make_plan(machine);
  ASSERT_TRUE(made) << render(made.error());
  ASSERT_EQ(made->buses.size(), 2U);
  for (const BusPlan& bus : made->buses) EXPECT_EQ(bus.signal, bus.name == "NORTH" ? "bus_north" : "bus_ibuf");
}

TEST(Plan, AnInstructionMemoryHasTheWordsThatItDeclares) {
  Machine machine = *acg::load_machine("genesys");
  acg::Memory& instructions = machine.memories.at(acg::find_memory(machine, "IMEM").value().value);
  for (const uint32_t depth : {64U, 65535U, 65536U}) {
    instructions.depth = depth;
    const Result<Plan> made = make_plan(machine);
    ASSERT_TRUE(made) << render(made.error());
    EXPECT_EQ(made->instruction_depth, depth);
  }
}

}  // namespace
}  // namespace covenant::rtl
