/// A generated folder is self-contained: it lints, and its test passes, or fails if the expected results are wrong.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "rtl/cosim/process.h"
#include "rtl/gen/generate.h"
#include "sim/run/simulate.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/folders.h"

namespace covenant::rtl {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The simulated results of the digits model, as a test of its RTL.
SelfTest digits_on(const acg::Machine& machine) {
  const auto program = compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine);
  if (!program) throw std::runtime_error(render(program.error()));
  std::vector<uint8_t> before(program->memory_bytes, 0);
  for (const acg::Segment& segment : program->segments) {
    std::copy(segment.data.begin(), segment.data.end(), before.begin() + static_cast<std::ptrdiff_t>(segment.address));
  }
  SelfTest test{"digits_qdq.onnx",
                static_cast<uint32_t>(acg::entry_address(*program)),
                acg::memory_ranges(*program),
                before,
                before,
                0};
  const auto result = sim::simulate(*program, test.after);
  if (!result) throw std::runtime_error(render(result.error()));
  test.cycles = result->cycles;
  return test;
}

TEST(Directory, LintsAndTestsItself) {
  const auto machine = acg::load_machine("genesys", {{"M", "4"}, {"N", "3"}});
  ASSERT_TRUE(machine) << render(machine.error());
  const auto files = generate(*machine, digits_on(*machine));
  ASSERT_TRUE(files) << render(files.error());
  const fs::path folder = fs::path(rtl_models_folder()) / "directory";
  fs::remove_all(folder);
  for (const auto& [name, text] : *files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  const fs::path log = folder / "make.log";
  EXPECT_EQ(run_process({"make", "lint", "test"}, folder, log), 0) << content(log);
  EXPECT_NE(content(log).find("PASS: digits_qdq.onnx"), std::string::npos) << content(log);

  // One byte, then the cycles: both are looked at.
  fs::remove(log);
  std::ofstream(folder / "test/after.hex", std::ios::app) << "@0\nff\n";
  EXPECT_NE(run_process({"make", "test"}, folder, log), 0);
  EXPECT_NE(content(log).find("byte 0: "), std::string::npos) << content(log);
  std::ofstream(folder / "test/after.hex") << files->at("test/after.hex");
  std::ofstream(folder / "test/run.txt", std::ios::app) << "cycles 1000000\n";
  fs::remove(log);
  EXPECT_NE(run_process({"make", "test"}, folder, log), 0);
  EXPECT_NE(content(log).find("expected 1000000"), std::string::npos) << content(log);
}

}  // namespace
}  // namespace covenant::rtl
