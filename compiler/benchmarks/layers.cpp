#include "compiler/benchmarks/layers.h"

#include <algorithm>
#include <charconv>

#include "acg/base/check.h"
#include "compiler/benchmarks/table2.h"

namespace covenant::compiler {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  if (text.empty()) return value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc() && end == text.data() + text.size(), "a number of the table of layers");
  return value;
}

BenchmarkLayer layer_of(std::string_view line) {
  const std::vector<std::string_view> cells = split(line, ',');
  check(cells.size() == 15, "a row of the table of layers");
  BenchmarkLayer layer;
  layer.name = std::string(cells[0]);
  layer.kind = cells[1] == "conv" ? BenchmarkKind::kConv : BenchmarkKind::kGemm;
  layer.heads = number(cells[2]);
  layer.m = number(cells[3]);
  layer.k = number(cells[4]);
  layer.n = number(cells[5]);
  layer.batch = number(cells[6]);
  layer.input_rows = layer.input_columns = number(cells[7]);
  layer.output_rows = layer.output_columns = number(cells[8]);
  layer.kernel = number(cells[9]);
  layer.in_channels = number(cells[10]);
  layer.out_channels = number(cells[11]);
  layer.stride = number(cells[12]);
  layer.pad = number(cells[13]);
  layer.note = std::string(cells[14]);
  return layer;
}

uint64_t cut(uint64_t size, uint64_t most) { return most == 0 ? size : std::min(size, most); }

/// Image rows covered by `outputs` rows of windows, less the padding above them.
uint64_t image_under(const BenchmarkLayer& layer, uint64_t outputs, uint64_t whole) {
  const uint64_t spanned = (outputs - 1) * layer.stride + layer.kernel;
  return std::min(whole, spanned - std::min(layer.pad, spanned - 1));
}

}  // namespace

std::vector<BenchmarkLayer> benchmark_layers() {
  std::vector<BenchmarkLayer> layers;
  bool is_header = true;
  for (const std::string_view line : split(table2_text(), '\n')) {
    if (line.empty() || line.front() == '#') continue;
    if (!is_header) layers.push_back(layer_of(line));
    is_header = false;
  }
  return layers;
}

Result<BenchmarkLayer> benchmark_layer(std::string_view name) {
  std::vector<std::string> names;
  for (BenchmarkLayer& layer : benchmark_layers()) {
    if (layer.name == name) return std::move(layer);
    names.push_back(std::move(layer.name));
  }
  return Diagnostic{
      "GEN0040", {}, "", "there is no such benchmark layer", std::string(name), names, "choose one of these"};
}

BenchmarkLayer cropped(const BenchmarkLayer& layer, const Crop& crop) {
  BenchmarkLayer made = layer;
  made.heads = cut(layer.heads, crop.heads);
  made.m = cut(layer.m, crop.m);
  made.k = cut(layer.k, crop.k);
  made.n = cut(layer.n, crop.n);
  if (layer.kind == BenchmarkKind::kGemm) return made;
  made.in_channels = cut(layer.in_channels, crop.in_channels);
  made.out_channels = cut(layer.out_channels, crop.out_channels);
  made.output_rows = cut(layer.output_rows, crop.output_rows);
  made.output_columns = cut(layer.output_columns, crop.output_columns);
  if (made.output_rows < layer.output_rows) made.input_rows = image_under(layer, made.output_rows, layer.input_rows);
  if (made.output_columns < layer.output_columns) {
    made.input_columns = image_under(layer, made.output_columns, layer.input_columns);
  }
  return made;
}

uint64_t benchmark_macs(const BenchmarkLayer& layer) {
  if (layer.kind == BenchmarkKind::kGemm) return layer.heads * layer.m * layer.k * layer.n;
  return layer.batch * layer.output_rows * layer.output_columns * layer.out_channels * layer.kernel * layer.kernel *
         layer.in_channels;
}

}  // namespace covenant::compiler
