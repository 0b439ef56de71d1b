/// Layers, tensors and machines for tests of passes, and the pipeline stage by stage.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/interpret.h"
#include "compiler/families/stream/cost_model.h"
#include "compiler/passes/bind.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler::testing {

using Random = std::mt19937_64;

/// A layer and the codelet of the library that it binds.
struct TestLayer {
  std::string codelet;
  Layer layer;
};

struct ConvShape {
  int64_t n = 1, ih = 5, iw = 5, ic = 3, oc = 4, kh = 3, kw = 3, sh = 1, sw = 1, pt = 1, pl = 1, pb = 1, pr = 1, dh = 1,
          dw = 1;
};

TestLayer conv_layer(const ConvShape& shape, DType dtype);
/// `shape` has the channels of one group.
TestLayer grouped_conv_layer(const ConvShape& shape, int64_t groups, DType dtype);
TestLayer gemm_layer(int64_t n, int64_t k, int64_t o, DType dtype);
TestLayer add_layer(int64_t p, int64_t c, DType dtype);
TestLayer clip_layer(int64_t p, int64_t c, DType dtype);
TestLayer max_pool_layer(const ConvShape& shape, DType dtype);
/// All windows by one number.
TestLayer average_pool_layer(const ConvShape& shape, DType dtype);
/// By exact sums: all windows divided by one number, or each by its own.
TestLayer average_pool_integer_layer(const ConvShape& shape, DType dtype, bool counts);
TestLayer global_average_pool_layer(int64_t n, int64_t ih, int64_t iw, int64_t c, DType dtype);
/// Any of them, of any small shape.
TestLayer random_layer(Random& random);

/// The layer's codelet; a failure to bind it fails the test.
codelet::Codelet bound(const TestLayer& layer);

/// The bundled machine with these parameters; a failure to load it fails the test.
acg::Machine genesys(const std::vector<std::pair<std::string, int64_t>>& set);

/// A number in [low, high], uniformly distributed.
int64_t between(Random& random, int64_t low, int64_t high);

/// The bundled machine with an array of 1 to 24 rows and columns; its memories are a few times `scale` deep.
acg::Machine random_machine(Random& random, int64_t scale);

/// Random tensors for all inputs of a bound codelet, with values that neither vanish nor all saturate.
codelet::Bindings random_inputs(const codelet::Codelet& bound, Random& random);

/// A stage of the pipeline: the name of the pass and its result.
using Stage = std::pair<std::string, codelet::Codelet>;

/// bind, place, map, pack, strip_mine, insert_transfers, hoist, double_buffer. After each, `verify` must hold.
Result<std::vector<Stage>> all_stages(const TestLayer& layer, const acg::Machine& machine,
                                      const TilingLimits& limits = {.remainders = true},
                                      const stream::ExpressionLimits& expression = {});
/// The same from a bound codelet on, which is the first stage under the name `pass`.
Result<std::vector<Stage>> stages_of(const char* pass, codelet::Codelet bound, const acg::Machine& machine,
                                     const TilingLimits& limits = {.remainders = true},
                                     const stream::ExpressionLimits& expression = {});

/// Interprets every stage on the same inputs and expects the outputs of the first one, bit for bit.
void expect_same_meaning(const std::vector<Stage>& stages, const acg::Machine& machine, Random& random);

/// Expects what docs/reference/codelets.md promises of the scheduled form.
void expect_scheduled_form(const codelet::Codelet& scheduled, const acg::Machine& machine);

}  // namespace covenant::compiler::testing
