// An accelerator's registers at exact times, and runs that begin beside others that were aborted.
#include "sim/sc/accelerator.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "acg/isa/vliw/packet.h"
#include "acg/program/packet_program.h"
#include "acg/registers/registers.h"
#include "offchip/clock.h"
#include "platform/host.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/digits_work.h"
#include "tests/unit/platform/payloads.h"

namespace covenant::sc::testing {
namespace {

const acg::Machine& core() {
  static const acg::Machine kMachine = need(acg::load_machine("hvx"));
  return kMachine;
}

/// A core on a memory with room for a program, and a host.
struct Platform {
  sim::sc::Kernel kernel;
  Accelerator npu{"npu", core()};
  HostRegisters host{"host"};
  Memory dram{"dram", Storage(2 << 20), ns(100)};
  sc_core::sc_signal<bool> line;
  sc_core::sc_time period = time_of_picoseconds(offchip::Clock::of_frequency(core().clock_hertz).period);

  Platform() {
    for (auto* socket : npu.memory_sockets("DRAM")) socket->bind(dram.in);
    host.out.bind(npu.registers);
    npu.interrupt(line);
    host.interrupt(line);
  }
  /// Runs `does` as the host's thread.
  void run(const std::function<void()>& does) {
    const Thread thread("thread", does);
    sc_core::sc_start();
  }
  /// Packets as words, from where programs begin.
  void put(const std::vector<std::string>& packets) {
    const acg::PacketCodec codec(core());
    uint32_t at = acg::kImageAddress;
    for (const std::string& text : packets) {
      for (const acg::InstructionWord& word : need(codec.encode(need(codec.assemble(text, at))))) {
        for (uint32_t byte = 0; byte < 4; ++byte) dram.bytes()[at++] = word.byte(byte);
      }
    }
  }
  uint32_t read(uint32_t address) { return host.read32(address).value; }
  void start() {
    host.write32(registers::kProgramLow, acg::kImageAddress);
    host.write32(registers::kControl, registers::control::kStart.mask());
  }
  void wait_for_end() {
    for (int k = 0; k < 10'000 && registers::status::kBusy.of(read(registers::kStatus)) != 0; ++k) wait_periods(1);
  }
  void wait_periods(uint64_t count) { sc_core::wait(time_of_picoseconds(picoseconds(period) * count)); }
};

/// Between two edges the next one is the run's first; on an edge it is the one after it, as a register that is written
/// on an edge has its value from then on.
TEST(Accelerator, ARunBeginsOnTheClockEdgeAfterItsWrite) {
  for (const uint64_t late : {0U, 1U, 300U}) {  // picoseconds after an edge
    Platform platform;
    platform.put({"{ nop }", "{ jump 0x100000 }"});
    platform.run([&] {
      platform.wait_periods(10);
      sc_core::wait(time_of_picoseconds(late));
      platform.start();
      platform.wait_periods(1);
      EXPECT_EQ(platform.read(registers::kCyclesLow), 0U) << late;
      platform.wait_periods(3);
      EXPECT_EQ(platform.read(registers::kCyclesLow), 3U) << late;
      sc_core::wait(platform.period - time_of_picoseconds(late + 1));
      EXPECT_EQ(platform.read(registers::kCyclesLow), 3U) << late;
      sc_core::wait(time_of_picoseconds(1));
      EXPECT_EQ(platform.read(registers::kCyclesLow), 4U) << late;
    });
  }
}

TEST(Accelerator, AnAbortLeavesNoEndToTheNextRun) {
  Platform platform;
  std::vector<std::string> packets(200, "{ nop }");
  packets.emplace_back("{ jumpr r31 }");
  platform.put(packets);
  platform.run([&] {
    platform.start();
    platform.wait_for_end();
    const uint32_t cycles = platform.read(registers::kCyclesLow);
    EXPECT_GT(cycles, 395U);
    for (const uint64_t after : {1U, 40U, 200U, 390U}) {
      platform.start();
      platform.wait_periods(after);
      platform.host.write32(registers::kControl, registers::control::kStop.mask());
      EXPECT_EQ(registers::status::kAborted.of(platform.read(registers::kStatus)), 1U);
      platform.start();
      platform.wait_for_end();
      EXPECT_EQ(registers::status::kDone.of(platform.read(registers::kStatus)), 1U);
      EXPECT_EQ(platform.read(registers::kCyclesLow), cycles) << after;
    }
  });
}

/// Sends an access to the accelerator's registers, by a host that is `ahead` of the kernel.
tlm::tlm_response_status send(Platform& platform, Access& access, sc_core::sc_time ahead = {}) {
  tlm::tlm_generic_payload payload;
  set_up(payload, access);
  platform.host.out->b_transport(payload, ahead);
  EXPECT_EQ(ahead, sc_core::SC_ZERO_TIME);
  return payload.get_response_status();
}

TEST(Accelerator, AccessesWaitForTheTimeOfTheirHost) {
  Platform platform;
  platform.run([&] {
    Access access = read(registers::kIdentity, 4);
    EXPECT_EQ(send(platform, access, ns(7)), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(7));
    uint32_t value = 0;
    std::memcpy(&value, access.data.data(), sizeof(value));
    EXPECT_EQ(value, registers::kIdentityValue);
  });
}

TEST(Accelerator, RegistersAreWrittenByBytes) {
  Platform platform;
  platform.run([&] {
    Access access = write(registers::kProgramLow, {0x11, 0x22, 0x33, 0x44});
    access.enables = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    EXPECT_EQ(send(platform, access), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(platform.read(registers::kProgramLow), 0x00330011U);
    access = write(registers::kIdentity, {1, 2, 3, 4});
    EXPECT_EQ(send(platform, access), tlm::TLM_GENERIC_ERROR_RESPONSE);
    tlm::tlm_generic_payload payload;
    set_up(payload, access);
    EXPECT_EQ(platform.host.out->transport_dbg(payload), 0U) << "a debugger reads registers only";
    payload.set_read();
    EXPECT_EQ(platform.host.out->transport_dbg(payload), 4U);
  });
}

}  // namespace
}  // namespace covenant::sc::testing
