/// Memory of a vliw_core: invalid ranges, and accesses outside of all ranges.
#include <array>
#include <gtest/gtest.h>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "sim/vliw/address_space.h"
#include "sim/vliw/execute.h"
#include "tests/timing/vliw/run.h"

namespace covenant::sim {
namespace {

/// The diagnostic of what `act` raises.
template <typename Act>
Diagnostic failure_of(const Act& act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure.diagnostic;
  }
  return {};
}

TEST(VliwMemory, RangesThatOverlap) {
  vliw::AddressSpace memory;
  memory.add_zeros("code", 0x1000, 0x100);
  memory.add_zeros("before", 0xf00, 0x100);
  memory.add_zeros("after", 0x1100, 0x100);
  for (const auto& [address, bytes] : {std::pair{0x10ffU, 1U}, {0x1000U, 1U}, {0xe00U, 0x1000U}}) {
    const Diagnostic said = failure_of([&] { memory.add_zeros("data", address, bytes); });
    EXPECT_EQ(said.code, "SIM0080") << render(said);
    EXPECT_NE(said.message.find("and data"), std::string::npos) << render(said);
    EXPECT_EQ(said.allowed.size(), 3U) << "what is there";
    EXPECT_EQ(said.fix, "move one of them");
  }
}

TEST(VliwMemory, RangesPastTheAddressSpace) {
  vliw::AddressSpace memory;
  memory.add_zeros("last", 0xffffff00, 0x100);
  std::array<uint8_t, 0x101> bytes{};
  const Diagnostic said = failure_of([&] { memory.add("data", 0xffffff00, bytes); });
  EXPECT_EQ(said.code, "SIM0080") << render(said);
  EXPECT_EQ(said.offending, "data of 257 bytes at 0xffffff00");
}

TEST(VliwMemory, SegmentsOnTheStack) {
  const acg::ElfFile file{0x10000, {{0x10000, 4, {}, true, false}, {0x7ff00000, 4, {}, false, true}}, {}};
  const Result<ExecuteResult> run = execute(file, *acg::load_machine("hvx"));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "SIM0080");
  EXPECT_EQ(run.error().message, "two ranges of memory overlap: data and stack");
}

TEST(VliwMemory, AccessesOutside) {
  vliw::AddressSpace memory;
  EXPECT_EQ(failure_of([&] { memory.at(0, 1); }).code, "SIM0081");
  memory.add_zeros("low", 0x1000, 0x100);
  memory.add_zeros("high", 0x1100, 0x100);
  memory.add_zeros("last", 0xffffff80, 0x80);
  memory.at(0x1000, 0x100)[0xff] = 7;
  EXPECT_EQ(*memory.at(0x10ff, 1), 7);
  EXPECT_EQ(*memory.at(0xffffffff, 1), 0);
  for (const auto& [address, bytes] :
       {std::pair{0xfffU, 1U}, {0xfffU, 2U}, {0x10ffU, 2U}, {0x1200U, 1U}, {0xffffffffU, 2U}, {0U, 1U}}) {
    const Diagnostic said = failure_of([&] { memory.at(address, bytes); });
    EXPECT_EQ(said.code, "SIM0081") << address << " " << bytes;
    EXPECT_EQ(said.allowed,
              (std::vector<std::string>{"0x1000..0x10ff low", "0x1100..0x11ff high", "0xffffff80..0xffffffff last"}));
  }
}

/// Words that have been executed are not written; those between them may be.
TEST(VliwMemory, StoresIntoCode) {
  const std::vector<std::string> packets{"{ jump 0x1008 }", "{ nop }", "{ r3 = #0; r4 = #0 }", "{ memw(r0+#0) = r1 }"};
  const auto stored_at = [&](uint32_t address) {
    return failure_of([&] { vliw::testing::Ran(packets, 3, {}, {{0, address}}); }).code;
  };
  EXPECT_EQ(stored_at(0x1004), "");
  for (const uint32_t address : {0x1000U, 0x1008U, 0x100cU, 0x1010U})
    EXPECT_EQ(stored_at(address), "SIM0084") << address;
}

}  // namespace
}  // namespace covenant::sim
