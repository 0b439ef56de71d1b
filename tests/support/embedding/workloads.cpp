#include "tests/support/embedding/workloads.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "acg/base/check.h"
#include "compiler/codelet/parse.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "tests/support/folders.h"

namespace covenant::test {

using compiler::embedding::Instruction;
using compiler::embedding::Workload;

std::vector<Conv> deepbench_convs() {
  std::ifstream file(std::filesystem::path(source_folder()) / "python/covenant/bench/deepbench/convolutions.csv");
  std::vector<Conv> convs;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string suite, kind, field;
    std::getline(fields, suite, ',');
    std::getline(fields, kind, ',');
    if (kind != "conv") continue;
    std::vector<int64_t> sizes;
    while (std::getline(fields, field, ',')) sizes.push_back(std::stoll(field));
    convs.push_back({sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[7], sizes[8], sizes[9],
                     sizes[10]});
  }
  return convs;
}

Workload conv_workload(const Conv& conv) {
  const int64_t oh = (conv.rows + 2 * conv.pad_rows - conv.height) / conv.stride_rows + 1;
  const int64_t ow = (conv.columns + 2 * conv.pad_columns - conv.width) / conv.stride_columns + 1;
  compiler::Layer layer;
  layer.name = "conv";
  layer.params = {{"N", conv.batch},
                  {"IH", conv.rows},
                  {"IW", conv.columns},
                  {"IC", conv.channels},
                  {"OH", oh},
                  {"OW", ow},
                  {"OC", conv.outputs},
                  {"KH", conv.height},
                  {"KW", conv.width},
                  {"SH", conv.stride_rows},
                  {"SW", conv.stride_columns},
                  {"DH", int64_t{1}},
                  {"DW", int64_t{1}},
                  {"PT", conv.pad_rows},
                  {"PL", conv.pad_columns},
                  {"ZX", int64_t{0}},
                  {"ZY", int64_t{0}},
                  {"LOWEST", int64_t{-128}},
                  {"HIGHEST", int64_t{127}}};
  layer.dtypes = {{"x", DType::kI8}, {"w", DType::kI8}, {"b", DType::kI32}, {"s", DType::kF32}, {"y", DType::kI8}};
  const auto bound = compiler::bind(*compiler::library_codelet("conv"), layer);
  check(static_cast<bool>(bound), "a convolution that does not bind");
  const auto workload = compiler::embedding::workload_of(*bound, {"w", "b", "s"});
  check(static_cast<bool>(workload), "a convolution that is no workload");
  return *workload;
}

Workload workload_in(const std::string& text, const std::set<std::string>& constants) {
  const auto codelet = compiler::codelet::parse(text, "test");
  if (!codelet) fail(render(codelet.error()));
  const auto workload = compiler::embedding::workload_of(*codelet, constants);
  if (!workload) fail(render(workload.error()));
  return *workload;
}

Instruction gemm(uint64_t rows, uint64_t columns, uint64_t inner) {
  acg::Capability capability{"GEMM", {DType::kI32, {rows, columns}}, {}};
  capability.inputs = {{DType::kI8, {rows, inner}}, {DType::kI8, {inner, columns}}, {DType::kI32, {rows, columns}}};
  return *compiler::embedding::instruction_of(capability);
}

Instruction mac(uint64_t lanes, uint64_t inner) {
  acg::Capability capability{"MAC", {DType::kI32, {lanes}}, {}};
  capability.inputs = {{DType::kI8, {lanes * inner}}, {DType::kI8, {lanes * inner}}, {DType::kI32, {lanes}}};
  return *compiler::embedding::instruction_of(capability);
}

}  // namespace covenant::test
