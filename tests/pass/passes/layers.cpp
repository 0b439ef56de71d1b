#include "tests/pass/passes/layers.h"

#include <cstring>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "compiler/codelet/packing.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/verify.h"
#include "compiler/families/stream/double_buffer.h"
#include "compiler/library/library.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/schedule/splits.h"
#include "tests/support/codelet/unpadded.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Bindings;
using codelet::Codelet;
using codelet::Constant;
using codelet::Surrogate;
using codelet::SurrogateKind;

int64_t zero_point(DType dtype) { return dtype == DType::kI8 ? -5 : 7; }
Constant real(float value) { return {DType::kF32, 0, value}; }

int64_t out_size(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t before, int64_t after) {
  return (in + before + after - (kernel - 1) * dilation - 1) / stride + 1;
}

size_t elements(const Surrogate& surrogate) {
  size_t product = 1;
  for (const int64_t extent : constants(surrogate.shape)) product *= static_cast<size_t>(extent);
  return product;
}

void window_params(Layer& layer, const ConvShape& shape) {
  layer.params.insert({{"N", shape.n},
                       {"IH", shape.ih},
                       {"IW", shape.iw},
                       {"KH", shape.kh},
                       {"KW", shape.kw},
                       {"SH", shape.sh},
                       {"SW", shape.sw},
                       {"DH", shape.dh},
                       {"DW", shape.dw},
                       {"PT", shape.pt},
                       {"PL", shape.pl},
                       {"OH", out_size(shape.ih, shape.kh, shape.sh, shape.dh, shape.pt, shape.pb)},
                       {"OW", out_size(shape.iw, shape.kw, shape.sw, shape.dw, shape.pl, shape.pr)}});
}

ConvShape random_window(Random& random) {
  ConvShape shape;
  shape.n = between(random, 1, 2);
  shape.kh = between(random, 1, 4);
  shape.kw = between(random, 1, 4);
  shape.sh = between(random, 1, 3);
  shape.sw = between(random, 1, 3);
  shape.dh = between(random, 1, 2);
  shape.dw = between(random, 1, 2);
  shape.pt = between(random, 0, shape.kh - 1);
  shape.pl = between(random, 0, shape.kw - 1);
  shape.pb = between(random, 0, shape.kh - 1);
  shape.pr = between(random, 0, shape.kw - 1);
  shape.ih = (shape.kh - 1) * shape.dh + 1 + between(random, 0, 6);
  shape.iw = (shape.kw - 1) * shape.dw + 1 + between(random, 0, 6);
  shape.ic = between(random, 1, 26);
  shape.oc = between(random, 1, 26);
  return shape;
}

}  // namespace

TestLayer conv_layer(const ConvShape& shape, DType dtype) {
  TestLayer result{"conv", {"conv_layer", {}, {}}};
  window_params(result.layer, shape);
  result.layer.params.insert({{"IC", shape.ic},
                              {"OC", shape.oc},
                              {"ZX", zero_point(dtype)},
                              {"ZY", int64_t{3}},
                              {"LOWEST", lowest(dtype)},
                              {"HIGHEST", highest(dtype)}});
  result.layer.dtypes = {{"x", dtype}, {"w", DType::kI8}, {"b", DType::kI32}, {"s", DType::kF32}, {"y", dtype}};
  return result;
}

TestLayer grouped_conv_layer(const ConvShape& shape, int64_t groups, DType dtype) {
  TestLayer result = conv_layer(shape, dtype);
  result.codelet = "conv_grouped";
  result.layer.params["G"] = groups;
  return result;
}

TestLayer gemm_layer(int64_t n, int64_t k, int64_t o, DType dtype) {
  TestLayer result{"gemm", {"gemm_layer", {}, {}}};
  result.layer.params = {
      {"N", n}, {"K", k}, {"O", o}, {"ZY", int64_t{3}}, {"LOWEST", lowest(dtype)}, {"HIGHEST", highest(dtype) - 9}};
  result.layer.dtypes = {{"x", dtype}, {"w", DType::kI8}, {"b", DType::kI32}, {"s", DType::kF32}, {"y", dtype}};
  return result;
}

TestLayer add_layer(int64_t p, int64_t c, DType dtype) {
  TestLayer result{"add", {"add_layer", {}, {}}};
  result.layer.params = {{"P", p},
                         {"C", c},
                         {"SA", real(0.37F)},
                         {"SB", real(0.81F)},
                         {"OFFSET", real(2.25F)},
                         {"ZY", int64_t{3}},
                         {"LOWEST", lowest(dtype)},
                         {"HIGHEST", highest(dtype)}};
  result.layer.dtypes = {{"a", dtype}, {"b", dtype}, {"y", dtype}};
  return result;
}

TestLayer clip_layer(int64_t p, int64_t c, DType dtype) {
  TestLayer result{"clip", {"clip_layer", {}, {}}};
  result.layer.params = {{"P", p}, {"C", c}, {"LOWEST", lowest(dtype) + 20}, {"HIGHEST", highest(dtype) - 40}};
  result.layer.dtypes = {{"x", dtype}, {"y", dtype}};
  return result;
}

TestLayer max_pool_layer(const ConvShape& shape, DType dtype) {
  TestLayer result{"max_pool", {"max_pool_layer", {}, {}}};
  window_params(result.layer, shape);
  result.layer.params.insert({{"C", shape.ic}, {"FILL", lowest(dtype)}});
  result.layer.dtypes = {{"x", dtype}, {"y", dtype}};
  return result;
}

TestLayer average_pool_layer(const ConvShape& shape, DType dtype) {
  TestLayer result{"average_pool", {"average_pool_layer", {}, {}}};
  window_params(result.layer, shape);
  result.layer.params.insert({{"C", shape.ic},
                              {"ZX", zero_point(dtype)},
                              {"SX", real(0.043F)},
                              {"COUNT", real(static_cast<float>(shape.kh * shape.kw))},
                              {"SY", real(0.031F)},
                              {"OFFSET", real(3.0F)},
                              {"ZY", int64_t{0}},
                              {"LOWEST", lowest(dtype)},
                              {"HIGHEST", highest(dtype)}});
  result.layer.dtypes = {{"x", dtype}, {"y", dtype}};
  return result;
}

TestLayer average_pool_integer_layer(const ConvShape& shape, DType dtype, bool counts) {
  TestLayer result{counts ? "average_pool_integer_counts" : "average_pool_integer", {"average_pool_layer", {}, {}}};
  window_params(result.layer, shape);
  result.layer.params.insert({{"C", shape.ic},
                              {"ZX", zero_point(dtype)},
                              {"OFFSET", -shape.kh * shape.kw * zero_point(dtype)},
                              {"ZY", int64_t{3}},
                              {"LOWEST", lowest(dtype)},
                              {"HIGHEST", highest(dtype)}});
  result.layer.dtypes = {{"x", dtype}, {"y", dtype}};
  if (counts) {
    result.layer.dtypes["s"] = DType::kF32;
  } else {
    result.layer.params["SCALE"] = real(1.3F / static_cast<float>(shape.kh * shape.kw));
  }
  return result;
}

TestLayer global_average_pool_layer(int64_t n, int64_t ih, int64_t iw, int64_t c, DType dtype) {
  TestLayer result{"global_average_pool", {"pool_layer", {}, {}}};
  result.layer.params = {{"N", n},
                         {"IH", ih},
                         {"IW", iw},
                         {"C", c},
                         {"OFFSET", -ih * iw * zero_point(dtype)},
                         {"SCALE", real(1.3F / static_cast<float>(ih * iw))},
                         {"ZY", int64_t{3}},
                         {"LOWEST", lowest(dtype)},
                         {"HIGHEST", highest(dtype)}};
  result.layer.dtypes = {{"x", dtype}, {"y", dtype}};
  return result;
}

TestLayer random_layer(Random& random) {
  const DType dtype = between(random, 0, 1) == 0 ? DType::kI8 : DType::kU8;
  const auto channels = [&] { return between(random, 1, 50); };
  switch (between(random, 0, 6)) {
    case 0:
      return gemm_layer(between(random, 1, 4), between(random, 1, 70), channels(), dtype);
    case 1:
      return add_layer(between(random, 1, 40), channels(), dtype);
    case 2:
      return clip_layer(between(random, 1, 40), channels(), dtype);
    case 3:
      return max_pool_layer(random_window(random), dtype);
    case 4:
      return average_pool_layer(random_window(random), dtype);
    case 5:
      return global_average_pool_layer(between(random, 1, 2), between(random, 1, 6), between(random, 1, 6), channels(),
                                       dtype);
    default:
      return conv_layer(random_window(random), dtype);
  }
}

Codelet bound(const TestLayer& layer) {
  const Result<Codelet> library = library_codelet(layer.codelet);
  if (!library) throw std::runtime_error(render(library.error()));
  const Result<Codelet> made = bind(*library, layer.layer);
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

acg::Machine genesys(const std::vector<std::pair<std::string, int64_t>>& set) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : set) texts.emplace_back(name, std::to_string(value));
  Result<acg::Machine> machine = acg::load_machine("genesys", texts);
  if (!machine) throw std::runtime_error(render(machine.error()));
  return *machine;
}

int64_t between(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

acg::Machine random_machine(Random& random, int64_t scale) {
  return genesys({{"M", between(random, 1, 24)},
                  {"N", between(random, 1, 24)},
                  {"axi", 64 << between(random, 0, 3)},
                  {"input_depth", between(random, 1, 20) * scale},
                  {"weight_depth", between(random, 1, 10) * scale},
                  {"bias_depth", between(random, 1, 2) * scale},
                  {"output_depth", between(random, 1, 8) * scale},
                  {"vector_depth", between(random, 1, 8) * scale}});
}

Bindings random_inputs(const Codelet& bound, Random& random) {
  Bindings tensors;
  for (const Surrogate& surrogate : bound.surrogates) {
    if (surrogate.kind != SurrogateKind::kInp) continue;
    const DType dtype = surrogate.dtype.value();
    const size_t count = elements(surrogate);
    std::vector<uint8_t>& data = tensors[surrogate.name];
    data.resize(count * bytes(dtype));
    for (size_t i = 0; i < count; ++i) {
      if (dtype == DType::kF32) {
        const float scale = std::uniform_real_distribution<float>(0.0005F, 0.02F)(random);
        std::memcpy(data.data() + 4 * i, &scale, 4);
      } else if (dtype == DType::kI32) {
        const auto bias = static_cast<int32_t>(between(random, -3000, 3000));
        std::memcpy(data.data() + 4 * i, &bias, 4);
      } else {
        data[i] = static_cast<uint8_t>(between(random, 0, 255));
      }
    }
  }
  return tensors;
}

Result<std::vector<Stage>> stages_of(const char* first, Codelet source, const acg::Machine& machine,
                                     const TilingLimits& limits, const stream::ExpressionLimits& expression) {
  std::vector<Stage> stages;
  const auto add = [&](const char* pass, Result<Codelet> made) -> Status {
    if (!made) return made.error();
    const Status verified = codelet::verify(*made, &machine);
    EXPECT_TRUE(verified) << pass << ": " << render(verified.error()) << print(*made);
    stages.emplace_back(pass, *std::move(made));
    return Done{};
  };
  if (Status done = add(first, std::move(source)); !done) return done.error();
  const Result<codelet::Codelet> placed = place(stages.back().second, machine);
  if (Status done = add("place", placed ? route(*placed, machine) : placed); !done) return done.error();
  if (Status done = add("map", map(stages.back().second, machine)); !done) return done.error();
  if (Status done = add("pack", pack(stages.back().second, machine)); !done) return done.error();
  const Result<ScheduleSearch> search = test::schedules(stages.back().second, machine, limits, nullptr, expression);
  if (!search) return search.error();
  const std::vector<Part> parts = parts_of(search->problem, search->simulated.front());
  if (Status done = add("strip_mine", strip_mine(stages.back().second, machine, parts)); !done) return done.error();
  if (Status done = add("insert_transfers", insert_transfers(stages.back().second, machine)); !done) {
    return done.error();
  }
  if (Status done = add("hoist", hoist(stages.back().second)); !done) return done.error();
  if (Status done = add("double_buffer", stream::double_buffer(stages.back().second, machine)); !done)
    return done.error();
  return stages;
}

Result<std::vector<Stage>> all_stages(const TestLayer& layer, const acg::Machine& machine, const TilingLimits& limits,
                                      const stream::ExpressionLimits& expression) {
  return stages_of("bind", bound(layer), machine, limits, expression);
}

void expect_same_meaning(const std::vector<Stage>& stages, const acg::Machine& machine, Random& random) {
  const Bindings inputs = random_inputs(stages.front().second, random);
  Bindings expected = inputs;
  const Status run = codelet::interpret(stages.front().second, nullptr, expected);
  ASSERT_TRUE(run) << render(run.error());
  for (const auto& [pass, made] : stages) {
    Bindings tensors;
    for (const Surrogate& surrogate : made.surrogates) {
      if (surrogate.kind != SurrogateKind::kInp) continue;
      // Values in the padding must not matter: the layer before leaves other values there than this one's fill.
      Surrogate padded_with_anything = surrogate;
      padded_with_anything.fill = between(random, 0, 100);
      tensors[surrogate.name] = codelet::to_packed(padded_with_anything, inputs.at(surrogate.name));
    }
    const Status done = codelet::interpret(made, &machine, tensors);
    ASSERT_TRUE(done) << pass << ": " << render(done.error());
    for (const Surrogate& surrogate : made.surrogates) {
      if (surrogate.kind != SurrogateKind::kOut) continue;
      ASSERT_EQ(test::unpadded(surrogate, tensors.at(surrogate.name)), expected.at(surrogate.name))
          << "after " << pass << " on rows x columns = " << machine.parameters.at("M") << "x"
          << machine.parameters.at("N") << "\n"
          << print(stages.front().second) << print(made);
    }
  }
}

}  // namespace covenant::compiler::testing
