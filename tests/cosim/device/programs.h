/// Programs for devices: a network with its expected results, and short programs that fail.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/pipeline.h"
#include "runtime/driver/driver.h"
#include "runtime/session/image.h"
#include "sim/run/simulate.h"
#include "tests/cosim/device/device.h"
#include "tests/support/folders.h"
#include "tests/support/sim/run.h"

namespace covenant::driver::testing {

using sim::testing::Assembly;

/// Its clock has a cycle of one nanosecond.
inline const acg::Machine& machine() {
  static const acg::Machine small = sim::testing::small_machine(3, 4);
  return small;
}

/// A program, the image that it starts from, and what the simulator makes of it.
struct Sample {
  acg::Program program;
  std::vector<uint8_t> before;
  std::vector<uint8_t> after;
  uint64_t cycles = 0;
};

inline Sample sample(acg::Program program, const std::vector<uint8_t>& image) {
  Sample sample{std::move(program), image, image, 0};
  const auto result = sim::simulate(sample.program, sample.after);
  if (!result) throw std::runtime_error(render(result.error()));
  sample.cycles = result->cycles;
  return sample;
}

/// The digits model on noise.
inline Sample digits_on(const acg::Machine& machine) {
  auto program = compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine);
  if (!program) throw std::runtime_error(render(program.error()));
  std::vector<uint8_t> image = runtime::initial_image(*program);
  std::mt19937_64 random(1);
  for (const acg::TensorBinding& input : program->inputs) {
    const uint64_t bytes = size_in_memory(input).value();
    std::generate_n(image.begin() + static_cast<std::ptrdiff_t>(input.address), bytes,
                    [&] { return static_cast<uint8_t>(random()); });
  }
  return sample(std::move(*program), image);
}
inline const Sample& digits() {
  static const Sample made = digits_on(machine());
  return made;
}

/// Moves a row of bytes from 0 to `to`.
inline Assembly copying(uint32_t to = 4096) {
  Assembly a(machine());
  constexpr int32_t kBytes = 96;
  a.group("DRAM->VMEM1").wait("VMEM1", sim::testing::kFree).load(0, 0, kBytes).post("VMEM1", sim::testing::kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", sim::testing::kFull).store(to, 0, kBytes).post("VMEM1", sim::testing::kFree);
  return std::move(a.end_block(true));
}

/// Waits for a token that is never posted.
inline Assembly endless() {
  Assembly a(machine());
  a.group("SA").wait("IBUF", sim::testing::kFull).end_block(true);
  return a;
}

/// A word of no unit, for the systolic array.
inline Assembly wrong() {
  Assembly a(machine());
  a.group("SA").raw(0xFFFFFFFFU).end_block(true);
  return a;
}

/// A short program with the image that it starts from.
struct Short {
  acg::Program program;
  std::vector<uint8_t> image;
};

/// Packets as text, from the first byte of an image on.
Short assembled(const acg::Machine& machine, const std::vector<std::string>& packets);

/// The programs of the suite in the words of one machine, and the expected results.
class Programs {
 public:
  Programs() = default;
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  virtual ~Programs() = default;

  virtual const acg::Machine& machine() const = 0;
  virtual uint64_t memory_bytes() const = 0;  ///< size of a memory that holds all of them
  virtual const Sample& digits() const = 0;
  virtual uint64_t blocks_of(const acg::Program& program) const = 0;  ///< blocks that the device counts
  /// Moves a row of bytes to the address `to`, or beside the program.
  virtual Short copying(std::optional<uint32_t> to = {}) const = 0;
  /// Checks that `copying` has moved its bytes.
  virtual void expect_moved(const RunReport& report) const = 0;
  virtual Short endless() const = 0;
  virtual Short wrong() const = 0;
  virtual Short of_another_machine() const = 0;
  virtual uint64_t misplaced_start() const = 0;  ///< an address at which no program can begin
  virtual uint64_t least_delay() const = 0;      ///< for `digits`, in cycles, if memory has banks
  virtual std::string storing() const = 0;       ///< engine that has the fault of a store in `copying`
  virtual std::string wronged() const = 0;       ///< engine that has the fault of `wrong`
};

}  // namespace covenant::driver::testing
