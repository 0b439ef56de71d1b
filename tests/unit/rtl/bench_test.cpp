/// Modules of the RTL alone, in small Verilated benches. COVENANT_FULL=1 runs the exhaustive ones too (minutes).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "acg/lang/load.h"
#include "rtl/cosim/process.h"
#include "rtl/gen/generate.h"
#include "tests/support/folders.h"

namespace covenant::rtl {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = fs::path(source_folder()) / "rtl" / "src";
const fs::path kBenches = fs::path(source_folder()) / "tests" / "unit" / "rtl";

std::string content(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Builds a bench in a folder of its own and runs it with `arguments`; what it printed is in the failure message.
void run_bench(const std::string& name, const std::string& top, const std::vector<fs::path>& sources,
               const std::vector<std::string>& options, const std::string& flags,
               const std::vector<std::string>& arguments) {
  const fs::path folder = fs::path(rtl_models_folder()) / ("bench_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::vector<std::string> command{"verilator",
                                   "--cc",
                                   "--exe",
                                   "--build",
                                   "-Wall",
                                   "--top-module",
                                   top,
                                   "--prefix",
                                   "V" + top,
                                   "--Mdir",
                                   "obj",
                                   "-o",
                                   "bench",
                                   "-MAKEFLAGS",
                                   "OPT_FAST=-O2",
                                   "-CFLAGS",
                                   "-std=c++20 -ffp-contract=off " + flags,
                                   (fs::path(source_folder()) / "rtl" / "lint" / "waivers.vlt").string()};
  command.insert(command.end(), options.begin(), options.end());
  for (const fs::path& source : sources) command.push_back(source.string());
  ASSERT_EQ(run_process(command, folder, folder / "build.log"), 0) << content(folder / "build.log");
  std::vector<std::string> run{(folder / "obj" / "bench").string()};
  run.insert(run.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(run_process(run, folder, folder / "run.log"), 0) << content(folder / "run.log");
}

TEST(Bench, SinglePrecisionEqualsTheHost) {
  std::vector<std::string> arguments{"1000000"};
  if (std::getenv("COVENANT_FULL") != nullptr) arguments = {"50000000", "all"};
  run_bench("f32", "f32_bench",
            {kSource / "common/covenant_f32_pkg.sv", kBenches / "f32_bench.sv", kBenches / "f32_bench.cpp"}, {}, "",
            arguments);
}

TEST(Bench, RegistersOfBothModelsAreAlike) {
  const fs::path root = source_folder();
  const std::string seed = std::getenv("COVENANT_SEED") != nullptr ? std::getenv("COVENANT_SEED") : "1";
  run_bench("host", "covenant_host",
            {kSource / "device/covenant_registers_pkg.sv", kSource / "device/covenant_registers.sv",
             kSource / "device/covenant_control.sv", kSource / "device/covenant_host.sv", kBenches / "host_bench.cpp",
             root / "sim/common/registers.cpp"},
            {"-GNumFaults=40", "-GAlignment=8", "-GMachineHash=64'h0123456789ABCDEF", "--assert"}, "-I" + root.string(),
            {"200000", seed});
}

TEST(Bench, MastersOfThreeWidthsKeepTheProtocolOfTheirBus) {
  const std::string seed = std::getenv("COVENANT_SEED") != nullptr ? std::getenv("COVENANT_SEED") : "1";
  const fs::path device = kSource / "device";
  run_bench("axi", "axi_bench",
            {kSource / "common/covenant_queue.sv", device / "covenant_turns.sv", device / "covenant_axi_read.sv",
             device / "covenant_axi_write.sv", device / "covenant_axi_read_mux.sv",
             device / "covenant_axi_write_mux.sv", kBenches / "axi_bench.sv", kBenches / "axi_bench.cpp"},
            {"--assert"}, "", {"200000", seed});
}

TEST(Bench, GridMultipliesMatricesOnTime) {
  for (const auto& [rows, columns] : {std::pair{3, 5}, {6, 2}, {1, 1}, {4, 4}}) {
    SCOPED_TRACE(::testing::Message() << rows << "x" << columns);
    const std::string shape = "-DROWS=" + std::to_string(rows) + " -DCOLUMNS=" + std::to_string(columns);
    run_bench(
        "grid", "covenant_systolic_grid",
        {kSource / "stream/systolic_array/covenant_systolic_grid.sv", kSource / "common/covenant_delay.sv",
         kBenches / "grid_bench.cpp"},
        {"-GRows=" + std::to_string(rows), "-GColumns=" + std::to_string(columns), "-GWeightUnits=6", "-GWriteBytes=4"},
        shape, {});
  }
}

/// Writes the generated files of a machine; the folder.
fs::path generated(const std::string& name, const std::vector<std::pair<std::string, std::string>>& set) {
  const fs::path folder = fs::path(rtl_models_folder()) / ("generated_" + name);
  fs::create_directories(folder);
  const auto machine = acg::load_machine("genesys", set);
  const auto files = generate(*machine);
  for (const auto& [file, text] : *files) std::ofstream(folder / file) << text;
  return folder;
}

TEST(Generated, LintsCleanAsAWholeAndModuleByModule) {
  const fs::path folder = generated("lint", {{"M", "5"}, {"N", "3"}, {"axi", "64"}});
  fs::remove(folder / "lint.log");
  EXPECT_EQ(run_process({"make", "lint", "lint-modules"}, folder, folder / "lint.log"), 0)
      << content(folder / "lint.log");
}

TEST(Generated, SameMachineSameBytes) {
  const auto machine = acg::load_machine("genesys", {{"M", "7"}});
  const auto one = generate(*machine);
  const auto two = generate(*machine);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(*one, *two);
  EXPECT_TRUE(one->contains("covenant_top.sv"));
  EXPECT_TRUE(one->contains("covenant_pkg.sv"));
}

}  // namespace
}  // namespace covenant::rtl
