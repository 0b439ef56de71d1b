/// Random machines and layers: what is drawn is legal, equal draws are equal, the compiler takes most layers, and the
/// words on the SystemC model give the bytes that the scheduled codelets give in the interpreter.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/driver/pipeline.h"
#include "compiler/srdfg/print.h"
#include "fuzz/random_layer.h"
#include "fuzz/random_machine.h"
#include "runtime/session/session.h"
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

/// Off-chip memories to which an edge leads, from which one does, and from which words come.
struct OffchipEnds {
  std::set<uint32_t> written, read, fetched;
};

OffchipEnds offchip_ends(const acg::Machine& machine) {
  OffchipEnds ends;
  const auto kind_of = [&](acg::NodeId node) {
    const auto* memory = std::get_if<acg::MemoryId>(&node);
    return memory == nullptr ? acg::MemoryKind::kRegisterFile : acg::get(machine, *memory).kind;
  };
  for (const acg::Edge& edge : machine.edges) {
    const bool fetches = kind_of(edge.to) == acg::MemoryKind::kInstruction;
    if (kind_of(edge.to) == acg::MemoryKind::kOffchip) ends.written.insert(std::get<acg::MemoryId>(edge.to).value);
    if (kind_of(edge.from) != acg::MemoryKind::kOffchip) continue;
    (fetches ? ends.fetched : ends.read).insert(std::get<acg::MemoryId>(edge.from).value);
  }
  return ends;
}

/// The memories of segments, by what those hold; one that lies in no memory fails the test.
std::map<acg::SegmentKind, std::set<uint32_t>> homes_of(const acg::Program& program) {
  std::map<acg::SegmentKind, std::set<uint32_t>> homes;
  for (const acg::Segment& segment : program.segments) {
    const std::vector<acg::MemoryRange> ranges = acg::memory_ranges(program);
    const auto home = std::ranges::find_if(ranges, [&](const acg::MemoryRange& range) {
      return range.first <= segment.address && segment.address + segment.size <= range.first + range.bytes;
    });
    EXPECT_NE(home, ranges.end()) << segment.name;
    if (home != ranges.end()) homes[segment.kind].insert(home->memory.value);
  }
  return homes;
}

/// Activations where they are written and read, words where they are fetched, constants where something reads.
TEST(RandomMachines, PartsOfAProgramLieWhereEdgesLead) {
  uint64_t apart = 0;
  std::set<uint32_t> sizes;
  for (uint64_t index = 0; index < 100; ++index) {
    SCOPED_TRACE(index);
    const acg::Machine machine = random_machine(4, index).machine;
    const OffchipEnds ends = offchip_ends(machine);
    for (uint64_t l = 0; l < 2; ++l) {
      const RandomLayer layer = random_layer(4, 2 * index + l, machine);
      const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, "random");
      if (!program) continue;
      std::map<acg::SegmentKind, std::set<uint32_t>> homes = homes_of(*program);
      EXPECT_EQ(homes[acg::SegmentKind::kInstructions], ends.fetched);
      for (const auto kind : {acg::SegmentKind::kInput, acg::SegmentKind::kOutput, acg::SegmentKind::kIntermediate}) {
        EXPECT_TRUE(std::ranges::includes(ends.written, homes[kind]));
        EXPECT_TRUE(std::ranges::includes(ends.read, homes[kind]));
      }
      EXPECT_TRUE(std::ranges::includes(ends.read, homes[acg::SegmentKind::kConstant]));
      if (!program->ranges.empty()) ++apart;
      sizes.insert(static_cast<uint32_t>(acg::memory_ranges(*program).size()));
    }
  }
  EXPECT_GE(apart, 25U);
  EXPECT_EQ(sizes, (std::set<uint32_t>{1, 2, 3}));
}

const std::map<std::string, uint64_t> kRefused{
    {"CDL0040", 3}, {"CDL0051", 1}, {"CDL0052", 1}, {"CDL0053", 2},
    {"CDL0054", 1}, {"CDL0060", 1}, {"GEN0005", 3}};  // percent of the layers

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
