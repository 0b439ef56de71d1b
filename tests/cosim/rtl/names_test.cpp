/// Machines whose names are words of SystemVerilog, of C++, of the generator, of tools, or almost equal: their RTL
/// lints, and runs random layers in lock step.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "rtl/cosim/process.h"
#include "rtl/gen/generate.h"
#include "runtime/session/image.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/acg/renamed.h"
#include "tests/support/folders.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
namespace fs = std::filesystem;

std::string long_name(char last) { return std::string(299, 'L') + last; }

/// Names of instances and nets of the generator, names equal but for case or where `->` is spelt, underscores anywhere.
acg::Machine like_ours() {
  return test::renamed_genesys({{"DRAM", "DRAM"},
                                {"IMEM", "FILL"},
                                {"IBUF", "IBUF"},
                                {"WBUF", "DRAM_to_IBUF"},
                                {"BBUF", "ibuf"},
                                {"OBUF", "__Ibuf__"},
                                {"VMEM1", "STATUS"},
                                {"VMEM2", "dram_to_ibuf_PATH"},
                                {"IMM", "_"},
                                {"SA", "CHANNEL"},
                                {"SIMD", "FETCH"}},
                               "OBSERVER");
}

/// Words of languages and tools, and names of 300 letters.
acg::Machine like_words() {
  return test::renamed_genesys({{"genesys", long_name('m')},
                                {"DRAM", "Verilator"},
                                {"IMEM", "fork"},
                                {"IBUF", "module"},
                                {"WBUF", "Module"},
                                {"BBUF", "class"},
                                {"OBUF", "_1"},
                                {"VMEM1", long_name('1')},
                                {"VMEM2", long_name('2')},
                                {"IMM", "endmodule"},
                                {"SA", "int"},
                                {"SIMD", "u_module"},
                                {"TYPES", "verilator"}},
                               "this");
}

void lint(const acg::Machine& machine, const std::string& name) {
  const auto files = generate(machine);
  ASSERT_TRUE(files) << render(files.error());
  const fs::path folder = fs::path(rtl_models_folder()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [file, text] : *files) std::ofstream(folder / file) << text;
  const fs::path log = folder / "make.log";
  std::stringstream text;
  const int code = run_process({"make", "lint"}, folder, log);
  text << std::ifstream(log).rdbuf();
  EXPECT_EQ(code, 0) << text.str();
}

void run_layers(const acg::Machine& machine) {
  constexpr uint64_t kSeed = 7, kLayers = 20;
  const Model model = model_of(machine);
  uint64_t ran = 0;
  for (uint64_t l = 0; l < kLayers; ++l) {
    SCOPED_TRACE(fmt::format("seed {} layer {}", kSeed, l));
    const runtime::RandomLayer layer = runtime::random_layer(kSeed, l, machine);
    const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (!program) continue;
    EXPECT_EQ(lockstep(model, *program, *runtime::image_of(*program, layer.inputs)), Outcome::kSame)
        << layer.graph.name;
    ++ran;
  }
  EXPECT_GE(ran, kLayers * 3 / 4);
}

TEST(HostileNames, OfTheGeneratorRunInLockStep) {
  lint(like_ours(), "names_like_ours");
  run_layers(like_ours());
}

TEST(HostileNames, OfLanguagesAndToolsRunInLockStep) {
  lint(like_words(), "names_like_words");
  run_layers(like_words());
}

}  // namespace
}  // namespace covenant::rtl
