#include "sim/stream/simd_array/simd_nest.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "acg/operations/simd_operation.h"
#include "sim/common/fault.h"
#include "sim/stream/common/nest_walk.h"
#include "sim/stream/simd_array/simd_real.h"

namespace covenant::sim {

namespace {

/// Offsets of dst, src1, src2 and how far a reduction has come: last_reduction_step() in its last iteration.
using Walk = NestWalk<4>;

Walk walk_of(const SimdNest& nest) {
  Walk walk;
  for (uint32_t level = 0; level < acg::kSimdLevels; ++level) {
    const int64_t reduces = level >= nest.first_reduction ? 1 : 0;
    walk.add_level(nest.counts[level],
                   {nest.dst.strides[level], nest.sources[0].strides[level], nest.sources[1].strides[level], reduces});
  }
  return walk;
}

/// The value of the last offset in the last iteration of a reduction.
int64_t last_reduction_step(const SimdNest& nest) {
  int64_t steps = 0;
  for (uint32_t level = nest.first_reduction; level < acg::kSimdLevels; ++level) steps += nest.counts[level] - 1;
  return steps;
}

/// Strides alone show that no byte is written twice.
bool writes_are_apart(const SimdNest& nest) {
  for (uint32_t level = 0; level < nest.first_reduction; ++level) {
    if (nest.counts[level] > 1 && nest.dst.strides[level] == 0) return false;
  }
  return runs_are_disjoint(nest.dst.region);
}

/// True if bounds or strides alone show that no iteration reads what an earlier one has written, provided that writes
/// do not overlap.
bool is_safe_source(const SimdNest& nest, const SimdOperand& source) {
  const Region& dst = nest.dst.region;
  if (source.is_immediate || source.region.memory != dst.memory) return true;
  if (source.region.low >= dst.high || source.region.high <= dst.low) return true;
  if (source.start != nest.dst.start || source.vector_bytes != nest.dst.vector_bytes) return false;
  for (uint32_t level = 0; level < acg::kSimdLevels; ++level) {
    if (nest.counts[level] > 1 && source.strides[level] != nest.dst.strides[level]) return false;
  }
  return true;
}

[[noreturn]] void raise_hazard(bool reads, uint64_t iteration, uint64_t byte) {
  if (reads) {
    raise("SIM0044", "an iteration reads what an earlier iteration of the same nest has written",
          fmt::format("iteration {}, byte {}", iteration, byte), {}, "split the nest into two words");
  }
  raise("SIM0045", "two iterations of the same nest write the same byte",
        fmt::format("iteration {}, byte {}", iteration, byte), {},
        "give the destination a stride at every level that runs more than once, or reduce");
}

void check_by_walking(const SimdNest& nest) {
  const uint64_t low = nest.dst.region.low;
  const uint64_t high = nest.dst.region.high;
  // Vectors start on multiples of their own size, and each size divides the greater ones: mark pieces of the smallest.
  uint64_t piece = nest.dst.vector_bytes;
  for (size_t k = 0; k < nest.source_count; ++k) {
    if (!nest.sources[k].is_immediate) piece = std::min(piece, nest.sources[k].vector_bytes);
  }
  std::vector<bool> written((high - low) / piece + 2, false);
  const int64_t last = last_reduction_step(nest);
  uint64_t iteration = 0;
  walk_of(nest).for_each([&](const Walk::Offsets& at) {
    const auto first_marked = [&](const SimdOperand& operand, int64_t offset) -> uint64_t {
      const auto start = static_cast<uint64_t>(static_cast<int64_t>(operand.start) + offset);
      for (uint64_t byte = start; byte < start + operand.vector_bytes; byte += piece) {
        if (byte >= low && byte < high && written[(byte - low) / piece]) return byte;
      }
      return UINT64_MAX;
    };
    for (size_t k = 0; k < nest.source_count; ++k) {
      const SimdOperand& source = nest.sources[k];
      if (source.is_immediate || source.region.memory != nest.dst.region.memory) continue;
      const uint64_t byte = first_marked(source, at[k + 1]);
      if (byte != UINT64_MAX) raise_hazard(true, iteration, byte);
    }
    if (at[3] == last) {
      const uint64_t byte = first_marked(nest.dst, at[0]);
      if (byte != UINT64_MAX) raise_hazard(false, iteration, byte);
      const auto start = static_cast<uint64_t>(static_cast<int64_t>(nest.dst.start) + at[0]) - low;
      for (uint64_t k = 0; k < nest.dst.vector_bytes; k += piece) written[(start + k) / piece] = true;
    }
    ++iteration;
  });
}

constexpr size_t kBatch = 64;  // iterations done at once

/// Vectors of one operand for a batch of iterations, as 32-bit lanes.
class Lanes {
 public:
  Lanes(const SimdOperand& operand, std::span<uint8_t> memory, uint32_t lanes)
      : operand_(operand),
        memory_(memory),
        lanes_(lanes),
        values_(std::make_unique_for_overwrite<int32_t[]>(kBatch * lanes)) {
    if (operand.is_immediate) fill_immediate();
  }
  int32_t* data() { return values_.get(); }

  /// Vectors of `count` iterations, the first at `offset`, each `stride` bytes after the one before it.
  void load(int64_t offset, int64_t stride, size_t count) {
    if (operand_.is_immediate || memory_.empty()) return;
    if (stride == 0 && offset == repeated_ && count <= repeats_) return;
    repeats_ = 0;
    for_pieces(offset, stride, stride == 0 ? 1 : count, [this](int32_t* values, uint8_t* bytes, size_t lanes) {
      load_lanes(operand_.type, bytes, values, lanes);
    });
    if (stride != 0) return;
    for (size_t k = 1; k < count; k *= 2) std::copy_n(data(), std::min(k, count - k) * lanes_, data() + k * lanes_);
    repeated_ = offset;
    repeats_ = count;
  }
  void load(int64_t offset) { load(offset, one_vector(), 1); }
  void store(int64_t offset, int64_t stride, size_t count) {
    for_pieces(offset, stride, count, [this](const int32_t* values, uint8_t* bytes, size_t lanes) {
      store_lanes(operand_.type, values, bytes, lanes);
    });
  }

  void store(int64_t offset) { store(offset, one_vector(), 1); }

 private:
  int64_t one_vector() const { return static_cast<int64_t>(operand_.vector_bytes); }
  /// Calls visit(values, bytes, lanes) for groups of adjacent vectors.
  template <typename Visit>
  void for_pieces(int64_t offset, int64_t stride, size_t count, Visit&& visit) {
    uint8_t* const first = memory_.data() + static_cast<int64_t>(operand_.start) + offset;
    if (stride == one_vector()) return visit(data(), first, count * lanes_);
    for (size_t k = 0; k < count; ++k) {
      visit(data() + k * lanes_, first + static_cast<int64_t>(k) * stride, lanes_);
    }
  }
  void fill_immediate() {
    const auto bytes = std::bit_cast<std::array<uint8_t, 4>>(operand_.immediate);
    int32_t value = 0;
    load_lanes(operand_.type, bytes.data(), &value, 1);
    std::fill_n(data(), kBatch * lanes_, value);
  }

  const SimdOperand& operand_;
  std::span<uint8_t> memory_;
  size_t lanes_;
  std::unique_ptr<int32_t[]> values_;
  int64_t repeated_ = 0;  ///< offset of the vector that all of the first `repeats_` are
  size_t repeats_ = 0;
};

void run_elementwise(const SimdNest& nest, const std::array<std::span<uint8_t>, 3>& memories) {
  Lanes out(nest.dst, memories[0], nest.lanes);
  Lanes a(nest.sources[0], memories[1], nest.lanes);
  Lanes b(nest.sources[1], memories[2], nest.lanes);
  const auto compute = [&](size_t count) {
    if (nest.operation == acg::Operation::kLookup) {
      look_up(nest.table, nest.dst.type, nest.sources[0].type, a.data(), out.data(), count);
    } else if (acg::is_simd_fixed(nest.operation)) {
      apply_fixed(nest.operation, a.data(), b.data(), out.data(), count, nest.fixed_point);
    } else if (nest.is_real()) {
      apply_real(nest.operation, nest.sources[0].type, a.data(), b.data(), out.data(), count, nest.requantization);
    } else {
      apply(nest.operation, a.data(), b.data(), out.data(), count, nest.requantization);
    }
  };
  walk_of(nest).for_each_row([&](Walk::Offsets at, uint64_t iterations, const Walk::Offsets& strides) {
    while (iterations > 0) {
      const size_t count = std::min<uint64_t>(iterations, kBatch);
      a.load(at[1], strides[1], count);
      if (nest.source_count > 1) b.load(at[2], strides[2], count);
      compute(count * nest.lanes);
      out.store(at[0], strides[0], count);
      iterations -= count;
      for (size_t k = 0; k < at.size(); ++k) at[k] += strides[k] * static_cast<int64_t>(count);
    }
  });
}

void run_reduction(const SimdNest& nest, const std::array<std::span<uint8_t>, 3>& memories) {
  Lanes sum(nest.dst, memories[0], nest.lanes);
  Lanes a(nest.sources[0], memories[1], nest.lanes);
  const int64_t last = last_reduction_step(nest);
  bool is_first = true;
  walk_of(nest).for_each([&](const Walk::Offsets& at) {
    a.load(at[1]);
    if (is_first && nest.resumes) sum.load(at[0]);
    const bool starts = is_first && !nest.resumes;
    if (nest.is_real()) {
      reduce_real(nest.operation, a.data(), sum.data(), nest.lanes, starts, nest.requantization);
    } else if (starts) {
      std::copy_n(a.data(), nest.lanes, sum.data());
    } else {
      reduce(nest.operation, a.data(), sum.data(), nest.lanes);
    }
    is_first = at[3] == last;
    if (is_first) sum.store(at[0]);
  });
}

}  // namespace

void check_hazards(const SimdNest& nest) {
  bool safe = writes_are_apart(nest);
  for (size_t k = 0; k < nest.source_count; ++k) safe = safe && is_safe_source(nest, nest.sources[k]);
  if (!safe) check_by_walking(nest);
}

void run_nest(const SimdNest& nest, const std::array<std::span<uint8_t>, 3>& memories) {
  if (acg::is_simd_reduction(nest.operation)) {
    run_reduction(nest, memories);
  } else {
    run_elementwise(nest, memories);
  }
}

}  // namespace covenant::sim
