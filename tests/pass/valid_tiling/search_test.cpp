/// The tilings that the search looks at are those of Algorithm 1, but for what the search asks beyond the paper:
/// - loops of which one tile must hold all: those that a SIMD array reduces over, since only the systolic array takes
/// up
///   a sum again that lies in memory;
/// - what the machine's words can say: tile loops around a nest, loops within one, loops and lengths of a transfer,
/// trips. Remainders are left out: Algorithm 1 knows factors only. Loops are named, since the two number them
/// differently.
#include "compiler/schedule/search.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "compiler/families/stream/contiguous_segments.h"
#include "compiler/library/library.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "compiler/schedule/tilings.h"
#include "tests/pass/passes/layers.h"
#include "tests/pass/valid_tiling/algorithm_1.h"
#include "tests/pass/valid_tiling/benchmark_codelet.h"
#include "tests/pass/valid_tiling/brute_force.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using test::taken;

using stream::ExpressionLimits;

/// No limit but the memories.
ExpressionLimits unlimited() {
  constexpr size_t kMany = 1000;
  ExpressionLimits limits;
  limits.max_tile_loops = limits.max_pass_loops = limits.max_simd_loops = limits.max_transfer_loops = kMany;
  limits.max_segment_bytes = uint64_t{1} << 40;
  limits.max_trips = int64_t{1} << 40;
  return limits;
}

NamedTiling named(const std::vector<TileLoop>& loops, const Tiling& tiling) {
  NamedTiling result;
  for (size_t i = 0; i < loops.size(); ++i) result[loops[i].variable] = tiling[i];
  return result;
}

std::set<NamedTiling> by_the_search(const TileProblem& problem, const acg::Machine& machine,
                                    const ExpressionLimits& limits) {
  std::set<NamedTiling> result;
  const test::ValidTilings search =
      test::valid_tilings(problem, machine, {.max_candidates = uint64_t{1} << 40}, limits);
  EXPECT_EQ(search.stop, StopReason::kComplete);
  for (const Tiling& tiling : search.valid) {
    EXPECT_TRUE(result.insert(named(problem.loops, tiling)).second) << "a tiling counts once";
  }
  return result;
}

template <typename Is>
size_t count(const std::vector<size_t>& loops, Is is) {
  return static_cast<size_t>(std::count_if(loops.begin(), loops.end(), is));
}

/// True if loops and transfers of the machine can express the tiling.
bool can_be_said(const TileProblem& problem, const acg::Machine& machine, const Tiling& tiling,
                 const ExpressionLimits& limits) {
  for (size_t i = 0; i < tiling.size(); ++i) {
    if (tiling[i] > limits.max_trips || problem.loops[i].trips / tiling[i] > limits.max_trips) return false;
  }
  for (const TileNest& nest : problem.nests) {
    std::vector<size_t> loops = nest.loops;
    for (size_t i = 0; i < problem.shared; ++i) loops.push_back(i);
    const auto is_split = [&](size_t i) { return tiling[i] < problem.loops[i].trips; };
    const auto turns = [&](size_t i) { return tiling[i] > 1; };
    const size_t most = nest.compute.capability == "GEMM" ? limits.max_pass_loops : limits.max_simd_loops;
    if (count(loops, is_split) > limits.max_tile_loops || count(loops, turns) > most) return false;
  }
  return std::all_of(problem.buffers.begin(), problem.buffers.end(), [&](const TileBuffer& buffer) {
    if (buffer.role == TileRole::kIntermediate) return true;
    const bool is_load = buffer.role == TileRole::kLoad;
    const acg::MemoryId on_chip = is_load ? buffer.memories.front() : buffer.memories.back();
    const acg::TransferEnds ends{acg::outermost_memory(machine), on_chip, is_load, true};
    const stream::TransferShape shape = stream::transfer_shape(problem, buffer, machine, ends, tiling);
    const acg::Memory& memory = acg::get(machine, on_chip);
    const stream::SegmentLimits segments{limits.max_segment_bytes, limits.max_transfer_loops, limits.max_trips,
                                         memory.unit_bytes()};
    return stream::contiguous_segments(shape, bytes(buffer.dtype), segments).has_value();
  });
}

/// Returns how many tilings Algorithm 1 has, and how many of them the search.
std::pair<size_t, size_t> expect_subset(const Codelet& packed, const acg::Machine& machine,
                                        const std::set<std::string>& whole, const ExpressionLimits& limits = {}) {
  const TilingSpace space = taken(tiling_space(packed, packed, machine));
  const TileProblem problem = taken(tile_problem(packed, machine, 0));
  std::set<NamedTiling> splittable;
  size_t all = 0;
  for (const Tiling& tiling : valid_tiling(space, machine)) {
    ++all;
    bool is_whole = true;
    for (size_t i = 0; i < tiling.size(); ++i) {
      is_whole = is_whole && (!whole.contains(space.loops[i].variable) || tiling[i] == space.loops[i].trips);
    }
    if (is_whole) splittable.insert(named(space.loops, tiling));
  }
  const std::set<NamedTiling> fitting = by_the_search(problem, machine, unlimited());
  EXPECT_TRUE(fitting == splittable) << fitting.size() << " fit by the search, " << splittable.size()
                                     << " by Algorithm 1";
  std::set<NamedTiling> said;
  for (const NamedTiling& one : fitting) {
    Tiling tiling;
    for (const TileLoop& loop : problem.loops) tiling.push_back(one.at(loop.variable));
    if (can_be_said(problem, machine, tiling, limits)) said.insert(one);
  }
  const std::set<NamedTiling> searched = by_the_search(problem, machine, limits);
  EXPECT_TRUE(searched == said) << searched.size() << " are searched, " << said.size() << " can be said";
  return {all, searched.size()};
}

TEST(SearchedTilings, OfEveryBenchmarkLayerAreAlgorithm1s) {
  for (const std::string name : {"dnnweaver", "genesys:03", "genesys:07", "genesys:09"}) {
    const acg::Machine machine = taken(acg::load_machine(name));
    size_t all = 0;
    size_t searched = 0;
    for (const BenchmarkLayer& layer : benchmark_layers()) {
      SCOPED_TRACE(layer.name + " on " + name);
      const Codelet source = taken(library_codelet(layer.kind == BenchmarkKind::kGemm ? "gemm_sums" : "conv_sums"));
      const Codelet placed = taken(place(taken(bind(source, benchmark_params(layer, true))), machine));
      const Codelet packed = taken(pack(taken(map(taken(route(placed, machine)), machine)), machine));
      const auto [of_the_paper, of_the_search] = expect_subset(packed, machine, {});
      all += of_the_paper;
      searched += of_the_search;
    }
    std::printf("%s: %zu tilings of Algorithm 1, %zu of the search\n", name.c_str(), all, searched);
    EXPECT_GT(searched, 0U);
  }
}

TEST(SearchedTilings, OfQuantizedLayersAreAlgorithm1s) {
  const acg::Machine machine = genesys({{"M", 4},
                                        {"N", 4},
                                        {"input_depth", 48},
                                        {"weight_depth", 12},
                                        {"bias_depth", 2},
                                        {"output_depth", 16},
                                        {"vector_depth", 24}});
  const std::vector<std::pair<TestLayer, std::set<std::string>>> layers{
      {conv_layer({.ih = 6, .iw = 8, .ic = 8, .oc = 12}, DType::kU8), {}},
      {conv_layer({.ih = 9, .iw = 8, .ic = 4, .oc = 8, .kh = 3, .kw = 1, .sh = 2, .sw = 2}, DType::kI8), {}},
      {gemm_layer(6, 24, 12, DType::kI8), {}},
      {max_pool_layer({.ih = 8, .iw = 8, .ic = 8, .kh = 2, .kw = 2, .pt = 0, .pl = 0}, DType::kU8), {"kh", "kw"}},
      {global_average_pool_layer(2, 4, 2, 8, DType::kU8), {"ih", "iw"}},
      {add_layer(24, 12, DType::kI8), {}},
      {clip_layer(24, 12, DType::kU8), {}}};
  size_t excluded = 0;
  for (const auto& [layer, whole] : layers) {
    SCOPED_TRACE(layer.codelet);
    const Codelet packed = taken(all_stages(layer, machine)).at(3).second;
    const auto [all, searched] = expect_subset(packed, machine, whole);
    // A machine with tighter limits.
    const ExpressionLimits tight{.max_tile_loops = 4,
                                 .max_pass_loops = 3,
                                 .max_simd_loops = 2,
                                 .max_transfer_loops = 2,
                                 .max_segment_bytes = 96,
                                 .max_trips = 8};
    const size_t few = expect_subset(packed, machine, whole, tight).second;
    std::printf("%s: %zu tilings of Algorithm 1, %zu of the search, %zu by tight limits\n", layer.codelet.c_str(), all,
                searched, few);
    EXPECT_GT(searched, 1U);
    excluded += searched - few;
  }
  EXPECT_GT(excluded, 50U) << "the limits were hardly tried";
}

}  // namespace
}  // namespace covenant::compiler::testing
