/// Device conformance by the driver: programs that end, that fail, and every mistake of a host.
#include "tests/cosim/device/conformance.h"

#include "runtime/driver/driver.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A device with a driver.
struct Opened {
  std::unique_ptr<Device> device;
  Driver driver;
};

Opened opened(const Factory& factory) {
  const Programs& programs = factory.programs();
  auto device = factory.make(programs.machine(), programs.memory_bytes());
  auto driver = Driver::open(device->registers(), device->memory(), programs.machine());
  if (!driver) throw std::runtime_error(render(driver.error()));
  return {std::move(device), std::move(*driver)};
}

/// Loads a hand-written program and starts it.
void start(Driver& driver, const Short& made) {
  EXPECT_TRUE(driver.load(made.program, made.image));
  EXPECT_TRUE(driver.start(made.program));
}

/// Digits run to their end, with the bytes of the simulator, and its cycles if they are those of the device's memory.
void expect_digits(Driver& driver, const Factory& factory) {
  const Sample& sample = factory.programs().digits();
  ASSERT_TRUE(driver.load(sample.program, sample.before));
  const Status start = driver.start(sample.program);
  ASSERT_TRUE(start) << render(start.error());
  const auto report = driver.wait(milliseconds(100));
  ASSERT_TRUE(report) << render(report.error());
  if (factory.is_fixed) {
    EXPECT_EQ(report->cycles, sample.cycles);
  } else {
    EXPECT_GE(report->cycles, sample.cycles + factory.programs().least_delay());
  }
  EXPECT_EQ(report->blocks, factory.programs().blocks_of(sample.program));
  std::vector<uint8_t> image(sample.before.size());
  ASSERT_TRUE(driver.read_back(sample.program, image));
  EXPECT_EQ(image, sample.after);
}

void expect_refused(const Status& status, const std::string& code, const std::string& subject) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, code) << render(status.error());
  EXPECT_EQ(status.error().subject, subject) << render(status.error());
  EXPECT_FALSE(status.error().fix.empty());
}

void expect_ended(const Result<RunReport>& report, const std::string& code, const std::string& subject) {
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, code) << render(report.error());
  EXPECT_EQ(report.error().subject, subject) << render(report.error());
  EXPECT_FALSE(report.error().fix.empty());
}

TEST_P(Conformance, RunsAsTheSimulatorDoes) {
  Opened opened_device = opened(GetParam());
  expect_digits(opened_device.driver, GetParam());
}

TEST_P(Conformance, RunsAnyNumberOfTimes) {
  Opened opened_device = opened(GetParam());
  for (int k = 0; k < 3; ++k) expect_digits(opened_device.driver, GetParam());
}

TEST_P(Conformance, CountsWhatMovesOffChip) {
  auto [device, driver] = opened(GetParam());
  start(driver, GetParam().programs().copying());
  const auto report = driver.wait(milliseconds(1));
  ASSERT_TRUE(report) << render(report.error());
  GetParam().programs().expect_moved(*report);
  EXPECT_EQ(report->blocks, 1U);
  EXPECT_EQ(report->stalled, 0U);  // a fixed latency stalls no engine
}

TEST_P(Conformance, RaisesTheLineAtTheEnd) {
  auto [device, driver] = opened(GetParam());
  EXPECT_FALSE(device->interrupt());
  start(driver, GetParam().programs().copying());
  EXPECT_FALSE(device->interrupt()) << "nothing is enabled";
  EXPECT_TRUE(driver.wait(milliseconds(1)));
  EXPECT_FALSE(device->interrupt()) << "the driver has cleared it";
  EXPECT_TRUE(driver.start(GetParam().programs().copying().program));
  EXPECT_TRUE(device->registers().wait_interrupt(milliseconds(1)));
  EXPECT_TRUE(driver.clear());
  EXPECT_FALSE(device->interrupt());
}

TEST_P(Conformance, AStartWhileBusyChangesNothing) {
  auto [device, driver] = opened(GetParam());
  const Sample& sample = GetParam().programs().digits();
  ASSERT_TRUE(driver.load(sample.program, sample.before));
  ASSERT_TRUE(driver.start(sample.program));
  EXPECT_FALSE(device->registers().wait_interrupt(std::chrono::nanoseconds(200)));
  expect_refused(driver.start(sample.program), "DRV0007", "start");
  ASSERT_EQ(device->registers().write32(registers::kInterruptEnable, registers::interrupt_enable::kRefused.mask()),
            Response::kOkay);
  EXPECT_TRUE(device->interrupt()) << "a start that is refused is an event";
  const auto report = driver.wait(milliseconds(100));
  ASSERT_TRUE(report) << render(report.error());
  if (GetParam().is_fixed) {
    EXPECT_EQ(report->cycles, sample.cycles);
  }
}

TEST_P(Conformance, AnAddressWhereNoProgramCanBeginIsRefused) {
  auto [device, driver] = opened(GetParam());
  expect_refused(driver.start(GetParam().programs().misplaced_start()), "DRV0008", "start");
  expect_refused(driver.start(uint64_t{1} << 32U), "DRV0008", "start");
  const auto status = driver.status();
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->is_busy);
  expect_digits(driver, GetParam());
}

TEST_P(Conformance, AProgramOutsideOfMemoryIsAFaultThatNamesTheAddress) {
  auto [device, driver] = opened(GetParam());
  ASSERT_TRUE(driver.start(0x1000'0000));
  const auto report = driver.wait(milliseconds(1));
  expect_ended(report, "DRV0011", "instruction fetch");
  EXPECT_EQ(report.error().offending, "0x10000000");
  expect_digits(driver, GetParam());
}

TEST_P(Conformance, AStoreOutsideOfMemoryIsAFaultOfItsEngine) {
  auto [device, driver] = opened(GetParam());
  start(driver, GetParam().programs().copying(0x1000'0000));
  const auto report = driver.wait(milliseconds(1));
  expect_ended(report, "DRV0011", GetParam().programs().storing());
  EXPECT_EQ(report.error().offending, "0x10000000");
  expect_digits(driver, GetParam());
}

TEST_P(Conformance, AWrongWordIsAFaultOfItsEngine) {
  auto [device, driver] = opened(GetParam());
  const std::string wronged = GetParam().programs().wronged();
  start(driver, GetParam().programs().wrong());
  expect_ended(driver.wait(milliseconds(1)), "DRV0010", wronged);
  expect_ended(driver.wait(milliseconds(1)), "DRV0010", wronged);  // it is known as long as no other run begins
  expect_digits(driver, GetParam());
}

TEST_P(Conformance, AProgramThatNeverEndsCanBeAborted) {
  auto [device, driver] = opened(GetParam());
  start(driver, GetParam().programs().endless());
  expect_ended(driver.wait(microseconds(2)), "DRV0009", "wait");
  ASSERT_TRUE(driver.abort());
  expect_ended(driver.wait(milliseconds(1)), "DRV0012", "wait");
  ASSERT_TRUE(driver.abort()) << "without a run it does nothing";
  expect_ended(driver.wait(milliseconds(1)), "DRV0012", "wait");
  expect_digits(driver, GetParam());
}

TEST_P(Conformance, AnAbortMeetsARunInAnyOfItsCycles) {
  auto [device, driver] = opened(GetParam());
  for (const uint64_t cycles : {0U, 1U, 3U, 4U, 5U, 45U, 46U, 60U, 83U, 90U, 120U, 200U}) {
    start(driver, GetParam().programs().copying());
    device->registers().wait_interrupt(std::chrono::nanoseconds(cycles));
    ASSERT_TRUE(driver.abort());
    const auto report = driver.wait(milliseconds(1));
    if (!report) expect_ended(report, "DRV0012", "wait");  // else the run was over
  }
  expect_digits(driver, GetParam());
}

TEST_P(Conformance, WaitingForNothingIsRefused) {
  auto [device, driver] = opened(GetParam());
  expect_ended(driver.wait(milliseconds(1)), "DRV0013", "wait");
}

TEST_P(Conformance, OtherMachinesAndTheirProgramsAreRefused) {
  const Short other = GetParam().programs().of_another_machine();
  auto [device, driver] = opened(GetParam());
  const auto opened_as_other = Driver::open(device->registers(), device->memory(), other.program.machine);
  ASSERT_FALSE(opened_as_other);
  EXPECT_EQ(opened_as_other.error().code, "DRV0003");
  expect_refused(driver.load(other.program, other.image), "DRV0006", "");
  expect_refused(driver.start(other.program), "DRV0006", "");
}

TEST_P(Conformance, ImagesOfAnotherSizeAreRefused) {
  auto [device, driver] = opened(GetParam());
  Short made = GetParam().programs().copying();
  made.image.push_back(0);
  expect_refused(driver.load(made.program, made.image), "DRV0014", "image");
}

TEST_P(Conformance, MemoriesTooSmallForAProgramAreSaidSo) {
  const Programs& programs = GetParam().programs();
  auto device = GetParam().make(programs.machine(), 4096);
  auto driver = Driver::open(device->registers(), device->memory(), programs.machine());
  ASSERT_TRUE(driver);
  const Short made = programs.copying();
  expect_refused(driver->load(made.program, made.image), "DRV0005", "DRAM");
}

}  // namespace
}  // namespace covenant::driver::testing
