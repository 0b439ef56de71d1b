#include "sim/stream/systolic_array/systolic_pass.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace covenant::sim {
namespace {

/// Element `index` of packed ones, by its bits.
int64_t element(const uint8_t* bytes, size_t index, uint32_t bits, bool is_unsigned) {
  int64_t value = 0;
  for (uint32_t bit = 0; bit < bits; ++bit) {
    const size_t at = index * bits + bit;
    value |= static_cast<int64_t>(bytes[at / 8] >> (at % 8) & 1) << bit;
  }
  return !is_unsigned && value >> (bits - 1) != 0 ? value - (int64_t{1} << bits) : value;
}

/// The signed number of `bits` bits that equals `sum` modulo 2^bits.
int32_t within(int64_t sum, uint32_t bits) {
  const int64_t range = int64_t{1} << bits;
  const int64_t rest = (sum % range + range) % range;
  return static_cast<int32_t>(rest >= range / 2 ? rest - range : rest);
}

/// The page's sentence, literally: one step after the other, all addresses by multiplication.
void run_literally(const SystolicPass& pass) {
  uint64_t steps = 1;
  for (uint32_t count : pass.counts) steps *= count;
  for (uint64_t k = 0; k < steps; ++k) {
    std::array<int64_t, kMaxInnerLoops> index{};
    uint64_t rest = k;
    for (size_t level = kMaxInnerLoops; level-- > 0;) {
      index[level] = static_cast<int64_t>(rest % pass.counts[level]);
      rest /= pass.counts[level];
    }
    const auto at = [&index](const PassOperand& operand) {
      uint8_t* address = operand.start;
      for (size_t level = 0; level < kMaxInnerLoops; ++level) address += index[level] * operand.strides[level];
      return address;
    };
    bool first = pass.tile_is_first;
    for (size_t level = 0; level < kMaxInnerLoops; ++level) {
      if (pass.is_reduction[level] && pass.counts[level] > 1 && index[level] != 0) first = false;
    }
    for (uint32_t j = 0; j < pass.columns; ++j) {
      int64_t product = 0;
      for (uint32_t i = 0; i < pass.rows; ++i) {
        product += element(at(pass.input), i, pass.elements.input_bits, pass.is_unsigned) *
                   element(at(pass.weight), i * pass.columns + j, pass.elements.weight_bits, false);
      }
      int32_t* output = reinterpret_cast<int32_t*>(at(pass.output)) + j;
      const int32_t old = first ? reinterpret_cast<int32_t*>(at(pass.bias))[j] : *output;
      const int64_t end = int64_t{1} << (pass.accumulator_bits - 1);
      *output = pass.saturates ? static_cast<int32_t>(std::clamp(old + product, -end, end - 1))
                               : within(old + product, pass.accumulator_bits);
    }
  }
}

struct Memories {
  std::vector<uint8_t> input, weight;
  std::vector<int32_t> bias, output;
  /// In the middle: strides may be negative.
  void bind(SystolicPass& pass) {
    pass.input.start = input.data() + input.size() / 2;
    pass.weight.start = weight.data() + weight.size() / 2;
    pass.bias.start = reinterpret_cast<uint8_t*>(bias.data() + bias.size() / 2);
    pass.output.start = reinterpret_cast<uint8_t*>(output.data() + output.size() / 2);
  }
};

Memories random_memories(std::mt19937& random) {
  Memories m;
  m.input.resize(1U << 14U);
  m.weight.resize(1U << 16U);
  m.bias.resize(1U << 13U);
  m.output.resize(1U << 13U);
  for (auto& x : m.input) x = static_cast<uint8_t>(random());
  for (auto& x : m.weight) x = static_cast<uint8_t>(random());
  for (auto& x : m.bias) x = static_cast<int32_t>(random());
  for (auto& x : m.output) x = static_cast<int32_t>(random());
  return m;
}

/// Both ways of running give the literal result, for a random nest with arbitrary strides and marks; the fast way also
/// where it keeps what it knows of a pass of this shape.
void expect_equal(const SystolicPass& shape, std::mt19937& random) {
  const Memories start = random_memories(random);
  Memories expected = start;
  SystolicPass pass = shape;
  expected.bind(pass);
  run_literally(pass);
  PassRunner runner;
  for (const bool is_first : {!pass.tile_is_first, pass.tile_is_first}) {
    Memories fast = start;
    Memories literal = start;
    pass.tile_is_first = is_first;
    literal.bind(pass);
    run_literally(pass);
    fast.bind(pass);
    runner.run(pass);
    EXPECT_EQ(fast.output, literal.output);
  }
  Memories slow = start;
  slow.bind(pass);
  run_pass_by_steps(pass);
  EXPECT_EQ(slow.output, expected.output);
}

TEST(SystolicPass, RandomNestsGiveWhatThePageSays) {
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 generator(seed);
    const auto random = [&generator] { return static_cast<uint32_t>(generator()); };
    SystolicPass pass;
    pass.rows = 1 + random() % 5;
    pass.columns = 1 + random() % 5;
    pass.is_unsigned = random() % 2;
    pass.tile_is_first = random() % 4 != 0;
    pass.accumulator_bits = random() % 2 ? 32 : 16 + random() % 17;
    pass.saturates = random() % 3 == 0;
    for (size_t level = 0; level < kMaxInnerLoops; ++level) {
      pass.counts[level] = random() % 2 ? 1 : 1 + random() % 3;
      pass.is_reduction[level] = random() % 2;
      pass.input.strides[level] = (random() % 3) * pass.rows;
      pass.weight.strides[level] = (random() % 3) * pass.rows * pass.columns;
      pass.bias.strides[level] = (random() % 2) * 4 * pass.columns;
      pass.output.strides[level] = (random() % 3) * 4 * pass.columns;
    }
    expect_equal(pass, generator);
  }
}

TEST(SystolicPass, ElementsOfEveryWidth) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 generator(5000 + seed);
    const auto random = [&generator] { return static_cast<uint32_t>(generator()); };
    SystolicPass pass;
    pass.elements = {4U << random() % 3, 4U << random() % 3};
    pass.rows = 2 * (1 + random() % 4);  // whole bytes
    pass.columns = 1 + random() % 5;
    pass.is_unsigned = random() % 2;
    pass.tile_is_first = random() % 4 != 0;
    for (size_t level = 0; level < kMaxInnerLoops; ++level) {
      pass.counts[level] = random() % 2 ? 1 : 1 + random() % 3;
      pass.is_reduction[level] = random() % 2;
      pass.input.strides[level] = (random() % 3) * pass.rows * pass.elements.input_bits / 8;
      pass.weight.strides[level] = (random() % 3) * pass.rows * pass.columns * pass.elements.weight_bits / 8;
      pass.bias.strides[level] = (random() % 2) * 4 * pass.columns;
      pass.output.strides[level] = (random() % 3) * 4 * pass.columns;
    }
    expect_equal(pass, generator);
  }
}

/// A convolution's pass: 2 output channel tiles, 3x3 kernel, 2 input channel tiles, 4x5 outputs, marks as a compiler
/// sets; operands are walked forwards or backwards.
TEST(SystolicPass, ConvolutionsInEveryLoopOrder) {
  std::mt19937 random(7);
  for (auto [rows, columns] : {std::pair<uint32_t, uint32_t>{3, 5}, {5, 3}, {4, 16}, {16, 16}}) {
    const int64_t r = rows;
    const int64_t w = int64_t{rows} * columns;
    const int64_t c = int64_t{4} * columns;
    struct Loop {
      uint32_t count;
      bool is_reduction;
      int64_t input, weight, bias, output;
    };
    std::vector<Loop> loops{{2, false, 0, 18 * w, c, 20 * c},   {3, true, 7 * 2 * r, 6 * w, 0, 0},
                            {3, true, 2 * r, 2 * w, 0, 0},      {2, true, r, w, 0, 0},
                            {4, false, 7 * 2 * r, 0, 0, 5 * c}, {5, false, 2 * r, 0, 0, c}};
    for (int order = 0; order < 12; ++order) {
      SystolicPass pass;
      pass.rows = rows;
      pass.columns = columns;
      pass.is_unsigned = order % 2 == 0;
      pass.tile_is_first = order % 3 != 0;
      pass.counts.fill(1);
      for (size_t k = 0; k < loops.size(); ++k) {
        pass.counts[k] = loops[k].count;
        pass.is_reduction[k] = loops[k].is_reduction;
        const auto either_way = [&random](int64_t stride) { return random() % 2 ? stride : -stride; };
        pass.input.strides[k] = either_way(loops[k].input);
        pass.weight.strides[k] = either_way(loops[k].weight);
        pass.bias.strides[k] = either_way(loops[k].bias);
        pass.output.strides[k] = either_way(loops[k].output);
      }
      expect_equal(pass, random);
      std::shuffle(loops.begin(), loops.end(), random);
    }
  }
}

TEST(SystolicPass, SameAddressManyTimesForwards) {
  std::mt19937 random(3);
  SystolicPass pass;
  pass.rows = 3;
  pass.columns = 2;
  pass.tile_is_first = true;
  pass.counts.fill(1);
  pass.counts[6] = 50;
  pass.is_reduction[6] = true;
  pass.input.strides[6] = 3;
  pass.weight.strides[6] = 6;
  expect_equal(pass, random);
  pass.weight.strides[6] = 0;  // one weight matrix, one output: still a sum over all inputs
  expect_equal(pass, random);
}

TEST(SystolicPass, EachPassDiffersInOneThingFromTheOneBeforeIt) {
  std::mt19937 random(6);
  const Memories start = random_memories(random);
  SystolicPass pass;
  pass.rows = 4;
  pass.columns = 3;
  pass.tile_is_first = true;
  pass.counts.fill(1);
  pass.counts[2] = 3;
  pass.counts[4] = 4;
  pass.is_reduction[2] = true;
  pass.input.strides[4] = 12;
  pass.weight.strides[2] = 12;
  pass.output.strides[4] = 12;
  PassRunner runner;
  const auto expect_literal = [&] {
    Memories literal = start;
    literal.bind(pass);
    run_literally(pass);
    Memories fast = start;
    fast.bind(pass);
    runner.run(pass);
    EXPECT_EQ(fast.output, literal.output);
  };
  expect_literal();
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { pass.output.strides[4] = 24; }, [&] { pass.counts[4] = 5; }, [&] { pass.input.strides[4] = 8; },
           [&] { pass.input.strides[2] = 4; }, [&] { pass.weight.strides[2] = 24; }, [&] { pass.bias.strides[4] = 12; },
           [&] { pass.is_reduction[2] = false; }, [&] { pass.columns = 2; }, [&] { pass.rows = 3; },
           [&] { pass.is_unsigned = true; }, [&] { pass.output_is_apart = false; }}) {
    change();
    expect_literal();
  }
}

}  // namespace
}  // namespace covenant::sim
