/// The reset pin of the model and of the RTL: in the middle of a run, at rest, held. And stops near the end of a run.
#include <memory>
#include <optional>
#include <vector>

#include "platform/report.h"
#include "rtl/sc/rtl_accelerator.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/programs.h"
#include "tests/cosim/device/side.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {
namespace {

constexpr uint64_t kBytes = 1 << 20;
constexpr uint32_t kOutstanding = 8;

struct Model {
  using Accelerator = sc::Accelerator;
  static sc::AcceleratorOptions options() { return {}; }
};
/// The model of what is behind the AXI masters of `Rtl`.
struct ModelBehindMasters {
  using Accelerator = sc::Accelerator;
  static sc::AcceleratorOptions options() { return {kOutstanding}; }
};
struct Rtl {
  using Accelerator = sc::RtlAccelerator;
  static rtl::DeviceOptions options() {
    return {.cache = rtl_models_folder(), .quick = true, .checked = true, .outstanding = kOutstanding};
  }
};

/// A device, its memory, and the signal at its pin. A cycle is a nanosecond.
template <class Kind>
class Platform {
 public:
  Platform()
      : memory("memory", sc::Storage(kBytes), sc_core::sc_time(30, sc_core::SC_NS)),
        reset_n("reset_n", true),
        side("side", 0, memory, machine(), 0, Kind::options()) {
    side.accelerator.reset_n(reset_n);
  }

  void pass(double nanoseconds) {
    const sc_core::sc_time end = sc_core::sc_time_stamp() + sc_core::sc_time(nanoseconds, sc_core::SC_NS);
    // An interrupt pauses the kernel.
    while (sc_core::sc_time_stamp() < end) sc_core::sc_start(end - sc_core::sc_time_stamp(), sc_core::SC_RUN_TO_TIME);
  }
  /// To between two edges of the clock: what happens on the first one of them has happened.
  void leave_edge() {
    pass(static_cast<double>((1750 - sc::picoseconds(sc_core::sc_time_stamp()) % 1000) % 1000) / 1000);
  }
  void set(bool level) {
    leave_edge();
    reset_n.write(level);
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void load(Driver& driver) { EXPECT_TRUE(driver.load(digits().program, digits().before)); }
  void start(Driver& driver) {
    load(driver);
    EXPECT_TRUE(driver.start(digits().program));
  }
  /// Cycles of a run of the digits, whose bytes are as expected.
  uint64_t run(Driver& driver) {
    start(driver);
    const auto report = driver.wait(std::chrono::milliseconds(100));
    if (!report) throw std::runtime_error(render(report.error()));
    std::vector<uint8_t> image(digits().before.size());
    EXPECT_TRUE(driver.read_back(digits().program, image));
    EXPECT_EQ(image, digits().after);
    return report->cycles;
  }
  /// All registers.
  std::vector<uint32_t> registers() {
    std::vector<uint32_t> values;
    for (uint32_t address = 0; address < covenant::registers::kBytes; address += 4) {
      const ReadResult read = side.host.read32(address);
      EXPECT_EQ(read.response, Response::kOkay) << address;
      values.push_back(read.value);
    }
    return values;
  }
  /// By a debug transaction, which takes no time; nothing: refused.
  std::optional<uint32_t> look(uint32_t address) {
    uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof(value));
    payload.set_streaming_width(sizeof(value));
    return side.host.registers->transport_dbg(payload) == sizeof(value) ? std::optional(value) : std::nullopt;
  }

  sim::sc::Kernel kernel;  ///< before all modules
  sc::Memory memory;
  sc_core::sc_signal<bool> reset_n;
  Side<typename Kind::Accelerator> side;
};

template <class Kind>
class ResetPin : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { digits(); }  // simulated before a kernel is taken
};
using Kinds = ::testing::Types<Model, ModelBehindMasters, Rtl>;
TYPED_TEST_SUITE(ResetPin, Kinds);

/// A reset at any time of a run, of any length.
TYPED_TEST(ResetPin, AfterAResetInARunTheDeviceIsAsNew) {
  Platform<TypeParam> platform;
  Driver driver = platform.side.open();
  const std::vector<uint32_t> fresh = platform.registers();
  const uint64_t cycles = platform.run(driver);
  for (const double after : {0.0, 1.0, 3.0, 40.0, 41.0, 300.0, 5000.0, 20'000.0, 40'000.0}) {
    SCOPED_TRACE(::testing::Message() << after << " ns after the start");
    platform.start(driver);
    platform.pass(after);
    platform.set(false);
    EXPECT_FALSE(platform.side.line.read());
    platform.pass(1 + static_cast<double>(static_cast<uint64_t>(after) % 7));
    platform.set(true);
    EXPECT_EQ(platform.registers(), fresh);
    platform.pass(5000);
    EXPECT_EQ(platform.registers(), fresh) << "nothing of the run is left";
    EXPECT_EQ(platform.run(driver), cycles);
  }
}

TYPED_TEST(ResetPin, AtRestItClearsRegisters) {
  Platform<TypeParam> platform;
  const std::vector<uint32_t> fresh = platform.registers();
  Driver driver = platform.side.open();
  const uint64_t cycles = platform.run(driver);
  EXPECT_NE(platform.registers(), fresh);
  platform.set(false);
  platform.set(true);
  EXPECT_EQ(platform.registers(), fresh);
  EXPECT_EQ(platform.run(driver), cycles);
}

TYPED_TEST(ResetPin, ADeviceThatIsHeldRefusesAccesses) {
  Platform<TypeParam> platform;
  Driver driver = platform.side.open();
  const uint64_t cycles = platform.run(driver);
  platform.set(false);
  EXPECT_EQ(platform.side.host.read32(registers::kIdentity).response, Response::kDeviceError);
  EXPECT_EQ(platform.side.host.write32(registers::kInterruptEnable, 0xF), Response::kDeviceError);
  EXPECT_EQ(platform.side.host.write32(registers::kControl, registers::control::kStart.mask()), Response::kDeviceError);
  EXPECT_EQ(platform.look(registers::kIdentity), std::nullopt);
  platform.pass(1000);
  platform.set(true);
  EXPECT_EQ(platform.look(registers::kIdentity), registers::kIdentityValue);
  EXPECT_EQ(platform.side.host.read32(registers::kInterruptEnable).value, 0U);
  EXPECT_EQ(platform.side.host.read32(registers::kStatus).value, 0U);
  EXPECT_EQ(platform.run(driver), cycles);
}

/// By cycle: the memory as a reset in that cycle of a run leaves it. What is written no longer comes later.
template <class Kind>
std::vector<std::vector<uint8_t>> memories_after_resets(const std::vector<uint32_t>& cycles, uint32_t cycles_before) {
  Platform<Kind> platform;
  Driver driver = platform.side.open();
  std::vector<std::vector<uint8_t>> memories;
  for (const uint32_t cycle : cycles) {
    platform.start(driver);
    platform.pass(cycle + cycles_before);
    platform.set(false);
    std::vector<uint8_t> image(digits().before.size());
    std::vector<uint8_t> later(image.size());
    EXPECT_TRUE(driver.read_back(digits().program, image));
    platform.set(true);
    platform.pass(5000);
    EXPECT_TRUE(driver.read_back(digits().program, later));
    EXPECT_EQ(image, later) << "cycle " << cycle;
    memories.push_back(std::move(image));
  }
  return memories;
}

/// In every cycle of a store, and between stores.
TEST(ResetOfBoth, LeavesTheSameMemory) {
  std::vector<uint32_t> cycles{300, 5000, 20'000, 40'000};
  for (uint32_t cycle = 14'438; cycle < 14'454; ++cycle) cycles.push_back(cycle);
  digits();
  const auto model = memories_after_resets<ModelBehindMasters>(cycles, 0);
  const auto rtl = memories_after_resets<Rtl>(cycles, 1);  // its start is a cycle later
  for (size_t k = 0; k < cycles.size(); ++k) EXPECT_EQ(model[k], rtl[k]) << "cycle " << cycles[k];
  EXPECT_NE(model[4], model.back()) << "nothing is written in these cycles";
}

struct Stopped {
  uint32_t status = 0, blocks = 0;
  uint64_t cycles = 0;
  bool operator==(const Stopped&) const = default;
};

/// Status and counters after a stop in each of the last cycles of a run, and after the run.
template <class Kind>
std::vector<Stopped> stopped_near_the_end(int64_t later) {
  Platform<Kind> platform;
  Driver driver = platform.side.open();
  const auto cycles = static_cast<int64_t>(platform.run(driver));
  std::vector<Stopped> seen;
  const auto read = [&](uint32_t address) { return platform.side.host.read32(address).value; };
  for (int64_t cycle = cycles - 40; cycle < cycles + 6; ++cycle) {
    if (cycle == cycles + 1) continue;  // the end is on the way: the RTL shows it a cycle later
    platform.start(driver);
    platform.pass(static_cast<double>(cycle + later));
    platform.side.host.write32(registers::kControl, registers::control::kStop.mask());
    platform.pass(5);
    seen.push_back({read(registers::kStatus), read(registers::kBlocks), read(registers::kCyclesLow)});
    platform.pass(200);
  }
  return seen;
}

/// Cycles that the model has computed ahead of their time do not show.
TEST(StopNearTheEnd, LeavesTheSameCounters) {
  digits();
  const auto model = stopped_near_the_end<ModelBehindMasters>(0);
  const auto rtl = stopped_near_the_end<Rtl>(-1);
  EXPECT_EQ(model.size(), rtl.size());
  for (size_t k = 0; k < model.size(); ++k) EXPECT_EQ(model[k], rtl[k]) << "cycle " << k;
}

}  // namespace
}  // namespace covenant::driver::testing
