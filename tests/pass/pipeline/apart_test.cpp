/// Machines whose off-chip memories hold different things: the places of a program's parts, and that it computes the
/// same.
#include "tests/support/acg/apart.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "acg/lang/load.h"
#include "acg/program/program_file.h"
#include "compiler/driver/pipeline.h"
#include "runtime/session/session.h"
#include "tests/support/folders.h"

namespace covenant {
namespace {

using test::moved_from_dram;

acg::Machine genesys() { return *acg::load_machine("genesys", {{"M", "4"}, {"N", "3"}}); }

acg::Program digits_on(const acg::Machine& machine) {
  Result<acg::Program> program = compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine);
  if (!program) throw std::runtime_error(render(program.error()));
  return std::move(*program);
}

/// The memory around a segment; "" if it lies in none, or in two.
std::string memory_of(const acg::Program& program, const acg::Segment& segment) {
  std::string found;
  for (const acg::MemoryRange& range : acg::memory_ranges(program)) {
    const bool begins_before = range.first <= segment.address;
    if (!begins_before || segment.address + segment.size > range.first + range.bytes) continue;
    if (!found.empty()) return "";
    found = acg::get(program.machine, range.memory).name;
  }
  return found;
}

/// The memory of each part of the program: constants by surrogate, all others by kind.
std::map<std::string, std::string> places(const acg::Program& program) {
  std::map<std::string, std::string> result;
  for (const acg::Segment& segment : program.segments) {
    std::string what = "activations";
    if (segment.kind == acg::SegmentKind::kInstructions) what = "words";
    if (segment.kind == acg::SegmentKind::kConstant) what = segment.name.substr(segment.name.rfind('/') + 1);
    const auto [known, is_new] = result.emplace(what, memory_of(program, segment));
    if (known->second != memory_of(program, segment)) known->second = "several";
  }
  return result;
}

std::vector<std::vector<uint8_t>> outputs_of(const acg::Program& program, const std::string& backend) {
  const runtime::Session session = *runtime::Session::open(program, backend);
  const acg::TensorBinding& binding = program.inputs.at(0);
  std::vector<uint8_t> pixels(64 * 4);
  for (size_t i = 0; i < pixels.size(); i += 4) {
    pixels[i + 2] = static_cast<uint8_t>(i * 37 % 128);  // floats below 1
    pixels[i + 3] = 0x3E;
  }
  const Result<runtime::RunResult> result = session.run({{binding.name, DType::kF32, binding.shape, pixels}});
  if (!result) throw std::runtime_error(render(result.error()));
  std::vector<std::vector<uint8_t>> bytes;
  for (const runtime::Tensor& output : result->outputs) bytes.push_back(output.bytes);
  return bytes;
}

void expect_same_outputs(const acg::Program& program) {
  const acg::Program plain = digits_on(genesys());
  for (const std::string backend : {"systemc", "interpret"}) {
    EXPECT_EQ(outputs_of(program, backend), outputs_of(plain, backend)) << backend;
  }
}

TEST(MemoriesApart, OneMemoryHasNoRanges) {
  const acg::Program program = digits_on(genesys());
  EXPECT_TRUE(program.ranges.empty());
  EXPECT_EQ(acg::memory_ranges(program).size(), 1U);
  EXPECT_EQ(acg::entry_address(program), program.entry);
}

TEST(MemoriesApart, WeightsLieWhereTheArrayReadsThem) {
  const acg::Program program = digits_on(moved_from_dram(genesys(), "FLASH", {"WBUF", "BBUF"}));
  std::map<std::string, std::string> found = places(program);
  EXPECT_EQ(found["w"], "FLASH");
  EXPECT_EQ(found["b"], "FLASH");
  EXPECT_EQ(found["activations"], "DRAM");
  EXPECT_EQ(found["words"], "DRAM");
  for (const auto& [what, memory] : found) {
    if (what == "w" || what == "b") continue;
    EXPECT_EQ(memory, "DRAM") << what << ": there is a way from the activations' memory";
  }
  expect_same_outputs(program);
}

TEST(MemoriesApart, BiasesAloneLieApart) {
  const acg::Program program = digits_on(moved_from_dram(genesys(), "FLASH", {"BBUF"}));
  std::map<std::string, std::string> found = places(program);
  EXPECT_EQ(found["w"], "DRAM");
  EXPECT_EQ(found["b"], "FLASH");
  expect_same_outputs(program);
}

TEST(MemoriesApart, WordsLieWhereTheyAreFetched) {
  const acg::Program program = digits_on(moved_from_dram(genesys(), "ROM", {"IMEM"}));
  std::map<std::string, std::string> found = places(program);
  EXPECT_EQ(found["words"], "ROM");
  EXPECT_EQ(found["w"], "DRAM");
  EXPECT_EQ(acg::entry_address(program), 0U);
  EXPECT_GT(program.entry, 0U);
  expect_same_outputs(program);
}

/// The memory declared first keeps weights and words; tensors of the model do not begin the image.
TEST(MemoriesApart, ActivationsLieWhereTheyGoRound) {
  const acg::Program program = digits_on(moved_from_dram(genesys(), "HBM", {"IBUF", "VMEM1", "VMEM2", "OBUF"}));
  std::map<std::string, std::string> found = places(program);
  EXPECT_EQ(found["activations"], "HBM");
  EXPECT_EQ(found["w"], "DRAM");
  EXPECT_EQ(found["words"], "DRAM");
  EXPECT_GE(program.inputs.at(0).address, program.ranges.at(0).bytes);
  expect_same_outputs(program);
}

TEST(MemoriesApart, ThreeMemoriesAndBack) {
  const acg::Machine machine =
      moved_from_dram(moved_from_dram(genesys(), "FLASH", {"WBUF", "BBUF"}), "ROM", {"IMEM"}, 61);
  const acg::Program program = digits_on(machine);
  ASSERT_EQ(program.ranges.size(), 3U);
  expect_same_outputs(program);
  const Result<acg::Program> read = acg::read_program(acg::write_program(program), "p.cprog");
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, program);
}

/// The lanes have a second way out, to a memory from which nothing but the lanes reads.
TEST(MemoriesApart, AMemoryOfTheLanesHoldsNoActivations) {
  const acg::Program program = digits_on(moved_from_dram(genesys(), "SIDE", {"VMEM2"}));
  for (const auto& [what, memory] : places(program)) EXPECT_EQ(memory, "DRAM") << what;
  EXPECT_EQ(program.ranges.at(1).bytes, 0U);
  expect_same_outputs(program);
}

/// Slower words cost cycles, and nothing else.
TEST(MemoriesApart, EachMemoryHasItsLatency) {
  const auto cycles = [](uint32_t latency) {
    const acg::Program program = digits_on(moved_from_dram(genesys(), "ROM", {"IMEM"}, latency));
    const runtime::Session session = *runtime::Session::open(program, "systemc");
    const acg::TensorBinding& binding = program.inputs.at(0);
    return session.run({{binding.name, DType::kF32, binding.shape, std::vector<uint8_t>(64 * 4)}})->cost.cycles;
  };
  EXPECT_GE(cycles(500), cycles(10) + 490);
}

}  // namespace
}  // namespace covenant
