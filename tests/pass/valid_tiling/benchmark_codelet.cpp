#include "tests/pass/valid_tiling/benchmark_codelet.h"

namespace covenant::compiler::testing {

Layer benchmark_params(const BenchmarkLayer& one, bool with_dtypes) {
  Layer layer{one.name, {}, {}};
  const auto set = [&](const char* name, uint64_t value) { layer.params[name] = static_cast<int64_t>(value); };
  if (one.kind == BenchmarkKind::kGemm) {
    set("G", one.heads);
    set("N", one.m);
    set("K", one.k);
    set("O", one.n);
  } else {
    set("N", one.batch);
    set("IH", one.input_rows);
    set("IW", one.input_columns);
    set("IC", one.in_channels);
    set("OH", one.output_rows);
    set("OW", one.output_columns);
    set("OC", one.out_channels);
    set("ZX", 0);
    for (const char* name : {"KH", "KW"}) set(name, one.kernel);
    for (const char* name : {"SH", "SW"}) set(name, one.stride);
    for (const char* name : {"DH", "DW"}) set(name, 1);
    for (const char* name : {"PT", "PL"}) set(name, one.pad);
  }
  if (with_dtypes) layer.dtypes = {{"x", DType::kI8}, {"w", DType::kI8}, {"b", DType::kI32}, {"y", DType::kI32}};
  return layer;
}

}  // namespace covenant::compiler::testing
