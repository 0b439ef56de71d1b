// Off-chip states of a machine that commands drive in memories of a platform: which bytes, when, and what becomes of
// access that is not granted or withdrawn.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "platform/address_map.h"
#include "platform/memory.h"
#include "platform/router.h"
#include "runtime/commands/native_engine.h"
#include "tests/unit/command_device/platform.h"

namespace covenant::sc::testing {
namespace {

using MakeEngine = CommandAccelerator::MakeEngine;

/// A write to 1 adds 1 to a byte after as many cycles as its data say; a read of 2 gives it, and a write to 2 sets it.
constexpr const char* kText = R"(acg adder {
  clock = 250 MHz;
  port bus { address = 8; data = 8; }
  state dram : u8[64] off_chip;
  state at : u6 = 5;
  instruction move on bus { fields { value : u6 at 0; } decode = write and address == 0; update { at = value; } }
  instruction add on bus { fields { n : u4 at 0; } decode = write and address == 1;
                           update { step { cycles = n; dram[at] = wrap(u8, dram[at] + 1); } } }
  instruction get on bus { decode = read and address == 2; update { reply = dram[at]; } }
  instruction set on bus { fields { value : u8 at 0; } decode = write and address == 2; update { dram[at] = value; } }
})";

/// A memory that may grant access to some of its bytes, and withdraw it.
class Direct : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Direct> in;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(256);
  uint64_t first = 0, last = 255;
  bool reads = true, writes = true;
  int asked = 0;

  explicit Direct(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.register_get_direct_mem_ptr(this, &Direct::get);
  }
  void withdraw(uint64_t from, uint64_t to) { in->invalidate_direct_mem_ptr(from, to); }

 private:
  bool get(tlm::tlm_generic_payload& about, tlm::tlm_dmi& access) {
    ++asked;
    access.init();
    access.set_start_address(first);
    access.set_end_address(last);
    access.set_dmi_ptr(bytes.data() + first);
    if (reads) access.allow_read();
    if (writes) access.set_granted_access(reads ? tlm::tlm_dmi::DMI_ACCESS_READ_WRITE : tlm::tlm_dmi::DMI_ACCESS_WRITE);
    return (reads || writes) && about.get_address() >= first && about.get_address() <= last;
  }
};

struct WithMemory : Bench {
  Direct memory{"memory"};

  explicit WithMemory(uint64_t base = 0, const MakeEngine& make = {})
      : Bench(behaviour_of(kText), {.memory_bases = {{"dram", base}}}, make) {
    npu.memory("dram").bind(memory.in);
  }
  tlm::tlm_response_status put(uint64_t address, uint8_t value) {
    Access access = write(address, {value});
    return send(access);
  }
  uint8_t get() {
    Access access = read(2, 1);
    EXPECT_EQ(send(access), tlm::TLM_OK_RESPONSE);
    return access.data.front();
  }
};

std::string code_at_start(WithMemory& bench) {
  try {
    bench.run([] {});
  } catch (const sc_core::sc_report& report) {
    return report.get_msg_type();
  }
  return "";
}

MakeEngine compiled() {
  return [] {
    auto opened = runtime::open_native(behaviour_of(kText));
    check(static_cast<bool>(opened), opened ? "" : render(opened.error()));
    return std::unique_ptr<acg::behaviour::Engine>(*std::move(opened));
  };
}

TEST(OffChip, AByteChangesWithTheEndOfTheCycleForAllEngines) {
  for (const bool is_compiled : {false, true}) {
    if (is_compiled && !runtime::has_machine_compiler()) GTEST_SKIP() << "no compiler";
    WithMemory bench(0x40, is_compiled ? compiled() : MakeEngine());
    bench.memory.bytes[0x45] = 7;
    bench.thread([&] { EXPECT_EQ(bench.put(1, 9), tlm::TLM_OK_RESPONSE); });
    sc_core::sc_start(bench.cycles(9) - sc_core::sc_time::from_value(1));
    EXPECT_EQ(bench.memory.bytes[0x45], 7);
    sc_core::sc_start(sc_core::sc_time::from_value(2));
    EXPECT_EQ(bench.memory.bytes[0x45], 8);
    EXPECT_EQ(bench.npu.engine().elements(0).get(5), 8);
    EXPECT_EQ(std::count(bench.memory.bytes.begin(), bench.memory.bytes.end(), 0), 255);
  }
}

TEST(OffChip, TheMachineReadsWhatOthersWrite) {
  WithMemory bench(0xC0);
  bench.run([&] {
    for (const uint8_t value : std::vector<uint8_t>{0, 1, 200}) {
      bench.memory.bytes[0xC5] = value;
      EXPECT_EQ(bench.get(), value);
    }
    bench.put(0, 63);  // the last one
    bench.put(2, 77);
    EXPECT_EQ(bench.memory.bytes[0xFF], 77);
  });
  EXPECT_EQ(bench.memory.asked, 1);
}

TEST(OffChip, AnUnboundMemoryIsTheMachinesOwn) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    Access unwritten = read(2, 1);
    EXPECT_EQ(bench.send(unwritten), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bench.npu.error()->code, "BEH0033");
  });
}

TEST(OffChip, AResetLeavesTheMemory) {
  WithMemory bench;
  bench.run([&] {
    bench.put(2, 9);
    bench.reset_n = false;
    sc_core::wait(bench.cycles(2));
    bench.reset_n = true;
    sc_core::wait(bench.cycles(2));
    EXPECT_EQ(bench.get(), 9);
    bench.put(1, 1);
    EXPECT_EQ(bench.memory.bytes[5], 10);
  });
}

TEST(OffChip, AccessThatIsNotGrantedIsAnErrorAtTheStart) {
  {
    WithMemory none;
    none.memory.reads = none.memory.writes = false;
    EXPECT_EQ(code_at_start(none), "covenant/BEH0060");
  }
  {
    WithMemory read_only;
    read_only.memory.writes = false;
    EXPECT_EQ(code_at_start(read_only), "covenant/BEH0060");
  }
  for (const auto& [first, last] : {std::pair{0x10U, 0x4EU}, std::pair{0x11U, 0x4FU}}) {
    WithMemory part(0x10);
    part.memory.first = first;
    part.memory.last = last;
    EXPECT_EQ(code_at_start(part), "covenant/BEH0060") << first << " to " << last;
  }
  WithMemory just(0x10);
  just.memory.first = 0x10;
  just.memory.last = 0x4F;
  EXPECT_EQ(code_at_start(just), "");
}

TEST(OffChip, AccessThatIsWithdrawnIsAskedForBeforeTheNextCycle) {
  WithMemory bench;
  bench.run([&] {
    bench.put(2, 9);
    bench.memory.withdraw(64, 255);  // none of the machine's bytes
    bench.put(1, 1);
    EXPECT_EQ(bench.memory.asked, 1);
    std::vector<uint8_t> moved(256, 50);
    bench.memory.bytes.swap(moved);
    bench.memory.withdraw(63, 63);
    bench.put(1, 1);
    EXPECT_EQ(bench.memory.asked, 2);
    EXPECT_EQ(bench.memory.bytes[5], 51);
    EXPECT_EQ(moved[5], 10);
    bench.memory.reads = bench.memory.writes = false;
    bench.memory.withdraw(0, 255);
    EXPECT_EQ(bench.put(1, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bench.npu.error()->code, "BEH0060");
    EXPECT_EQ(bench.memory.bytes[5], 51);
  });
}

TEST(OffChip, ThroughARouter) {
  const auto map =
      AddressMap::of({{.name = "low", .base = 0, .bytes = 0x1000}, {.name = "dram", .base = 0x8000, .bytes = 0x1000}});
  Bench bench(behaviour_of(kText), {.memory_bases = {{"dram", 0x8800}}});
  Router router("router", *map);
  Memory low("low", Storage(0x1000), ns(5)), dram("dram", Storage(0x1000), ns(5));
  router.to("low").bind(low.in);
  router.to("dram").bind(dram.in);
  bench.npu.memory("dram").bind(router.in);
  bench.run([&] {
    Access access = write(2, {33});
    EXPECT_EQ(bench.send(access), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(sc_core::sc_time_stamp(), bench.cycles(1));
  });
  EXPECT_EQ(dram.bytes()[0x805], 33);
}

TEST(OffChip, OtherNamesAreRefused) {
  Bench bench(behaviour_of(kText));
  EXPECT_THROW(bench.npu.memory("at"), sc_core::sc_report);
  EXPECT_THROW(CommandAccelerator("other", behaviour_of(kText), {.memory_bases = {{"dam", 0}}}), sc_core::sc_report);
}

}  // namespace
}  // namespace covenant::sc::testing
