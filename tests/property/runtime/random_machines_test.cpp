/// Random machines and layers: what is drawn is legal, equal draws are equal, the compiler takes most layers, and the
/// words on the SystemC model give the bytes that the scheduled codelets give in the interpreter.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/pipeline.h"
#include "compiler/srdfg/print.h"
#include "runtime/lockstep/random_layer.h"
#include "runtime/lockstep/random_machine.h"
#include "runtime/session.h"
#include "tests/support/refusals.h"

namespace covenant::runtime {
namespace {

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

const acg::Compute& first_of(const acg::Machine& machine, acg::UnitKind unit) {
  return *std::find_if(machine.computes.begin(), machine.computes.end(),
                       [&](const acg::Compute& compute) { return compute.unit == unit; });
}

int64_t count_of(const acg::Machine& machine, acg::UnitKind unit) {
  return std::count_if(machine.computes.begin(), machine.computes.end(),
                       [&](const acg::Compute& compute) { return compute.unit == unit; });
}

TEST(RandomMachines, EqualDrawsAreEqual) {
  std::set<std::string> texts;
  for (uint64_t index = 0; index < 40; ++index) {
    const RandomMachine one = random_machine(3, index);
    EXPECT_EQ(one.text, random_machine(3, index).text);
    EXPECT_TRUE(texts.insert(one.text).second);
    EXPECT_EQ(compiler::srdfg::print(random_layer(3, index, one.machine).graph),
              compiler::srdfg::print(random_layer(3, index, one.machine).graph));
  }
}

TEST(RandomMachines, SizesDiffer) {
  for (uint64_t index = 0; index < 100; ++index) {
    const acg::Machine machine = random_machine(4, index).machine;
    const acg::Compute& array = first_of(machine, acg::UnitKind::kSystolicArray);
    const int64_t rows = integer_attribute(array, "rows");
    const int64_t columns = integer_attribute(array, "columns");
    const int64_t lanes = integer_attribute(first_of(machine, acg::UnitKind::kSimdArray), "lanes");
    EXPECT_EQ(std::set({rows, columns, lanes}).size(), 3U);
    for (const int64_t size : {rows, columns, lanes}) EXPECT_TRUE(size >= 2 && size <= 24) << size;
  }
}

TEST(RandomMachines, OneOfFiveHasASecondNode) {
  int arrays = 0;
  int lanes = 0;
  for (uint64_t index = 0; index < 100; ++index) {
    const acg::Machine machine = random_machine(4, index).machine;
    arrays += count_of(machine, acg::UnitKind::kSystolicArray) > 1 ? 1 : 0;
    lanes += count_of(machine, acg::UnitKind::kSimdArray) > 1 ? 1 : 0;
  }
  EXPECT_GE(arrays, 10);
  EXPECT_GE(lanes, 10);
  EXPECT_GE(arrays + lanes, 20);
}

const std::map<std::string, uint64_t> kRefused{
    {"CDL0040", 3}, {"CDL0051", 1}, {"CDL0053", 2}};  // percent of the layers

/// COVENANT_SEED, COVENANT_MACHINES and COVENANT_LAYERS choose others.
TEST(RandomMachines, SystemCAndInterpreterAgree) {
  const uint64_t seed = number("COVENANT_SEED", 1);
  const uint64_t machines = number("COVENANT_MACHINES", 12);
  const uint64_t layers = number("COVENANT_LAYERS", 10);
  fmt::print("seed {}\n", seed);
  test::Refusals drawn;
  for (uint64_t m = 0; m < machines; ++m) {
    const acg::Machine machine = random_machine(seed, m).machine;
    for (uint64_t l = 0; l < layers; ++l) {
      SCOPED_TRACE(fmt::format("seed {} machine {} layer {}", seed, m, l));
      const RandomLayer layer = random_layer(seed, m * layers + l, machine);
      Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, "random");
      if (!program) {
        drawn.refused(program.error());
        continue;
      }
      std::vector<RunResult> results;
      for (const char* backend : {"interpret", "systemc"}) {
        const Result<Session> session = Session::open(*program, backend);
        ASSERT_TRUE(session) << render(session.error());
        Result<RunResult> result = session->run(layer.inputs, {{}, true});
        ASSERT_TRUE(result) << backend << " " << render(result.error());
        results.push_back(std::move(*result));
      }
      EXPECT_EQ(results[0].outputs, results[1].outputs) << layer.graph.name;
      drawn.compared();
    }
  }
  drawn.expect_within(kRefused);
}

}  // namespace
}  // namespace covenant::runtime
