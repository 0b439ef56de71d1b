/// Loops of commands: which become one, which levels they take, what is set before them.
#include "compiler/families/stream/nest.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "compiler/families/stream/address_generator.h"
#include "compiler/families/stream/encode.h"
#include "compiler/families/stream/operand_values.h"
#include "compiler/families/stream/sequencer.h"

namespace covenant::compiler::stream {
namespace {

using acg::Instruction;
using acg::Operation;
using Nest = std::vector<NestLoop>;

constexpr int64_t kMost = 65536;

TEST(Collapse, LoopsThatGoOnForEveryOperandBecomeOne) {
  EXPECT_EQ(collapse({{3, false, {40, 8}}, {4, false, {10, 2}}}, kMost), (Nest{{12, false, {10, 2}}}));
  EXPECT_EQ(collapse({{3, true, {40}}, {1, false, {7}}, {4, true, {10}}}, kMost), (Nest{{12, true, {10}}}));
}

TEST(Collapse, OneOperandThatDoesNotGoOnKeepsThemApart) {
  for (size_t operand = 0; operand < 3; ++operand) {
    Nest nest{{3, false, {40, 8, 0}}, {4, false, {10, 2, 0}}};
    ++nest[0].strides[operand];
    EXPECT_EQ(collapse(nest, kMost), nest) << operand;
  }
}

TEST(Collapse, ReductionsStayApart) {
  for (const bool outer : {false, true}) {
    const Nest nest{{3, outer, {4}}, {4, !outer, {1}}};
    EXPECT_EQ(collapse(nest, kMost), nest);
  }
}

TEST(Collapse, AsLongAsAFieldCounts) {
  EXPECT_EQ(collapse({{3, false, {4}}, {4, false, {1}}}, 12), (Nest{{12, false, {1}}}));
  const Nest nest{{3, false, {4}}, {4, false, {1}}};
  EXPECT_EQ(collapse(nest, 11), nest);
}

OpenLoop open(const std::string& variable, uint64_t trips, uint32_t level) { return {{variable, 0, 1, trips}, level}; }

TEST(OpenLoops, ThoseOfOneIterationHaveNoLevel) {
  EXPECT_EQ(next_level({}), 0U);
  EXPECT_EQ(next_level({open("a", 1, 0), open("b", 2, 0), open("c", 1, 0), open("d", 5, 1)}), 2U);
}

TEST(OpenLoops, SumsGoOnOverThoseThatDoNotIndexThem) {
  const std::vector<OpenLoop> loops{open("a", 2, 0), open("b", 3, 1), open("c", 1, 0), open("d", 4, 2)};
  const codelet::Reference sum{"y", {codelet::Expression::variable("b")}};
  EXPECT_EQ(resumed_over(loops, 0, sum), (std::set<uint32_t>{0, 2}));
  EXPECT_EQ(resumed_over(loops, 1, sum), (std::set<uint32_t>{2}));
  EXPECT_EQ(resumed_over(loops, 4, sum), (std::set<uint32_t>{}));
}

// ---- Walks

/// A transfer whose nest has `outside` loops more than the unit has levels for, below `around` open loops.
Result<std::vector<Step>> walked(size_t outside, uint32_t around, bool has_rows = false) {
  WalkedCommand command;
  command.command.word = instruction(Operation::kLoad, {{"run_last", 3}});
  std::vector<OpenLoop> loops;
  for (uint32_t level = 0; level < around; ++level) loops.push_back(open("v" + std::to_string(level), 2, level));
  command.walks.push_back({acg::AddressOperand::kOffchip, 0, {0, std::vector<int64_t>(around, 1)}});
  if (has_rows) command.walks.push_back({acg::AddressOperand::kRow, 0, {0, std::vector<int64_t>(around, 1)}});
  const std::vector<int64_t> strides{5, 7};
  for (size_t i = 0; i < outside + acg::kTransferLoops; ++i) {
    command.nest.push_back({2, false, {strides.begin(), strides.begin() + (has_rows ? 2 : 1)}});
  }
  return walk(command, loops, acg::kFirstTransferLoop, acg::kTransferLoops, kMost);
}

TEST(Walk, TakesAsManyLoopsAsThereAreLevels) {
  EXPECT_TRUE(walked(0, acg::kTileLoops));
  EXPECT_TRUE(walked(2, acg::kTileLoops - 2));
  for (const uint32_t outside : {1U, 2U, 3U}) {
    const auto steps = walked(outside, acg::kTileLoops - outside + 1);
    ASSERT_FALSE(steps) << outside;
    EXPECT_EQ(steps.error().code, "GEN0004");
    EXPECT_EQ(steps.error().offending, std::to_string(acg::kTileLoops + 1));
  }
}

TEST(Walk, LoopsPastTheLevelsStandAroundTheCommandAndMoveEveryOperand) {
  const auto steps = walked(1, 1, true);
  ASSERT_TRUE(steps) << render(steps.error());
  ASSERT_EQ(steps->size(), 1U);
  const auto* loop = std::get_if<StepLoop>(&steps->front().step);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->level, 1U);
  EXPECT_EQ(loop->trips, 2U);
  const Settings& needs = std::get<Command>(loop->body.at(0).step).needs;
  const auto stride = [&](acg::AddressOperand operand, uint32_t level) -> int64_t {
    const auto found = needs.find({Operation::kStride, static_cast<int32_t>(operand), static_cast<int32_t>(level)});
    return found == needs.end() ? -1 : found->second[0];
  };
  EXPECT_EQ(stride(acg::AddressOperand::kOffchip, 0), 1);
  EXPECT_EQ(stride(acg::AddressOperand::kOffchip, 1), 5);
  EXPECT_EQ(stride(acg::AddressOperand::kRow, 1), 7) << "rows depend on tile loops";
  EXPECT_EQ(stride(acg::AddressOperand::kOffchip, acg::kFirstTransferLoop), 5);
  EXPECT_EQ(stride(acg::AddressOperand::kRow, acg::kFirstTransferLoop), -1) << "and on no others";
}

// ---- Sequences

Step pass(int32_t limit, const std::set<uint32_t>& reductions = {}) {
  Command command;
  command.word = instruction(Operation::kGemm, {});
  SettingValue value{};
  value[0] = limit;
  command.needs[{Operation::kLimit, 0, 0}] = value;
  command.reductions = reductions;
  return {command};
}

std::vector<int32_t> limits(const std::vector<Instruction>& words) {
  std::vector<int32_t> found;
  for (const Instruction& word : words) {
    if (word.operation == Operation::kLimit)
      found.push_back(word.operands[acg::operand_index(word.operation, "value")]);
  }
  return found;
}

TEST(Sequence, WhatAnIterationChangesIsSetInEach) {
  const auto words = sequence({pass(7), {StepLoop{0, 3, {pass(7), pass(9)}}}, pass(9)}, {});
  ASSERT_TRUE(words) << render(words.error());
  EXPECT_EQ(limits(*words), (std::vector<int32_t>{7, 7, 9}));
}

TEST(Sequence, WhatALoopAgreesOnIsSetOnceBeforeIt) {
  const auto words = sequence({{StepLoop{0, 3, {pass(7), pass(7)}}}, pass(7)}, {});
  ASSERT_TRUE(words) << render(words.error());
  EXPECT_EQ(limits(*words), (std::vector<int32_t>{7}));
  EXPECT_EQ(words->front().operation, Operation::kLimit);
}

TEST(Sequence, LoopsOfSumsAreMarked) {
  const auto mark = [](const std::vector<Step>& body) {
    const auto words = sequence({{StepLoop{0, 3, body}}}, {});
    if (!words) return words.error().code;
    for (const Instruction& word : *words) {
      if (word.operation != Operation::kLoop) continue;
      return std::to_string(word.operands[acg::operand_index(Operation::kLoop, "reduction")]);
    }
    return std::string("no loop");
  };
  EXPECT_EQ(mark({pass(7)}), "0");
  EXPECT_EQ(mark({pass(7, {1})}), "0");
  EXPECT_EQ(mark({pass(7, {0}), pass(7, {0, 1})}), "1");
  EXPECT_EQ(mark({pass(7, {0}), pass(7)}), "GEN0006");
}

TEST(Group, HasAsManyWordsAsItsMemory) {
  acg::Machine machine = *acg::load_machine("genesys", {});
  for (acg::Memory& memory : machine.memories) {
    if (memory.kind == acg::MemoryKind::kInstruction) memory.depth = 20;
  }
  const acg::Codec codec(machine);
  const auto code_of = [&](size_t words) {
    BlockCode code(acg::engines(machine).size());
    code[0].assign(words, instruction(Operation::kGemm, {}));
    const auto made = encode_block(code, machine, codec, true, "layer");
    return made ? std::string() : made.error().code;
  };
  EXPECT_EQ(code_of(20), "");
  EXPECT_EQ(code_of(21), "GEN0012");
}

}  // namespace
}  // namespace covenant::compiler::stream
