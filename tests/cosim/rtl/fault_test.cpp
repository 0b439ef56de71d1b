/// Programs that the SystemC model refuses and on which the RTL itself must stop: it reports which part of the machine
/// has found the fault.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/sim/run.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
using namespace covenant::sim::testing;

Assembly small() { return Assembly(small_machine(3, 4)); }

/// Both refuse: the SystemC model by `code`, the RTL by a fault of `part`.
void expect_stop(Assembly& a, const std::string& code, const std::string& part) {
  static const Model model = model_of(small_machine(3, 4));
  EXPECT_EQ(failure(a).code, code);
  std::vector<uint8_t> memory = a.image();
  const auto result = model.run(a.program(), memory, {.max_cycles = 100'000});
  ASSERT_FALSE(result) << "the RTL runs to the end";
  EXPECT_EQ(result.error().code, "RTL0013") << render(result.error());
  EXPECT_EQ(result.error().subject, part);
}

TEST(RtlFault, ATokenTooMany) {
  Assembly a = small();
  a.group("DRAM->IBUF").post("IBUF", kFull).post("IBUF", kFull).post("IBUF", kFull).end_block(true);
  expect_stop(a, "SIM0015", "channels");
  Assembly free = small();
  free.group("SA").post("WBUF", kFree).end_block(true);
  expect_stop(free, "SIM0015", "channels");
}

/// As many tokens as there are buffers are allowed.
TEST(RtlFault, EveryBufferMayHaveAToken) {
  static const Model model = model_of(small_machine(3, 4));
  Assembly a = small();
  a.group("DRAM->IBUF").wait("IBUF", kFree).wait("IBUF", kFree).post("IBUF", kFull).post("IBUF", kFull);
  a.group("SA").wait("BBUF", kFull).wait("IBUF", kFull).post("IBUF", kFree).wait("IBUF", kFull).post("IBUF", kFree);
  a.post("BBUF", kFree);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(0, 0, 300).post("BBUF", kFull).end_block(true);
  EXPECT_EQ(lockstep(model, a.program(), a.image()), Outcome::kSame);
}

TEST(RtlFault, AWordOfAnotherUnit) {
  Assembly gemm = small();
  gemm.group("SIMD").op(Operation::kGemm, {0}).end_block(true);
  expect_stop(gemm, "SIM0005", "SIMD");
  Assembly store = small();
  store.group("DRAM->IBUF").op(Operation::kStore, {0}).end_block(true);
  expect_stop(store, "SIM0005", "DRAM->IBUF");
  Assembly trip = small();
  trip.group("SA").op(Operation::kSimdTrip, {0, 0}).end_block(true);
  expect_stop(trip, "SIM0005", "SA");
}

TEST(RtlFault, AWordThatDoesNotDecode) {
  Assembly group = small();
  group.group("SA").raw(0xFFFFFFFFU).end_block(true);
  expect_stop(group, "SIM0001", "SA");
  Assembly header = small();
  header.raw(0).end_block(true);
  expect_stop(header, "SIM0002", "instruction fetch");
}

TEST(RtlFault, TypesWithoutACapability) {
  Assembly a = small();
  const int32_t v1 = a.memory("VMEM1");
  a.group("SIMD").op(Operation::kTypes, {kF32, kF32, kI32}).op(Operation::kAdd, {v1, 0, v1, 0, v1, 0}).end_block(true);
  expect_stop(a, "SIM0041", "SIMD");
}

}  // namespace
}  // namespace covenant::rtl
