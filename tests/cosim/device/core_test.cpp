/// Device behaviour that is specific to a core: calls, returns, faults of packets, and the contents of memory over
/// time.
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "acg/program/packet_program.h"
#include "runtime/driver/devices.h"
#include "runtime/driver/driver.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/programs.h"
#include "tests/cosim/device/sc_device.h"
#include "tests/cosim/device/side.h"

namespace covenant::driver::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr uint32_t kData = acg::kImageAddress + 4096;

const acg::Machine& core() { return on_core().machine(); }

/// Each on a memory that lies open, and on one that is asked.
class CoreDevice : public ::testing::TestWithParam<bool> {
 protected:
  CoreDevice() : device_(make_device()), driver_(*Driver::open(device_->registers(), device_->memory(), core())) {}

  static std::unique_ptr<Device> make_device() {
    const Factory fixed = fixed_memory(on_core);
    return GetParam() ? make_asked_device(core(), on_core().memory_bytes())
                      : fixed.make(core(), on_core().memory_bytes());
  }
  Result<RunReport> run(const std::vector<std::string>& packets) {
    const Short made = assembled(core(), packets);
    EXPECT_TRUE(driver_.load(made.program, made.image));
    EXPECT_TRUE(driver_.start(made.program));
    return driver_.wait(milliseconds(1));
  }
  void expect_fault(const std::vector<std::string>& packets, const std::string& code, const std::string& subject,
                    const std::string& offending = "") {
    const auto report = run(packets);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code);
    EXPECT_EQ(report.error().subject, subject);
    EXPECT_EQ(report.error().offending, offending);
    EXPECT_TRUE(run({"{ jumpr r31 }"})) << "the next start works";
  }
  uint32_t word_at(uint32_t address) {
    std::array<uint8_t, 4> bytes{};
    EXPECT_EQ(device_->memory().read(memory(), address, bytes), Response::kOkay);
    uint32_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    return word;
  }
  static uint32_t memory() { return acg::memory_ranges(assembled(core(), {"{ nop }"}).program).front().memory.value; }

  std::unique_ptr<Device> device_;
  Driver driver_;
};

TEST_P(CoreDevice, FaultsOfPackets) {
  expect_fault({"{ trap0(#1) }"}, "DRV0010", "CORE");
  expect_fault({fmt::format("{{ r0 = ##{} }}", kData + 2), "{ r1 = memw(r0+#0) }"}, "DRV0010", "CORE");
  expect_fault({fmt::format("{{ r0 = ##{} }}", acg::kImageAddress), "{ memw(r0+#0) = r0 }"}, "DRV0010", "CORE");
  expect_fault({"{ r0 = ##0x20000000 }", "{ jumpr r0 }"}, "DRV0011", "instruction fetch", "0x20000000");
  expect_fault({"{ r0 = ##0x20000004 }", "{ r1 = memw(r0+#0) }"}, "DRV0011", "CORE", "0x20000004");
  expect_fault({"{ r0 = ##0x20000008 }", "{ memd(r0+#0) = r3:2 }"}, "DRV0011", "CORE", "0x20000008");
}

TEST_P(CoreDevice, AProgramReturnsToWhereItWasCalled) {
  const auto report = run({"{ jumpr r31 }"});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->blocks, 1U);
  EXPECT_EQ(report->bytes_read, 0U) << "instructions take no time of memory";
  EXPECT_GT(report->cycles, 0U);
  ASSERT_TRUE(driver_.start(uint64_t{acg::kCallerAddress})) << "a program that is at its end";
  const auto empty = driver_.wait(milliseconds(1));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->cycles, 0U);
}

/// Whatever the caches hold: the host needs no more than the interrupt.
TEST_P(CoreDevice, WhatIsStoredIsInMemoryAtTheEnd) {
  const std::string at = fmt::format("{{ r0 = ##{} }}", kData);
  ASSERT_TRUE(run({at, "{ r1 = ##0x12345678 }", "{ memw(r0+#4) = r1 }", "{ jumpr r31 }"}));
  EXPECT_EQ(word_at(kData + 4), 0x12345678U);
  EXPECT_EQ(word_at(kData), 0U);
}

/// A run reads what the host has written since the last run.
TEST_P(CoreDevice, ARunSeesWhatTheHostHasWritten) {
  const std::vector<std::string> packets{fmt::format("{{ r0 = ##{} }}", kData), "{ r1 = memw(r0+#0) }",
                                         "{ r1 = add(r1,#1) }", "{ memw(r0+#8) = r1 }", "{ jumpr r31 }"};
  const Short made = assembled(core(), packets);
  ASSERT_TRUE(driver_.load(made.program, made.image));
  for (const uint32_t value : {7U, 8U, 250U}) {
    std::array<uint8_t, 4> bytes{static_cast<uint8_t>(value)};
    ASSERT_EQ(device_->memory().write(memory(), kData, bytes), Response::kOkay);
    ASSERT_TRUE(driver_.start(made.program));
    ASSERT_TRUE(driver_.wait(milliseconds(1)));
    EXPECT_EQ(word_at(kData + 8), value + 1);
  }
}

/// Counters are of the cycle that it is, not of those that the model has computed ahead.
TEST_P(CoreDevice, CountersOfARunThatIsUnderWay) {
  const Short made = on_core().endless();
  ASSERT_TRUE(driver_.load(made.program, made.image));
  ASSERT_TRUE(driver_.start(made.program));
  for (uint64_t k = 1; k <= 3; ++k) {
    device_->registers().wait_interrupt(microseconds(1));
    const auto now = driver_.counters();
    ASSERT_TRUE(now);
    EXPECT_GT(now->cycles, 1390 * k);
    EXPECT_LE(now->cycles, 1401 * k);
    EXPECT_EQ(now->blocks, 0U);
  }
  ASSERT_TRUE(driver_.abort());
  EXPECT_FALSE(driver_.wait(milliseconds(1)));
}

/// Packets on a core whose memory refuses the first burst, which is that of the line at `kData`.
Result<RunReport> run_refused(const std::vector<std::string>& packets) {
  const sim::sc::Kernel kernel;
  sc::Memory memory("memory", sc::Storage(on_core().memory_bytes()), sc_core::sc_time(200, sc_core::SC_NS));
  Side<sc::Accelerator> side("side", 0, memory, core(), 0);
  side.windows.front()->refused_burst = 1;
  Driver driver = side.open();
  const Short made = assembled(core(), packets);
  EXPECT_TRUE(driver.load(made.program, made.image));
  EXPECT_TRUE(driver.start(made.program));
  return driver.wait(milliseconds(1));
}

/// These packets, and others until memory has answered: a store does not wait for its line, nor does the end of a run.
std::vector<std::string> until_answered(std::vector<std::string> packets) {
  packets.insert(packets.end(), 500, "{ nop }");
  packets.emplace_back("{ jumpr r31 }");
  return packets;
}

/// Packets that ask for a line ahead, then so many others, then those that use it.
std::vector<std::string> prefetched(uint32_t packets, const std::vector<std::string>& then) {
  std::vector<std::string> all{fmt::format("{{ r0 = ##{} }}", kData), "{ r2 = ##0x800001 }", "{ r3 = #128 }",
                               "{ l2fetch(r0,r3:2) }"};
  all.insert(all.end(), packets, "{ nop }");
  all.insert(all.end(), then.begin(), then.end());
  return until_answered(std::move(all));
}

void expect_refused_at_data(const Result<RunReport>& report) {
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "DRV0011");
  EXPECT_EQ(report.error().subject, "CORE");
  EXPECT_EQ(report.error().offending, fmt::format("0x{:x}", kData));
}

/// Before the memory has answered, and after.
TEST(CorePrefetches, ALineThatWasRefusedStopsTheRunThatUsesIt) {
  const std::vector<std::string> uses{"{ v0 = vmem(r0+#0) }", "{ r1 = memw(r0+#64) }", "{ memw(r0+#0) = r1 }",
                                      "{ if (q0) vmem(r0+#0) = v0 }"};
  for (const std::string& use : uses) {
    SCOPED_TRACE(use);
    expect_refused_at_data(run_refused(until_answered({fmt::format("{{ r0 = ##{} }}", kData), use})));
    for (const uint32_t packets : {0U, 20U, 500U}) {
      SCOPED_TRACE(packets);
      expect_refused_at_data(run_refused(prefetched(packets, {use})));
      expect_refused_at_data(run_refused(prefetched(packets, {"{ v1 = vmem(r0+#1) }", use})));
    }
  }
}

TEST(CorePrefetches, ALineThatWasRefusedDoesNoHarmToARunThatDoesNotUseIt) {
  for (const uint32_t packets : {0U, 20U, 500U}) {
    SCOPED_TRACE(packets);
    EXPECT_TRUE(run_refused(prefetched(packets, {})));
    EXPECT_TRUE(run_refused(prefetched(packets, {"{ v0 = vmem(r0+#1) }", "{ l2fetch(r0,r3:2) }"})));
    EXPECT_TRUE(run_refused(prefetched(packets, {"{ vmem(r0+#0) = v0 }", "{ v1 = vmem(r0+#0) }"})))
        << "it is replaced as a whole";
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, CoreDevice, ::testing::Values(false, true),
                         [](const auto& one) { return one.param ? "asked" : "fixed"; });

}  // namespace
}  // namespace covenant::driver::testing
