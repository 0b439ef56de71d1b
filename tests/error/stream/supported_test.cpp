/// Machines that say more than this target honours: ACG0051.
#include "compiler/target/stream/supported.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

acg::Machine machine_of(const std::string& name) {
  const Result<acg::Machine> machine = acg::load_machine(name);
  check(bool{machine}, "a builtin machine");
  return *machine;
}

TEST(Supported, NoFeatureThatChangesCycles) {
  EXPECT_TRUE(check_supported(machine_of("genesys:03")));
  acg::Machine machine = machine_of("genesys:03");
  machine.edges[0].latency = 4;
  const Status status = check_supported(machine);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "ACG0051");
  EXPECT_EQ(status.error().offending, "4");
  test::GraphMaker maker(1, DType::kU8);
  const Result<acg::Program> program =
      compile_graph(maker.finish(maker.clip(maker.input({1, 4, 2, 2}))), machine, "model");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "ACG0051");
}

TEST(Supported, PartsOfBytesAreRefusedAfterTheLayersThatFitThem) {
  const acg::Machine machine = machine_of("genesys:01");
  EXPECT_TRUE(check_supported(machine)) << "first the layer that the array cannot do is named";
  const Status status = check_whole_bytes(machine);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "ACG0051");
  EXPECT_EQ(status.error().subject, "memory IBUF");
  EXPECT_TRUE(check_whole_bytes(machine_of("genesys:03")));
}

}  // namespace
}  // namespace covenant::compiler
