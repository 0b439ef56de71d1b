// Pointers that move on with loops: what they hold in every trip is the address that is asked for.
#include "compiler/families/vliw/addresses.h"

#include <gtest/gtest.h>
#include <map>

#include "acg/operations/vliw_traits.h"
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

/// Executes code of transfers and additions; returns the value of a pointer wherever something is loaded through it.
class Pointers {
 public:
  void run(const std::vector<CodeStep>& steps) {
    for (const CodeStep& step : steps) {
      if (const auto* loop = std::get_if<CodeLoop>(&step)) {
        for (uint32_t trip = 0; trip < loop->trips; ++trip) run(loop->body);
        continue;
      }
      const acg::Instruction& instruction = std::get<CodeInstruction>(step).instruction;
      const auto& operands = instruction.operands;
      if (instruction.operation == operation_of(testing::kA2Tfrsi)) values_[operands[0]] = operands[1];
      if (instruction.operation == operation_of(testing::kA2Addi)) values_[operands[0]] += operands[2];
      if (has(instruction, acg::VliwTrait::kLoad)) seen.push_back(values_.at(operands[1]) + 128 * operands[2]);
    }
  }
  std::vector<int32_t> seen;

 private:
  std::map<int32_t, int32_t> values_;
};

TEST(Addresses, FollowTwoLoopsAndAnOffset) {
  Writer writer(testing::hvx());
  Addresses addresses(writer);
  const auto load = [&](const Address& address, std::vector<CodeStep>& to) {
    const Addresses::Place place = addresses.at(address, 128, 1024, &writer);
    writer.add(to, acg::VliwOperation::kVl32bAi, {writer.vector(), place.pointer, place.offset / 128});
  };
  CodeLoop outer{3, {}}, inner{4, {}};
  addresses.open(3);
  addresses.open(4);
  load({0x10000, {4096, 256}}, inner.body);
  load({0x10000 + 5 * 128, {4096, 256}}, inner.body);
  addresses.close(inner.body);
  outer.body.emplace_back(inner);
  load({0x90000, {-128}}, outer.body);
  addresses.close(outer.body);
  Pointers pointers;
  pointers.run(writer.take({outer}).steps);
  std::vector<int32_t> wanted;
  for (int32_t i = 0; i < 3; ++i) {
    for (int32_t j = 0; j < 4; ++j) {
      wanted.push_back(0x10000 + 4096 * i + 256 * j);
      wanted.push_back(0x10000 + 4096 * i + 256 * j + 5 * 128);
    }
    wanted.push_back(0x90000 - 128 * i);
  }
  EXPECT_EQ(pointers.seen, wanted);
}

TEST(Addresses, ThoseOfOneWindowShareAPointer) {
  Writer writer(testing::hvx());
  Addresses addresses(writer);
  const Addresses::Place first = addresses.at({0x10000, {}}, 128, 1024, nullptr);
  const Addresses::Place second = addresses.at({0x10000 + 15 * 128, {}}, 128, 1024, nullptr);
  const Addresses::Place beyond = addresses.at({0x10000 + 16 * 128, {}}, 128, 1024, nullptr);
  const Addresses::Place askew = addresses.at({0x10000 + 4, {}}, 128, 1024, nullptr);
  EXPECT_EQ(first.pointer, second.pointer);
  EXPECT_EQ(first.offset, -1024);
  EXPECT_EQ(second.offset, 7 * 128);
  EXPECT_NE(first.pointer, beyond.pointer);
  EXPECT_NE(first.pointer, askew.pointer);
  EXPECT_EQ(askew.offset % 128, 0);
}

}  // namespace
}  // namespace covenant::compiler::vliw
