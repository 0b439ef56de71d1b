/// Diagnostics of the driver for faulty devices, word by word, on registers that are a table.
#include "runtime/driver/driver.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>

#include "acg/lang/load.h"
#include "acg/lang/machine_hash.h"

namespace covenant::driver {
namespace {

namespace map = registers;

const acg::Machine& machine() {
  static const acg::Machine kMachine = *acg::load_machine("genesys:8x8");
  return kMachine;
}

/// Registers that return preset values. Time does not advance.
class Table final : public RegisterBus, public MemoryBus {
 public:
  Table() {
    words[map::kIdentity] = map::kIdentityValue;
    words[map::kVersion] = map::version::kMajor.put(map::kVersionMajor);
    words[map::kMachineLow] = static_cast<uint32_t>(acg::machine_hash(machine()));
    words[map::kMachineHigh] = static_cast<uint32_t>(acg::machine_hash(machine()) >> 32U);
  }
  ReadResult read32(uint32_t address) override {
    if (address == refused) return {answer, 0};
    if (on_read) on_read(address);
    return {Response::kOkay, words[address]};
  }
  Response write32(uint32_t address, uint32_t value) override {
    if (address == refused) return answer;
    if (address != map::kInterruptStatus) words[address] = value;
    return Response::kOkay;
  }
  bool wait_interrupt(std::chrono::nanoseconds) override { return false; }
  Response read(uint32_t, uint64_t, std::span<uint8_t>) override { return Response::kNobody; }
  Response write(uint32_t, uint64_t, std::span<const uint8_t>) override { return Response::kNobody; }

  std::map<uint32_t, uint32_t> words;
  uint32_t refused = UINT32_MAX;
  Response answer = Response::kDeviceError;
  std::function<void(uint32_t)> on_read;
};

std::string opened_as(Table& table) {
  const auto driver = Driver::open(table, table, machine());
  return driver ? "" : render(driver.error());
}

Driver opened(Table& table) {
  auto driver = Driver::open(table, table, machine());
  EXPECT_TRUE(driver);
  return std::move(*driver);
}

void expect_error(const Diagnostic& error, const std::string& code, const std::string& text) {
  EXPECT_EQ(error.code, code);
  EXPECT_NE(render(error).find(text), std::string::npos) << render(error);
}

TEST(DriverOpen, ADeviceThatIsRightIsOpened) {
  Table table;
  EXPECT_EQ(opened_as(table), "");
}

TEST(DriverOpen, SomethingElseIsNoDevice) {
  Table table;
  table.words[map::kIdentity] = 0;
  const auto driver = Driver::open(table, table, machine());
  ASSERT_FALSE(driver);
  expect_error(driver.error(), "DRV0001",
               "there is no device with these registers\n  got: 0x0\n  allowed: 0x4E564F43\n");
}

TEST(DriverOpen, AnotherVersionIsRefused) {
  Table table;
  table.words[map::kVersion] = map::version::kMajor.put(2) | map::version::kMinor.put(7);
  const auto driver = Driver::open(table, table, machine());
  ASSERT_FALSE(driver);
  expect_error(driver.error(), "DRV0002", "another version\n  got: 2\n  allowed: 1\n");
  table.words[map::kVersion] = map::version::kMajor.put(map::kVersionMajor) | map::version::kMinor.put(7);
  EXPECT_EQ(opened_as(table), "") << "a minor change is none for a driver";
}

TEST(DriverOpen, AnotherMachineIsRefused) {
  Table table;
  table.words[map::kMachineHigh] ^= 1U;
  const auto driver = Driver::open(table, table, machine());
  ASSERT_FALSE(driver);
  expect_error(driver.error(), "DRV0003", "genesys: the device is another machine");
}

TEST(DriverOpen, ABusWithoutADeviceSaysSo) {
  Table table;
  table.refused = map::kIdentity;
  table.answer = Response::kNobody;
  const auto driver = Driver::open(table, table, machine());
  ASSERT_FALSE(driver);
  expect_error(driver.error(), "DRV0004", "identity: a register cannot be read: nothing is there\n  got: 0x0\n");
}

/// For every register that is refused, the call that needs it names it.
TEST(DriverAccess, EveryRefusedAccessIsADiagnostic) {
  for (const uint32_t address :
       {map::kInterruptStatus, map::kProgramLow, map::kProgramHigh, map::kControl, map::kStatus}) {
    Table table;
    Driver driver = opened(table);
    table.refused = address;
    const Status start = driver.start(uint64_t{64});
    ASSERT_FALSE(start) << address;
    EXPECT_EQ(start.error().code, "DRV0004");
    EXPECT_NE(start.error().message.find("the device refuses it"), std::string::npos);
  }
  for (uint32_t address = map::kInterruptEnable; address < map::kBytes; address += 4) {
    Table table;
    Driver driver = opened(table);
    table.words[map::kStatus] = map::status::kFault.mask() | map::status::kStop.put(2);
    table.refused = address;
    const auto report = driver.wait(std::chrono::nanoseconds(1));
    ASSERT_FALSE(report) << address;
    EXPECT_EQ(report.error().code, "DRV0004") << address;
  }
}

TEST(DriverAccess, HalvesOfANumberBelongTogether) {
  Table table;
  Driver driver = opened(table);
  uint64_t number = (uint64_t{7} << 32U) - 2;
  table.on_read = [&](uint32_t) {  // it moves on with every access
    ++number;
    table.words[map::kCyclesLow] = static_cast<uint32_t>(number);
    table.words[map::kCyclesHigh] = static_cast<uint32_t>(number >> 32U);
  };
  const uint64_t before = number;
  const auto report = driver.counters();
  ASSERT_TRUE(report);
  EXPECT_GT(report->cycles, before);
  EXPECT_LE(report->cycles, number);
}

TEST(DriverAccess, FaultsNameAllTheirEngines) {
  Table table;
  Driver driver = opened(table);
  table.words[map::kStatus] = map::status::kFault.mask() | map::status::kStop.put(1);
  table.words[map::kFaultsLow] = 3;
  table.words[map::kFaultsHigh] = 1U << 31U;
  const auto report = driver.wait(std::chrono::nanoseconds(1));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "DRV0010");
  EXPECT_EQ(report.error().subject, "SA, SIMD, bit 63");
}

}  // namespace
}  // namespace covenant::driver
