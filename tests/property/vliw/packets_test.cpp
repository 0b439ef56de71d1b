// Random code: however it is packed, overlapped and allocated, memory ends as after executing one instruction after the
// other; on our core, and in QEMU.
#include <gtest/gtest.h>
#include <iostream>

#include "acg/lang/load.h"
#include "compiler/families/vliw/address_assignment.h"
#include "compiler/families/vliw/allocate.h"
#include "compiler/families/vliw/packetize.h"
#include "tests/property/acg/random_source.h"
#include "tests/property/vliw/interpret.h"
#include "tests/property/vliw/random_code.h"
#include "tests/property/vliw/run.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;
using acg::testing::RandomSource;

constexpr int kPrograms = 150, kInQemu = 25;

std::vector<uint8_t> random_data(RandomSource& random) {
  std::vector<uint8_t> data(kDataBytes);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random.between(0, 255));
  return data;
}

TEST(VliwPackets, DoWhatTheirInstructionsDoOneAfterTheOther) {
  RandomSource random(15);
  const acg::Machine machine = *acg::load_machine("hvx");
  int made = 0, too_large = 0, in_both = 0;
  uint64_t packets = 0;
  for (int i = 0; i < kPrograms; ++i) {
    const RandomCode drawn = random_code(random);
    const std::vector<uint8_t> data = random_data(random);
    std::vector<uint8_t> wanted = data;
    interpret(drawn.code, wanted, kDataAddress, drawn.given);
    for (const PacketOptions& options : {PacketOptions{},
                                         {.pack = true, .pipeline = false},
                                         {.pack = false, .pipeline = false},
                                         {.pack = true, .pipeline = true, .unroll = false},
                                         {.straight = StraightOrder::kLate, .write_out = false},
                                         {.straight = StraightOrder::kLate, .await = false},
                                         {.straight = StraightOrder::kAsItStands},
                                         {.pack = false, .pipeline = true}}) {
      ++made;
      const auto steps = allocated(packetize(drawn.code, machine, options), machine);
      if (!steps) {
        EXPECT_EQ(steps.error().code, "GEN0050");
        ++too_large;
        continue;
      }
      const std::vector<uint8_t> program =
          program_of(machine, drawn.code.fixed, drawn.given, *steps, {kDataAddress, kDataBytes});
      ASSERT_TRUE(on_our_core(machine, program, data, kDataAddress, packets) == wanted)
          << "program " << i << "\n"
          << text_of(assign_addresses(*steps, machine, kCodeAddress), machine);
      if (i >= kInQemu) continue;
      ++in_both;
      ASSERT_TRUE(in_qemu(program, data, kDataAddress) == wanted) << "program " << i;
    }
  }
  std::cout << kPrograms << " programs eight ways, " << packets << " packets executed, " << too_large
            << " want more registers than there are, " << in_both << " ran in QEMU, too\n";
  EXPECT_LT(too_large, made / 20);
}

}  // namespace
}  // namespace covenant::compiler::vliw
