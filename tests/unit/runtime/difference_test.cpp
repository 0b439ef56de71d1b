/// A difference as people and programs read it, of each kind.
#include "runtime/lockstep/difference.h"

#include <gtest/gtest.h>
#include <set>

namespace covenant::runtime {
namespace {

Difference difference(DifferenceKind kind) {
  Difference made;
  made.kind = kind;
  made.engine = "DRAM->VMEM";
  made.instruction = "byte 12 of conv1/weights";
  made.layer = "conv1";
  made.block = 3;
  made.word_index = 5;
  made.cycle = 77;
  made.fields = {{"byte", "0a", "0b"}};
  return made;
}

TEST(Difference, OfMemoryAndOfTheEndHasNoWord) {
  for (const DifferenceKind kind : {DifferenceKind::kMemory, DifferenceKind::kEnd}) {
    EXPECT_EQ(render(difference(kind)),
              "first difference, cycle 77: DRAM->VMEM, byte 12 of conv1/weights\n"
              "  byte       systemc 0a, rtl 0b");
  }
}

TEST(Difference, OfACommandNamesItsWordBlockAndLayer) {
  for (const DifferenceKind kind : {DifferenceKind::kRecord, DifferenceKind::kMissing}) {
    EXPECT_EQ(render(difference(kind)),
              "first difference, cycle 77: DRAM->VMEM, word 5 of block 3 (conv1): byte 12 of conv1/weights\n"
              "  byte       systemc 0a, rtl 0b");
  }
}

TEST(Difference, KindsHaveNamesOfTheirOwn) {
  using enum DifferenceKind;
  std::set<std::string> names;
  for (const DifferenceKind kind : {kRecord, kMissing, kMemory, kEnd}) names.insert(name(kind));
  EXPECT_EQ(names, (std::set<std::string>{"record", "missing", "memory", "end"}));
}

}  // namespace
}  // namespace covenant::runtime
