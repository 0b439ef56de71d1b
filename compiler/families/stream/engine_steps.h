/// Executes the instructions of one engine step by step, with loops unrolled and addresses computed. Used by the
/// verifier and the analysis of dead fields; written from the pages of docs/reference/units, independently of code
/// generation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/operation.h"

namespace covenant::compiler::stream {

/// Bytes [first, first + size) of a memory that a command may touch, in its buffer `buffer` if it has several.
struct Touch {
  acg::MemoryId memory;
  uint32_t buffer = 0;
  bool is_write = false;
  int64_t first = 0;
  int64_t size = 0;
};

/// One executed word.
struct Executed {
  size_t index = 0;  ///< index of the instruction
  std::vector<Touch> touches;
};

class Stream {
 public:
  Stream(const acg::Machine& machine, uint32_t engine, const std::vector<acg::Instruction>& code);

  bool is_done() const { return position_ >= code_.size(); }
  /// The next instruction. Precondition: not done.
  const acg::Instruction& next() const { return code_[position_]; }
  size_t position() const { return position_; }
  /// Executes the next instruction. Sets `problem()` if that is a fault.
  Executed step();
  const std::string& problem() const { return problem_; }
  /// True if loops are still open.
  bool has_open_loops() const { return !open_.empty(); }

 private:
  struct Open {
    int32_t level = 0;
    size_t begin = 0;  ///< first instruction of the body
    int64_t last = 0;
  };
  int32_t operand(const acg::Instruction& instruction, std::string_view name) const;
  void set(const acg::Instruction& instruction);
  using Table = std::map<std::pair<int32_t, int32_t>, uint32_t>;
  void set_part(Table& table, int32_t first, int32_t second, int32_t part, int32_t value, uint32_t bits,
                bool is_signed = false);
  void loop(const acg::Instruction& instruction);
  void end(const acg::Instruction& instruction);
  void turn(const acg::Instruction& instruction);
  int64_t base_of(acg::AddressOperand operand) const;
  int64_t stride_of(acg::AddressOperand operand, int32_t level) const;
  int64_t trips_of(int32_t level) const;
  /// Lowest and highest address of `operand` over the given inner levels, in its units.
  std::pair<int64_t, int64_t> reach(acg::AddressOperand operand, int32_t first_level, int32_t levels) const;
  void touch_walked(Executed& executed, acg::AddressOperand operand, acg::MemoryId memory, int32_t first_level,
                    int32_t levels, int64_t bytes, bool is_write);
  void transfer(const acg::Instruction& instruction, Executed& executed);
  /// Iterations of level 15 or 16 that are inside the limit of `axis`.
  std::pair<int64_t, int64_t> inside(acg::Axis axis, acg::AddressOperand operand, int32_t level) const;
  void pass(Executed& executed);
  void nest(const acg::Instruction& instruction, Executed& executed);
  void fault(const std::string& what);
  void check_bounds(const Touch& touch);
  int32_t slot_of(acg::AddressOperand which) const;
  uint32_t buffer_of(acg::MemoryId memory, int32_t slot) const;

  const acg::Machine& machine_;  // outlives the stream, as does the code
  acg::Engine engine_;
  const std::vector<acg::Instruction>& code_;
  size_t position_ = 0;
  std::vector<Open> open_;
  std::map<int32_t, int64_t> index_;  ///< iterations of open loops, by level
  acg::WordParts parts_;
  Table base_, stride_, simd_base_, simd_stride_;
  std::map<int32_t, int32_t> slot_, last_, limit_;
  std::map<int32_t, std::array<int32_t, 7>> level_;  ///< SIMD: last iteration, then the stride entries of the operands
  int32_t current_level_ = 0;
  int32_t first_reduction_ = 8;
  std::array<int32_t, 3> types_{};
  std::map<std::pair<uint32_t, int32_t>, uint32_t> pointer_;  ///< (memory, slot) -> buffer
  std::string problem_;
};

}  // namespace covenant::compiler::stream
