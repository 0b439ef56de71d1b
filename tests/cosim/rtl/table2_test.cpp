/// The benchmark layers in lock step, with their sums of 32 bits as outputs. Where a layer would take the RTL much more
/// than a minute, its output is cropped: rows of an image, rows of a product; which ones is printed.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "compiler/benchmarks/compile_layer.h"
#include "runtime/lockstep/lockstep.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/pipeline/noise_image.h"

namespace covenant::rtl {
namespace {

constexpr uint64_t kMostCycles = 1'000'000;  // cycles of the array, without waiting

uint64_t chunks(uint64_t size, int64_t at_once) {
  return (size + static_cast<uint64_t>(at_once) - 1) / static_cast<uint64_t>(at_once);
}

/// The crop with as many rows of the output as the limit allows; all fields 0 if nothing needs to be cropped.
compiler::Crop crop_of(const compiler::BenchmarkLayer& layer, const acg::Machine& machine) {
  const acg::Compute& array = get(machine, find_compute(machine, "SA").value());
  const int64_t rows = integer_attribute(array, "rows");
  const int64_t columns = integer_attribute(array, "columns");
  const bool is_conv = layer.kind == compiler::BenchmarkKind::kConv;
  const uint64_t cycles_of_row = is_conv ? layer.batch * layer.output_columns * layer.kernel * layer.kernel *
                                               chunks(layer.in_channels, rows) * chunks(layer.out_channels, columns)
                                         : layer.heads * chunks(layer.k, rows) * chunks(layer.n, columns);
  const uint64_t most = std::max<uint64_t>(1, kMostCycles / cycles_of_row);
  compiler::Crop crop;
  if (is_conv && layer.output_rows > most) crop.output_rows = most;
  if (!is_conv && layer.m > most) crop.m = most;
  return crop;
}

void expect_lockstep(const std::string& spec, const std::vector<std::string>& names) {
  const auto machine = acg::load_machine(spec);
  ASSERT_TRUE(machine) << render(machine.error());
  const Model model = testing::model_of(*machine);
  for (const std::string& name : names) {
    const compiler::BenchmarkLayer layer = *compiler::benchmark_layer(name);
    const compiler::Crop crop = crop_of(layer, *machine);
    const auto program = compiler::compile_layer(name, *machine, crop);
    ASSERT_TRUE(program) << name << " " << render(program.error());
    const auto result = runtime::lockstep(model, *program, test::noise_image(*program, 1));
    ASSERT_TRUE(result) << name << " " << render(result.error());
    EXPECT_EQ(result->differences, 0U) << name << "\n" << (result->first ? runtime::render(*result->first) : "");
    const uint64_t rows = std::max(crop.m, crop.output_rows);
    fmt::print("{} {}{}: {} instructions, {} cycles, {} differences, RTL {:.1f} s\n", spec, name,
               rows == 0 ? "" : fmt::format(" ({} of {} rows)", rows, std::max(layer.m, layer.output_rows)),
               result->instructions, result->cycles, result->differences, result->rtl_seconds);
    std::fflush(stdout);
  }
}

std::vector<std::string> all_layers() {
  std::vector<std::string> names;
  for (const compiler::BenchmarkLayer& layer : compiler::benchmark_layers()) names.push_back(layer.name);
  return names;
}

bool is_full() { return std::getenv("COVENANT_FULL") != nullptr; }

TEST(Table2, GeneSys8x8) {
  if (!is_full()) GTEST_SKIP() << "COVENANT_FULL=1 runs every layer";
  expect_lockstep("genesys:8x8", all_layers());
}

TEST(Table2, GeneSys16x16) {
  if (!is_full()) GTEST_SKIP() << "COVENANT_FULL=1 runs every layer";
  expect_lockstep("genesys:16x16", all_layers());
}

TEST(Table2, DnnWeaver) {
  if (!is_full()) GTEST_SKIP() << "COVENANT_FULL=1 builds an array of 64 x 64";
  expect_lockstep("dnnweaver", {"DLRM/FC2", "ResNet50/CONV2"});
}

}  // namespace
}  // namespace covenant::rtl
