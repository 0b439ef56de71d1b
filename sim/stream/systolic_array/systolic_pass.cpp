#include "sim/stream/systolic_array/systolic_pass.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <type_traits>
#include <vector>

#include "acg/base/accumulator.h"
#include "sim/stream/common/elements.h"
#include "sim/stream/common/nest_walk.h"

namespace covenant::sim {

namespace {

using Levels = std::vector<size_t>;

/// The offsets of K operands in the chosen levels, the last one fastest.
template <size_t K>
NestWalk<K> walk_of(const SystolicPass& pass, const Levels& levels, const std::array<const PassOperand*, K>& operands) {
  NestWalk<K> walk;
  for (size_t level : levels) {
    std::array<int64_t, K> strides{};
    for (size_t k = 0; k < K; ++k) strides[k] = operands[k]->strides[level];
    walk.add_level(pass.counts[level], strides);
  }
  return walk;
}

/// Loops that run more than once, outermost first.
Levels live_levels(const SystolicPass& pass) {
  Levels levels;
  for (size_t level = 0; level < kMaxInnerLoops; ++level) {
    if (pass.counts[level] > 1) levels.push_back(level);
  }
  return levels;
}

/// True if no two iterations of the loops that move the output write a common byte (sufficient test).
bool outputs_are_apart(const SystolicPass& pass, const Levels& levels) {
  std::vector<std::pair<int64_t, uint32_t>> order;
  for (size_t level : levels) {
    if (pass.output.strides[level] != 0) order.emplace_back(std::abs(pass.output.strides[level]), pass.counts[level]);
  }
  std::sort(order.begin(), order.end());
  int64_t extent = static_cast<int64_t>(pass.columns) * 4;
  for (const auto& [stride, count] : order) {
    if (stride < extent) return false;
    extent += stride * static_cast<int64_t>(count - 1);
  }
  return true;
}

/// Offsets in bytes that some loops add to an operand, counted from the lowest address so that none is negative.
struct Offsets {
  int64_t lowest = 0;
  std::vector<uint32_t> above;
};

Offsets offsets_of(const SystolicPass& pass, const Levels& levels, const PassOperand& operand) {
  Offsets offsets;
  for (size_t level : levels) {
    offsets.lowest += std::min<int64_t>(0, int64_t{pass.counts[level] - 1} * operand.strides[level]);
  }
  walk_of<1>(pass, levels, {&operand}).for_each([&offsets](const std::array<int64_t, 1>& at) {
    offsets.above.push_back(static_cast<uint32_t>(at[0] - offsets.lowest));
  });
  return offsets;
}

/// The loops of a pass as matrix products: `batch` keeps the weights and gives a product its vectors, `depth` keeps the
/// output and gives each sum its matrices, `tiles` keep the input and give it columns, `others` run around.
struct Products {
  Levels batch;
  Levels depth;
  Levels tiles;
  Levels others;
};

Products as_products(const SystolicPass& pass, const Levels& levels) {
  // Moderate sizes: what one product uses stays in the processor's caches.
  constexpr uint64_t kBatch = 1U << 16U;
  constexpr uint64_t kWeightBytes = 1U << 18U;
  Products products;
  uint64_t vectors = 1;
  uint64_t weight_bytes = uint64_t{pass.rows} * pass.columns * pass.elements.weight_bits / 8;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const uint32_t count = pass.counts[*level];
    if (pass.weight.strides[*level] == 0 && vectors * count <= kBatch) {
      products.batch.push_back(*level);
      vectors *= count;
    } else if (pass.output.strides[*level] == 0 && weight_bytes * count <= kWeightBytes) {
      products.depth.push_back(*level);
      weight_bytes *= count;
    } else if (pass.input.strides[*level] == 0 && weight_bytes * count <= kWeightBytes) {
      products.tiles.push_back(*level);
      weight_bytes *= count;
    } else {
      products.others.push_back(*level);
    }
  }
  for (Levels* chosen : {&products.batch, &products.depth, &products.tiles, &products.others}) {
    std::reverse(chosen->begin(), chosen->end());
  }
  // Loops that move the weights vary slowest, so that each matrix is rearranged once.
  std::stable_partition(products.others.begin(), products.others.end(),
                        [&pass](size_t level) { return pass.weight.strides[level] != 0; });
  return products;
}

/// The sums of the columns of one step. Weights of bytes have a loop that becomes vector instructions.
template <typename Sum>
void add_products(const SystolicPass& pass, const uint8_t* input, const uint8_t* weight, Sum* sums) {
  for (uint32_t i = 0; i < pass.rows; ++i) {
    const auto x = static_cast<Sum>(element_at(input, i, pass.elements.input_bits, pass.is_unsigned));
    const size_t row = size_t{i} * pass.columns;
    if (pass.elements.weight_bits == 8) {
      for (uint32_t j = 0; j < pass.columns; ++j) {
        sums[j] += x * static_cast<Sum>(static_cast<int8_t>(weight[row + j]));
      }
      continue;
    }
    for (uint32_t j = 0; j < pass.columns; ++j) {
      sums[j] += x * static_cast<Sum>(element_at(weight, row + j, pass.elements.weight_bits, false));
    }
  }
}

/// Steps one by one: the column sums, then the accumulator. `Sum` holds the products of a step: modulo 2^32 where sums
/// wrap, and exactly, with a sign, where they saturate.
template <typename Sum>
class Steps {
 public:
  explicit Steps(const SystolicPass& pass) : pass_(pass), products_(pass.columns) {}

  void run(bool is_first, const std::array<int64_t, 5>& at) {
    std::fill(products_.begin(), products_.end(), Sum{0});
    add_products(pass_, pass_.input.start + at[0], pass_.weight.start + at[1], products_.data());
    const uint8_t* old = is_first ? pass_.bias.start + at[2] : pass_.output.start + at[3];
    uint8_t* output = pass_.output.start + at[3];
    for (size_t j = 0; j < pass_.columns; ++j) {
      int32_t sum = 0;
      std::memcpy(&sum, old + 4 * j, sizeof(sum));
      sum = accumulated(sum, products_[j]);
      std::memcpy(output + 4 * j, &sum, sizeof(sum));
    }
  }

 private:
  int32_t accumulated(int32_t sum, Sum products) const {
    if constexpr (std::is_signed_v<Sum>) {
      return saturated(int64_t{sum} + products, pass_.accumulator_bits);
    } else {
      return wrapped(static_cast<uint32_t>(sum) + products, pass_.accumulator_bits);
    }
  }

  const SystolicPass& pass_;
  std::vector<Sum> products_;
};

template <typename Sum>
void run_steps(const SystolicPass& pass) {
  const Levels levels = live_levels(pass);
  // A fifth "operand" that only loops marked as reductions move tells first steps from the others.
  PassOperand marked;
  for (size_t level = 0; level < kMaxInnerLoops; ++level) marked.strides[level] = pass.is_reduction[level] ? 1 : 0;
  Steps<Sum> steps(pass);
  walk_of<5>(pass, levels, {&pass.input, &pass.weight, &pass.bias, &pass.output, &marked})
      .for_each([&](const std::array<int64_t, 5>& at) { steps.run(pass.tile_is_first && at[4] == 0, at); });
}

/// Wraps adjacent 32-bit sums to `bits` bits.
void wrap(uint8_t* sums, uint32_t count, uint32_t bits) {
  for (uint32_t j = 0; j < count; ++j) {
    uint32_t sum = 0;
    std::memcpy(&sum, sums + size_t{4} * j, sizeof(sum));
    const int32_t result = wrapped(sum, bits);
    std::memcpy(sums + size_t{4} * j, &result, sizeof(result));
  }
}

}  // namespace

void run_pass_by_steps(const SystolicPass& pass) {
  if (!pass.saturates) return run_steps<uint32_t>(pass);
  const uint32_t product_bits =
      pass.elements.input_bits + pass.elements.weight_bits + static_cast<uint32_t>(std::bit_width(pass.rows));
  return product_bits < kWordBits ? run_steps<int32_t>(pass) : run_steps<int64_t>(pass);
}

/// The part of a pass that depends on its shape, not on the addresses of its operands.
struct PassRunner::Plan {
  explicit Plan(const SystolicPass& pass)
      : of(pass), levels(live_levels(pass)), sums_are_apart(pass.output_is_apart && outputs_are_apart(pass, levels)) {
    if (!sums_are_apart) return;
    Levels outside;  // loops marked as reductions stay at index 0
    for (size_t level : levels) {
      if (!pass.is_reduction[level]) outside.push_back(level);
      starts_once = starts_once && (pass.output.strides[level] != 0 || pass.is_reduction[level]);
    }
    starts = walk_of<2>(pass, outside, {&pass.bias, &pass.output});
    Levels moving;
    std::ranges::copy_if(levels, std::back_inserter(moving),
                         [&](size_t level) { return pass.output.strides[level] != 0; });
    outputs = walk_of<1>(pass, moving, {&pass.output});
    const Products products = as_products(pass, levels);
    others = walk_of<3>(pass, products.others, {&pass.weight, &pass.input, &pass.output});
    vectors = offsets_of(pass, products.batch, pass.input);
    sums = offsets_of(pass, products.batch, pass.output);
    rows = offsets_of(pass, products.depth, pass.input);
    matrices = offsets_of(pass, products.depth, pass.weight);
    weight_tiles = offsets_of(pass, products.tiles, pass.weight);
    sum_tiles = offsets_of(pass, products.tiles, pass.output);
    weights.emplace(pass.rows, pass.columns, matrices.above.size(), weight_tiles.above.size(), product_kernels().back(),
                    pass.elements);
  }

  bool fits(const SystolicPass& pass) const {
    return of.rows == pass.rows && of.columns == pass.columns && of.elements == pass.elements &&
           of.counts == pass.counts && of.is_reduction == pass.is_reduction &&
           of.output_is_apart == pass.output_is_apart && of.input.strides == pass.input.strides &&
           of.weight.strides == pass.weight.strides && of.bias.strides == pass.bias.strides &&
           of.output.strides == pass.output.strides;
  }

  /// True if every output is one sum: a bias at most once, before everything else, then products in any order.
  bool is_one_sum_per_output(bool tile_is_first) const { return sums_are_apart && (!tile_is_first || starts_once); }

  SystolicPass of;
  Levels levels;
  bool sums_are_apart;
  bool starts_once = true;  ///< no output has two first steps
  NestWalk<2> starts;       ///< bias and output of every first step
  NestWalk<1> outputs;      ///< every output, once
  NestWalk<3> others;       ///< weight, input and output of every product
  Offsets vectors;
  Offsets sums;
  Offsets rows;
  Offsets matrices;
  Offsets weight_tiles;
  Offsets sum_tiles;
  std::optional<PackedWeights> weights;
};

PassRunner::PassRunner() = default;
PassRunner::PassRunner(PassRunner&&) noexcept = default;
PassRunner& PassRunner::operator=(PassRunner&&) noexcept = default;
PassRunner::~PassRunner() = default;

void PassRunner::run(const SystolicPass& pass) {
  if (pass.saturates) return run_pass_by_steps(pass);  // their order counts
  if (!plan_ || !plan_->fits(pass)) plan_ = std::make_unique<Plan>(pass);
  Plan& plan = *plan_;
  if (!plan.is_one_sum_per_output(pass.tile_is_first)) return run_pass_by_steps(pass);
  if (pass.tile_is_first) {
    plan.starts.for_each([&pass](const std::array<int64_t, 2>& at) {
      std::memcpy(pass.output.start + at[1], pass.bias.start + at[0], size_t{4} * pass.columns);
    });
  }
  const uint8_t* input = pass.input.start + plan.vectors.lowest + plan.rows.lowest;
  const uint8_t* weight = pass.weight.start + plan.matrices.lowest + plan.weight_tiles.lowest;
  uint8_t* output = pass.output.start + plan.sums.lowest + plan.sum_tiles.lowest;
  std::optional<int64_t> loaded;
  plan.others.for_each([&](const std::array<int64_t, 3>& at) {
    if (loaded != at[0]) plan.weights->load(weight + at[0], plan.matrices.above, plan.weight_tiles.above);
    loaded = at[0];
    accumulate_products(*plan.weights, {input + at[1], plan.vectors.above, plan.rows.above, pass.is_unsigned},
                        {output + at[2], plan.sums.above, plan.sum_tiles.above});
  });
  // Sums modulo 2^32 are also correct modulo a smaller power of two.
  if (pass.accumulator_bits == kWordBits) return;
  plan.outputs.for_each([&pass](const std::array<int64_t, 1>& at) {
    wrap(pass.output.start + at[0], pass.columns, pass.accumulator_bits);
  });
}

}  // namespace covenant::sim
