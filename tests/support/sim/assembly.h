/// Writes programs for the model by hand: from operations to a Program and its off-chip image.
#pragma once

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/isa/word_limits.h"
#include "acg/program/program.h"

namespace covenant::sim::testing {

using acg::Operation;

inline constexpr int32_t kFull = 0, kFree = 1;
inline constexpr int32_t kInput = 0, kWeight = 1, kBias = 2, kOutput = 3, kOffchip = 4, kOnchip = 5, kRow = 6,
                         kColumn = 7;
inline constexpr int32_t kI8 = 0, kU8 = 1, kI32 = 2, kF32 = 3;

/// Words of a program, appended in order. Off-chip memory: data from byte 0 on, the words at `code`.
class Assembly {
 public:
  explicit Assembly(acg::Machine machine, uint64_t code = 65536)
      : machine_(std::move(machine)), codec_(machine_), parts_(acg::word_parts(machine_)), code_(code) {}

  const acg::Machine& machine() const { return machine_; }
  int32_t memory(std::string_view name) const {
    return static_cast<int32_t>(find_memory(machine_, name).value().value);
  }
  uint32_t engine(std::string_view name) const { return find_engine(engines(machine_), name).value(); }

  /// Opens the group of an engine; later words belong to it.
  Assembly& group(std::string_view name) {
    close_group();
    open_engine_ = static_cast<int32_t>(engine(name));
    return *this;
  }
  Assembly& op(Operation operation, std::initializer_list<int32_t> operands) {
    group_.push_back(encode(operation, operands));
    return *this;
  }
  /// A word as it is, into the open group or, if none is open, into the stream.
  Assembly& raw(const acg::InstructionWord& word) {
    (open_engine_ >= 0 ? group_ : words_).push_back(word);
    return *this;
  }
  Assembly& end_block(bool last) {
    close_group();
    words_.push_back(encode(Operation::kBlockEnd, {last ? 1 : 0}));
    while (words_.size() * machine_.word_bytes() % beat_bytes() != 0)
      words_.emplace_back();  // a block starts on a beat
    return *this;
  }
  Assembly& close_group() {
    if (open_engine_ < 0) return *this;
    words_.push_back(encode(Operation::kGroup, {open_engine_, static_cast<int32_t>(group_.size())}));
    words_.insert(words_.end(), group_.begin(), group_.end());
    group_.clear();
    open_engine_ = -1;
    return *this;
  }
  size_t words() const { return words_.size(); }

  // Short forms. Addresses and strides set as many parts as they need, immediates all of them.
  Assembly& wait(std::string_view name, int32_t token, int32_t slot = 0) {
    return op(Operation::kWait, {memory(name), slot, token});
  }
  Assembly& post(std::string_view name, int32_t token, int32_t slot = 0) {
    return op(Operation::kPost, {memory(name), slot, token});
  }
  Assembly& base(int32_t operand, uint32_t value, int32_t slot = 0) {
    each_part(value, parts_.base.bits,
              [&](int32_t k, int32_t bits) { op(Operation::kBase, {operand, k, slot, bits}); });
    return *this;
  }
  Assembly& stride(int32_t operand, int32_t level, int32_t value) {
    each_part(static_cast<uint32_t>(value), parts_.stride.bits,
              [&](int32_t k, int32_t bits) { op(Operation::kStride, {operand, level, k, bits}); });
    return *this;
  }
  /// One contiguous transfer: off-chip byte `from`, on-chip unit `to`.
  Assembly& load(uint32_t from, uint32_t to, int32_t bytes) {
    base(kOffchip, from).base(kOnchip, to);
    return op(Operation::kLoad, {bytes - 1});
  }
  Assembly& store(uint32_t to, uint32_t from, int32_t bytes) {
    base(kOffchip, to).base(kOnchip, from);
    return op(Operation::kStore, {bytes - 1});
  }
  /// SIMD iterator: base and stride entry `index` of a memory.
  Assembly& iterator(std::string_view name, int32_t index, uint32_t start, int32_t step) {
    const int32_t of = memory(name);
    each_part(start, parts_.simd_base.bits, [&](int32_t k, int32_t bits) {
      if (k == 0) op(Operation::kSimdBase, {of, index, bits});
      if (k > 0) op(Operation::kSimdBaseHigh, {of, index, bits, k - 1});
    });
    return advance(name, index, step);
  }
  /// Its stride entry alone.
  Assembly& advance(std::string_view name, int32_t index, int32_t step) {
    const int32_t of = memory(name);
    const uint32_t width = parts_.simd_stride.bits;
    int64_t left = step;
    const int64_t count = int64_t{1} << width;
    for (int32_t k = 0;; ++k) {  // until the rest is the sign extension of what is set
      const int64_t bits = left & (count - 1);
      const int64_t number = bits >= count / 2 ? bits - count : bits;
      if (k == 0) op(Operation::kSimdStride, {of, index, static_cast<int32_t>(number)});
      if (k > 0) op(Operation::kSimdStrideHigh, {of, index, static_cast<int32_t>(bits), k - 1});
      if (left == number) return *this;
      left >>= width;
    }
  }
  Assembly& immediate(int32_t slot, uint32_t value) {
    const uint32_t width = parts_.immediate.bits;
    for (uint32_t low = 0; low < 32; low += width) {
      const auto bits = static_cast<int32_t>(value >> low & ((uint64_t{1} << width) - 1));
      if (low == 0) op(Operation::kImmediateLow, {slot, bits});
      if (low > 0) op(Operation::kImmediateHigh, {slot, bits, static_cast<int32_t>(low / width - 1)});
    }
    return *this;
  }

  /// Sets part `index` of the table of lookups: as many bits of `value` as one word sets.
  Assembly& table(uint32_t index, uint32_t value) {
    const uint64_t mask = (uint64_t{1} << parts_.table.bits) - 1;
    return op(Operation::kTable, {static_cast<int32_t>(index), static_cast<int32_t>(value & mask)});
  }

  acg::Program program() {
    close_group();
    acg::Program program;
    program.machine = machine_;
    program.entry = code_;
    program.memory_bytes = code_ + words_.size() * machine_.word_bytes();
    return program;
  }
  /// The image: `data` at byte 0, zeros, the words.
  std::vector<uint8_t> image(const std::vector<uint8_t>& data = {}) const {
    std::vector<uint8_t> bytes(code_, 0);
    if (!data.empty()) std::memcpy(bytes.data(), data.data(), data.size());
    for (const acg::InstructionWord& word : words_) append_bytes(bytes, word, machine_.word_bits);
    return bytes;
  }

 private:
  /// Bytes of a beat of the edge to the instruction memory.
  size_t beat_bytes() const {
    for (const acg::Edge& edge : machine_.edges) {
      const auto* to = std::get_if<acg::MemoryId>(&edge.to);
      if (to != nullptr && get(machine_, *to).kind == acg::MemoryKind::kInstruction) return edge.bandwidth / 8;
    }
    return machine_.word_bytes();
  }
  /// The low part, and those above it up to the last that is not 0.
  template <class F>
  static void each_part(uint32_t value, uint32_t width, F&& f) {
    uint64_t left = value;
    int32_t k = 0;
    do {
      f(k++, static_cast<int32_t>(left & ((uint64_t{1} << width) - 1)));
      left >>= width;
    } while (left != 0);
  }
  acg::InstructionWord encode(Operation operation, std::initializer_list<int32_t> operands) const {
    acg::Instruction instruction;
    instruction.operation = operation;
    size_t k = 0;
    for (int32_t value : operands) instruction.operands[k++] = value;
    auto word = codec_.encode(instruction);
    if (!word) throw std::runtime_error(render(word.error()));
    return *word;
  }
  acg::Machine machine_;
  acg::Codec codec_;
  acg::WordParts parts_;
  uint64_t code_;
  int32_t open_engine_ = -1;
  std::vector<acg::InstructionWord> group_;
  std::vector<acg::InstructionWord> words_;
};

}  // namespace covenant::sim::testing
